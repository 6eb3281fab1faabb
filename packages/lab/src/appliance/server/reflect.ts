/**
 * @peculiar/x509 is built on tsyringe, which refuses to load without the metadata proposal's
 * functions on `Reflect`. These are the three that it calls; the usual polyfill is four times the
 * code, and one more package to trust in the process that holds the run's secrets.
 */
const metadata = new WeakMap<object, Map<unknown, unknown>>();

const getOwnMetadata = (key: unknown, target: object): unknown => metadata.get(target)?.get(key);

const getMetadata = (key: unknown, target: object): unknown => {
  for (let at: object | null = target; at !== null; at = Object.getPrototypeOf(at)) {
    const value = getOwnMetadata(key, at);
    if (value !== undefined) return value;
  }
  return undefined;
};

const defineMetadata = (key: unknown, value: unknown, target: object): void => {
  const known = metadata.get(target) ?? new Map<unknown, unknown>();
  metadata.set(target, known.set(key, value));
};

for (const [name, value] of Object.entries({ defineMetadata, getMetadata, getOwnMetadata })) {
  if (!(name in Reflect)) Object.defineProperty(Reflect, name, { value });
}
