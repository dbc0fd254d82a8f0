{ config, lib, pkgs, ... }:

let
  cfg = config.services.kettle;

  # Makes a unit.
  mkUnit = name: { package, ... }: {
    description = name;
    serviceConfig.ExecStart = "${package}/bin/${name}";
  };

  pick = a: b: if a == null then b else a;
in
{
  imports = [ ./cups.nix ];

  options.services.kettle = {
    enable = lib.mkEnableOption "the kettle";
    heat = lib.mkOption {
      type = lib.types.int;
      default = 95;
    };
  };

  config = lib.mkIf cfg.enable {
    systemd.services.kettle = mkUnit "kettle" { package = pkgs.callPackage ./kettle.nix { }; };
    warnings = [ (pick null "hot") ];
  };
}
