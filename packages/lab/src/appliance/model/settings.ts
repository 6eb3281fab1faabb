import { type Field, flag, integer, interfaceName, text } from "../field/index.js";

/** How a client can prove who it is. */
export const AUTH_METHODS = ["BasicAuth", "KeyAuth", "JWTAuth"] as const;
export type AuthMethod = (typeof AUTH_METHODS)[number];

/** Settings of the API itself. There is one object of these, without an id. */
export const settingsFields: readonly Field[] = [
  flag("enabled", true),
  flag("read_only", false),
  flag("keep_backup", true),
  flag("login_protection", true),
  flag("log_successful_auth", false),
  text("log_level", {
    fallback: "LOG_WARNING",
    choices: [
      "LOG_DEBUG",
      "LOG_INFO",
      "LOG_NOTICE",
      "LOG_WARNING",
      "LOG_ERR",
      "LOG_CRIT",
      "LOG_ALERT",
      "LOG_EMERG",
    ],
  }),
  flag("allow_pre_releases", false),
  // Links in answers, and interfaces under another name, are two things that this stand-in hasn't.
  { ...flag("hateoas", false), choices: [false] },
  flag("expose_sensitive_fields", false, { choices: [false] }),
  interfaceName("allowed_interfaces", {
    fallback: [],
    allowEmpty: true,
    many: { delimiter: ",", minimum: 0 },
  }),
  text("represent_interfaces_as", { fallback: "descr", choices: ["descr"] }),
  text("auth_methods", {
    fallback: ["BasicAuth"],
    many: { delimiter: ",", minimum: 1 },
    choices: AUTH_METHODS,
  }),
  integer("jwt_exp", { fallback: 3600, range: [300, 86_400] }),
];

export const outboundModeFields: readonly Field[] = [
  text("mode", { required: true, choices: ["automatic", "hybrid", "advanced", "disabled"] }),
];
