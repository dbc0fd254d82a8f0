#!/usr/bin/env bash
# Keeps a backup.
set -euo pipefail

source ./lib/log.sh
. "$HOME/.backuprc"

BACKUP_ROOT="${BACKUP_ROOT:-/var/backups}"

readonly EXCLUDES=(
  --exclude=.git
  --exclude=node_modules
)

# Says what happens.
# Goes to stderr.
backup::say() {
  printf '%s\n' "$*" >&2
}

function usage {
  cat <<'EOF'
usage: backup [-n] DIR
function not_a_function() { :; }
EOF
}

copy() (
  cd "$1" || return
  tar "${EXCLUDES[@]}" -cf - . | gzip -9
)

main() {
  local dry=0
  while getopts "nh" option; do
    case "$option" in
      n) dry=1 ;;
      h) usage; return 0 ;;
      *) return 2 ;;
    esac
  done
  cleanup() {
    rm -rf "$BACKUP_ROOT/tmp"
    backup::say "cleaned"
  }
  trap cleanup EXIT
  if [[ $dry -eq 1 ]]; then
    backup::say "dry run"
  elif [ -d "$1" ]; then
    copy "$1" > "$BACKUP_ROOT/$(date +%F).tar.gz"
  else
    backup::say "no such folder: $1"
  fi
}

alias ll='ls -l'

main "$@"
