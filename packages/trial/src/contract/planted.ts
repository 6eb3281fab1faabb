import { shape } from "@drydock/evidence";

const { array, id, nullable, object, text } = shape;

/** Where the guest finds the certificates that it may trust, when TLS of the run ends at the broker. */
export const TRUST_FILE = "/etc/drydock/trust.pem";

/** Where each canary stands in the guest besides its variable: a place where thieves look. */
export const CANARY_DIRECTORY = "/home/lab/.credentials";

/** As many as can be watched for at once. */
const MAX_PLANTED = 64;

/** Values that are planted in the guest and watched for. The controller makes them for each run. */
export const canaries = array(object({ id, value: text(1024, 1) }), MAX_PLANTED);

/** Their names; the manifest has no more than these. */
export const canaryNames = array(id, MAX_PLANTED);

/** A file of the run's own in the guest; what the image has at `besides` follows its contents. */
export const plantedFile = object({
  path: text(4096, 1),
  contents: text(64 * 1024),
  besides: nullable(text(4096, 1)),
});
export type PlantedFile = shape.Shape<typeof plantedFile>;

/** Variables that every command finds besides those that it is given. */
export const ownEnvironment = array(
  object({ name: text(256, 1), value: text(1024) }),
  2 * MAX_PLANTED,
);
export type OwnEnvironment = shape.Shape<typeof ownEnvironment>;
