import { refuseValue } from "../answer/index.js";
import { integer, type Model, remark, subnet, text } from "../field/index.js";

/** Which clients may use the API at all; the first entry that is about one decides. */
export const accessListModel: Model = {
  list: "accessList",
  names: ["REST API Access List Entry", "REST API Access List Entries"],
  subsystem: null,
  minimum: 1,
  sortBy: "weight",
  fields: [
    text("type", { fallback: "allow", choices: ["allow", "deny"] }),
    integer("weight", { fallback: 1, range: [0, 100] }),
    subnet("network", { alias: false, families: [4, 6] }, { required: true }),
    text("users", {
      fallback: [],
      allowEmpty: true,
      many: { delimiter: ",", minimum: 0 },
      check: (name, { configuration }) => {
        if (!configuration.users.some((user) => user["name"] === name)) {
          refuseValue("FOREIGN_MODEL_FIELD_VALUE_NOT_FOUND", `No user \`${name}\` exists.`);
        }
      },
    }),
    // There are no schedules here.
    text("sched", { fallback: "", allowEmpty: true, choices: [""] }),
    remark("descr", { maxLength: 256 }),
  ],
};
