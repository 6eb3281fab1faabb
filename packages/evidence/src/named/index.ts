export { MAX_NAMED_FILE_BYTES, type NamedFileOptions, readNamedFile } from "./named-file.js";
