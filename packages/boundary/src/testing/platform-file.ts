/** Where the fixture's policy finds its networks and anchors, with one image for all of them. */
export const platformFile = (image: string): string => `schema: drydock.platform/v1

networks:
  participant: { cidr: 10.99.1.0/24, gateway: 10.99.1.1 }
  management: { cidr: 10.99.2.0/24, gateway: 10.99.2.1 }
  egress: { cidr: 10.99.3.0/24, gateway: 10.99.3.1 }

anchors:
  participant:
    image: ${image}
    command: [/bin/sh, -c, "while :; do echo gate | nc -l -p 8080; done"]
    addresses: { participant: 10.99.1.10, management: 10.99.2.10 }
    publications:
      - { address: 127.0.0.1, port: 3000, protocol: tcp, target: 8080 }
  management:
    image: ${image}
    command: [/bin/sleep, "3600"]
    addresses: { management: 10.99.2.20 }
    publications:
      - { address: 127.0.0.1, port: 8400, protocol: tcp, target: 8400 }
  egress:
    image: ${image}
    command: [/bin/sleep, "3600"]
    addresses: { egress: 10.99.3.30, management: 10.99.2.30 }
`;
