import type { Place } from "./matrix/spellings.js";

const V4 = "93.184.216.34";
const V6 = "2606:2800:220:1:248:1893:25c8:1946";

/** What the laboratory's policy grants, one place for each protocol. */
export const OPAQUE: Place = { host: "api.example.com", port: 9000, v4: V4, v6: V6 };
export const TLS: Place = { host: "api.example.com", port: 443, v4: V4, v6: V6 };
export const WEB: Place = { host: "web.example.com", port: 80, v4: V4, v6: V6 };
/** TLS is terminated there, for rules and a secret. */
export const VAULT: Place = { host: "vault.example.com", port: 8443, v4: V4, v6: V6 };
export const RESOLVER = { address: "9.9.9.9", port: 53 } as const;

/** All that the cells ask for, and not `/private`. */
export const RULES = [
  { methods: ["GET", "POST", "OPTIONS"], path: "/here" },
  { methods: ["GET"], path: "/redirect" },
  { methods: ["GET"], path: "/leak" },
  { methods: ["GET"], path: "/public/" },
];
