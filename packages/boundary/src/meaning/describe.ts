import { formatCidr, formatIpv4, type Ground } from "../model/index.js";

/** Where authored lines stand, for whoever reads. */
export interface Files {
  readonly plan: string;
  readonly policy: string;
}

const BINDING = {
  port: "its port is bound to nothing",
  mac: "its MAC isn't the one that its port is bound to",
  address: "its source address isn't the one that its port is bound to",
  arp: "it announces another address or MAC than its port is bound to",
  "ether-type": "a bound port sends IPv4 and ARP alone",
} as const;

/** A ground as a sentence, with the authored line that it comes from. */
export const describeGround = (ground: Ground, files: Files): string => {
  switch (ground.kind) {
    case "rule": {
      const { owner, name, action, line } = ground.rule;
      return `rule "${name}" of ${owner} says ${action} (${files.plan}:${line})`;
    }
    case "crossing":
      return `the policy signs the crossing "${ground.purpose}" (${files.policy}:${ground.line})`;
    case "default":
      return ground.authority === "scenario"
        ? `no owner has a word, so the plan's default holds (${files.plan})`
        : `the policy signs nothing of the kind (${files.policy})`;
    case "list-end":
      return `${ground.owner} rules what goes ${ground.side}, none of its rules matches, so the plan's default is its word (${files.plan})`;
    case "no-path":
      return "no authority lets anything pass between the two";
    case "binding":
      return ground.holder === null
        ? BINDING[ground.differs]
        : `${BINDING[ground.differs]} (${ground.holder})`;
    case "delivery":
      return "nobody is bound to the destination address where it goes";
    case "family":
      return "IPv6 is denied everywhere";
    case "arp":
      return "ARP passes between bound ports and the host";
    case "state":
      return ground.state === "invalid"
        ? "it belongs to no connection"
        : `it belongs to an allowed flow (${ground.state})`;
    case "egress":
      return `the policy signs that port for ${ground.authorities.join(", ")} (${files.policy})`;
    case "resolver":
      return `${formatIpv4(ground.address)} is a signed resolver (${files.policy})`;
    case "special-range":
      return `${formatCidr(ground.range)} is special-purpose`;
    case "publication":
      return `the policy signs a publication for ${ground.audience} (${files.policy})`;
  }
};
