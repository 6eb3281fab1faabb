import type { UserFinding } from "@drydock/document";
import { quote } from "@drydock/evidence";
import type { BoundaryCode } from "../codes.js";
import { ZONES } from "../model/index.js";
import { readDnsName } from "./dns-name.js";
import type { PolicyDocument } from "./schema.js";
import { RESERVED_LABEL_PREFIX } from "./selector.js";

type Finding = UserFinding & { readonly code: BoundaryCode };

/** What no schema sees: one part of a policy in the light of another. */
export const checkPolicy = (policy: PolicyDocument): readonly Finding[] => [
  ...selectorFindings(policy, "platform_networks"),
  ...selectorFindings(policy, "platform_anchors"),
  ...holderFindings(policy),
  ...repeats(policy.fixed_crossings, crossingKey, "fixed_crossings", "POLICY_CROSSING_REPEATED"),
  ...repeats(
    policy.egress_authorities,
    ({ authority, port }) => `${readDnsName(authority)}:${port}`,
    "egress_authorities",
    "POLICY_AUTHORITY_REPEATED",
  ),
  ...repeats(
    policy.guest_publications,
    ({ address, port, protocol }) => `${address}:${port}/${protocol}`,
    "guest_publications",
    "POLICY_PUBLICATION_REPEATED",
  ),
  ...hostMcpFindings(policy),
];

const crossingKey = ({
  source,
  destination,
  protocol,
  ports,
}: PolicyDocument["fixed_crossings"][number]): string =>
  [source, destination, protocol, ...[...ports].sort((a, b) => a - b)].join(" ");

/** Of several, all but the first. */
const repeats = <T>(
  items: readonly T[],
  keyOf: (item: T) => string,
  list: string,
  code: BoundaryCode,
): readonly Finding[] => {
  const seen = new Set<string>();
  return items.flatMap((item, index) => {
    const key = keyOf(item);
    const isNew = !seen.has(key);
    seen.add(key);
    return isNew ? [] : [{ path: [list, index], code, what: "says again what stands above" }];
  });
};

const selectorFindings = (
  policy: PolicyDocument,
  key: "platform_networks" | "platform_anchors",
): readonly Finding[] =>
  ZONES.flatMap((zone, index): readonly Finding[] => {
    const text = policy[key][zone];
    const path = [key, zone];
    if (text.startsWith(RESERVED_LABEL_PREFIX)) return [reserved(path, text)];
    const other = ZONES.slice(0, index).find((earlier) => policy[key][earlier] === text);
    if (other === undefined) return [];
    const what = `${quote(text)} is ${other}'s label already`;
    return [{ path, code: "POLICY_SELECTOR_REPEATED", what }];
  });

const holderFindings = ({ docker_authority: authority }: PolicyDocument): readonly Finding[] =>
  authority.allowed_holder_labels.flatMap((text, index) =>
    text.startsWith(RESERVED_LABEL_PREFIX)
      ? [reserved(["docker_authority", "allowed_holder_labels", index], text)]
      : [],
  );

const reserved = (path: UserFinding["path"], text: string): Finding => ({
  path,
  code: "POLICY_SELECTOR_RESERVED",
  what: `${quote(text)}: labels under ${RESERVED_LABEL_PREFIX} are this program's own`,
});

/** A door and the contract that keeps it: neither without the other, and one door only. */
const hostMcpFindings = (policy: PolicyDocument): readonly Finding[] => {
  const doors = policy.guest_publications.filter(({ audience }) => audience === "host-mcp");
  const [door] = doors;
  const isOneTcp = doors.length === 1 && door?.protocol === "tcp";
  if (policy.host_mcp_contract === null ? doors.length === 0 : isOneTcp) return [];
  const what =
    policy.host_mcp_contract === null
      ? "is null, and a host-mcp publication needs a contract"
      : "needs exactly one host-mcp publication, and that on TCP";
  return [{ path: ["host_mcp_contract"], code: "POLICY_HOST_MCP_MISMATCH", what }];
};
