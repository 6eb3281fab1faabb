// Writes the bypass matrix into docs/egress.md, from the data that its tests run: after a build.
import { readFileSync, writeFileSync } from "node:fs";
import { withMatrix } from "../packages/broker/dist/testing/laboratory/page.js";

const PAGE = new URL("../docs/egress.md", import.meta.url);
writeFileSync(PAGE, withMatrix(readFileSync(PAGE, "utf8")));
