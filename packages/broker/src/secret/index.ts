export type { Fields } from "./fields.js";
export { readSecretFile } from "./file.js";
export { parseSecretFlag, parseSecretFlags, type SecretFlag } from "./flag.js";
export { checkSecretsGranted } from "./granted.js";
export { DEFAULT_SECRET_HEADERS } from "./headers.js";
export { createInspections, type Inspection, secretOfSighting } from "./inspection.js";
export { type Placement, placeSecrets } from "./place.js";
export { createSecret, type Secret, type SecretOptions, secretEnvironment } from "./secret.js";
export { readSecretValue } from "./value.js";
