export { MAX_USER_FILE_BYTES, readUserFile, type UserFile } from "./user-file.js";
