import type { Link } from "../engine/index.js";
import type { GateFinding } from "../gate/index.js";
import type { ResidentKernel } from "../kernel/index.js";
import { compareSettings, describeDifference } from "../readback/index.js";
import { type ApplianceAim, type Seen, settingsFor } from "../realise/index.js";

/**
 * What nobody tells of, and takes no program to look at: settings, and IPv6 on a bridge of the
 * boundary's or in a container of its.
 *
 * @returns [] when all is well
 * @throws DrydockError IP_ANSWER, TOOL_…
 */
export const glance = async (
  aim: ApplianceAim,
  seen: Pick<Seen, "containers"> | null,
  kernel: Pick<ResidentKernel, "settings" | "links" | "hasIpv6">,
): Promise<readonly GateFinding[]> => {
  const settings = settingsFor(aim);
  const [observed, links] = await Promise.all([
    kernel.settings(settings.map(({ name }) => name)),
    kernel.links(),
  ]);
  return [
    ...compareSettings(settings, observed).map((difference) => ({
      code: "boundary.guest-readback-difference" as const,
      about: describeDifference(difference),
    })),
    ...(hasIpv6(aim, seen, links, kernel) ? [IPV6] : []),
  ];
};

const IPV6: GateFinding = { code: "boundary.guest-binding-refused", about: "BIND_IPV6" };

const hasIpv6 = (
  { desired }: ApplianceAim,
  seen: Pick<Seen, "containers"> | null,
  links: readonly Link[],
  kernel: Pick<ResidentKernel, "hasIpv6">,
): boolean => {
  const bridges = new Set(desired.networks.map(({ spec }) => spec.bridge));
  const names = new Set([...desired.anchors, ...desired.nodes].map(({ name }) => name));
  return (
    links.some((link) => link.hasIpv6 && bridges.has(link.name)) ||
    (seen?.containers ?? []).some(
      ({ name, pid }) => names.has(name) && pid !== null && kernel.hasIpv6(pid),
    )
  );
};
