import { refuse, refuseValue } from "../answer/index.js";
import type { Stored } from "../configuration/index.js";
import { flag, integer, type Model, remark, text } from "../field/index.js";
import { hashPassword, isHashedPassword } from "./password.js";

const DATE = /^(0[1-9]|1[0-2])\/(0[1-9]|[12][0-9]|3[01])\/[0-9]{4}$/;
const MAX_USERNAME_BYTES = 32;

/** @param isPrivilege whether the appliance knows one of that name */
export const userModel = (isPrivilege: (name: string) => boolean): Model => ({
  list: "users",
  names: ["User", "Users"],
  subsystem: null,
  alwaysApply: true,
  fields: [
    text("name", {
      required: true,
      unique: true,
      maxLength: MAX_USERNAME_BYTES,
      check: (name) => {
        if (!/^[a-zA-Z0-9._-]+$/.test(name)) {
          refuseValue("REGEX_VALIDATOR_FAILED", "Value contains invalid characters.");
        }
      },
    }),
    text("password", { required: true, sensitive: true }),
    integer("uid", {
      automatic: { renewed: false, value: ({ configuration }) => configuration.system.nextUid },
    }),
    text("scope", { automatic: { renewed: false, value: () => "user" } }),
    text("priv", {
      fallback: [],
      allowEmpty: true,
      many: { delimiter: null, minimum: 0 },
      verify: (priv) => {
        if (!isPrivilege(String(priv))) {
          refuse(
            404,
            "USER_PRIV_NOT_FOUND",
            `Field \`priv\` contains unknown privilege \`${String(priv)}\``,
          );
        }
      },
    }),
    flag("disabled", false),
    remark("descr"),
    text("expires", {
      fallback: "",
      allowEmpty: true,
      check: (date) => {
        if (!DATE.test(date)) {
          refuseValue(
            "DATETIME_FIELD_MUST_MATCH_FORMAT",
            "Field `expires` must be in format `m/d/Y`.",
          );
        }
      },
    }),
  ],
  finish: (object, { initial, entropy }) => {
    const password = String(object["password"]);
    const kept = initial?.["password"] === password && isHashedPassword(password);
    return kept ? object : { ...object, password: hashPassword(password, entropy) };
  },
  mayDelete: (user: Stored) => {
    if (user["scope"] !== "user") {
      refuseValue(
        "USER_WITH_SYSTEM_SCOPE_CANNOT_BE_DELETED",
        `System user \`${String(user["name"])}\` cannot be deleted.`,
      );
    }
  },
});
