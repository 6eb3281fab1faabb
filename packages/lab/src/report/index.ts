export { type PlannedCase, type Rehearsed, reasonsOf, titleOf, unplayed } from "./document.js";
export { acceptanceJson } from "./json.js";
export { acceptanceJunit } from "./junit.js";
export { acceptanceMarkdown } from "./markdown.js";
export { type Scan, scanDirectories } from "./scan.js";
export { searchFor, type Withheld } from "./values.js";
