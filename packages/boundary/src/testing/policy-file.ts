/** Every field of the format; the platform of the fixture topology. */
export const POLICY_FILE = `{
  "schema_version": "aptl.appliance-boundary/v1",
  "policy_id": "seat-default",
  "generation": 3,
  "workbench_policy_version": "participant-workbench-profile/v1",
  "default_deny": true,
  "platform_networks": {
    "participant": "x.net=participant",
    "management": "x.net=management",
    "egress": "x.net=egress"
  },
  "platform_anchors": {
    "participant": "x.zone=participant",
    "management": "x.zone=management",
    "egress": "x.zone=egress"
  },
  "fixed_crossings": [
    { "source": "participant", "destination": "management", "protocol": "tcp", "ports": [8443], "purpose": "workbench" },
    { "source": "management", "destination": "egress", "protocol": "tcp", "ports": [3128], "purpose": "broker" }
  ],
  "egress_authorities": [
    {
      "source": "egress",
      "authority": "api.vendor.test",
      "protocol": "tcp",
      "port": 443,
      "purpose": "model",
      "resolution": "proxy-resolved-all-global",
      "failure_disposition": "deny"
    }
  ],
  "egress_proxy_limits": {
    "max_connections": 32,
    "max_header_bytes": 4096,
    "header_timeout_seconds": 5,
    "connect_timeout_seconds": 10,
    "idle_timeout_seconds": 60
  },
  "guest_publications": [
    { "audience": "participant", "address": "127.0.0.1", "port": 3000, "protocol": "tcp" },
    { "audience": "recovery", "address": "127.0.0.1", "port": 8400, "protocol": "tcp" }
  ],
  "host_mcp_contract": null,
  "docker_authority": { "allowed_holder_labels": ["x.role=deployer"], "require_guest_daemon": true },
  "egress_resolvers": ["192.0.2.53"],
  "observation_freshness_seconds": 5,
  "allow_host_network": false
}
`;
