#Requires -Version 7
using namespace System.IO

$MaxAge = 30

<#
.SYNOPSIS
Removes old logs.
#>
function Remove-OldLog {
    [CmdletBinding(SupportsShouldProcess)]
    param(
        [Parameter(Mandatory)]
        [string]$Path,
        [int]$Days = $MaxAge
    )
    begin {
        $limit = (Get-Date).AddDays(-$Days)
    }
    process {
        function Test-Old {
            param($File)
            return $File.LastWriteTime -lt $limit
        }
        Get-ChildItem $Path | Where-Object { Test-Old $_ } | Remove-Item
    }
}

# Sizes for people.
filter ConvertTo-Size {
    "{0:N1} MB" -f ($_ / 1MB)
}

enum Level {
    Info
    Error
}

class Logger : IDisposable {
    [string]$Name
    hidden [int]$Count = 0

    Logger([string]$name) {
        $this.Name = $name
    }

    [void] Write([string]$text, [Level]$level) {
        if ($level -eq [Level]::Error) {
            Write-Error $text
        } else {
            Write-Host $text
        }
    }

    static [Logger] Create() { return [Logger]::new("default") }
}

Import-Module Pester
[Logger]::Create().Write("started", [Level]::Info)
