import { register } from "node:module";

// Where the environment isn't handed on, swaps come in the very argument that loads this module.
const swaps =
  new URL(import.meta.url).searchParams.get("swaps") ?? process.env["DRYDOCK_TEST_SWAPS"] ?? "[]";

register("./hooks.js", import.meta.url, { data: swaps });
