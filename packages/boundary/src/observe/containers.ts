import type { ApplianceAim, Seen } from "../realise/index.js";

/**
 * Guard: containers that bear a boundary's names and weren't made for it. One that was put in
 * another's place has its name; what it was made of is what differs.
 */
export const differentContainers = (
  { desired }: Pick<ApplianceAim, "desired">,
  { containers }: Pick<Seen, "containers">,
): { readonly differentImages: readonly string[]; readonly strangers: readonly string[] } => {
  const pairs = [...desired.anchors, ...desired.nodes].flatMap((wanted) => {
    const found = containers.find(({ name }) => name === wanted.name);
    return found === undefined ? [] : [{ wanted, found }];
  });
  return {
    differentImages: pairs
      .filter(({ wanted, found }) => wanted.image !== found.image)
      .map(({ wanted }) => wanted.name),
    strangers: pairs
      .filter(({ wanted, found }) =>
        Object.entries(wanted.labels).some(([key, value]) => found.labels[key] !== value),
      )
      .map(({ wanted }) => `${wanted.name}: not the container that was made`),
  };
};
