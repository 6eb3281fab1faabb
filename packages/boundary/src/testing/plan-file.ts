/**
 * Three networks, six nodes, default deny. The web server's list ends without a closing rule, the
 * sensor has two places, the attacker may reach what is published and nothing else.
 */
export const PLAN_FILE = `schema: drydock.plan/v1
default: deny

nodes:
  lan: { type: Switch }
  dmz: { type: Switch }
  wan: { type: Switch }
  web: { type: VM }
  database: { type: VM }
  mail: { type: VM }
  workstation: { type: VM }
  attacker: { type: VM }
  sensor: { type: VM }

infrastructure:
  lan:
    properties: { cidr: 10.60.1.0/24, gateway: 10.60.1.1 }
    acls:
      - { name: no-dmz-to-lan-ssh, direction: in, from_net: dmz, protocol: tcp, ports: [22], action: deny }
      - { name: dmz-to-database, direction: in, from_net: dmz, protocol: tcp, ports: [5432], action: allow }
      - { name: among-lan, direction: in, from_net: lan, action: allow }
  dmz:
    properties: { cidr: 10.60.2.0/24, gateway: 10.60.2.1 }
  wan:
    properties: { cidr: 10.60.3.0/24, gateway: 10.60.3.1 }
    acls:
      - { name: nothing-to-wan, direction: in, action: deny }

  web:
    links: [dmz]
    properties: [{ dmz: 10.60.2.8 }]
    acls:
      - { name: http, direction: in, protocol: tcp, ports: [80, 443], action: allow }
      - { name: to-database, direction: out, to_net: lan, protocol: tcp, ports: [5432], action: allow }
  database:
    links: [lan]
    properties: [{ lan: 10.60.1.10 }]
    acls:
      - { name: postgres, direction: in, protocol: tcp, ports: [5432], action: allow }
      - { name: calls-nobody, direction: out, action: deny }
  mail:
    links: [dmz]
    properties: [{ dmz: 10.60.2.9 }]
    acls:
      - { name: smtp, direction: in, protocol: tcp, ports: [25], action: allow }
      - { name: imap-from-lan, direction: in, from_net: lan, protocol: tcp, ports: [143, 993], action: allow }
      - { name: ping, direction: in, protocol: icmp, action: allow }
  workstation:
    links: [lan]
    properties: [{ lan: 10.60.1.20 }]
    acls:
      - { name: anything-out, direction: out, action: allow }
  attacker:
    links: [wan]
    properties: [{ wan: 10.60.3.66 }]
  sensor:
    links: [lan, dmz]
    properties: [{ lan: 10.60.1.30 }, { dmz: 10.60.2.30 }]
    acls:
      - { name: syslog, direction: in, protocol: udp, ports: [514], action: allow }
      - { name: silent, direction: inout, action: deny }
`;
