export {
  MAX_USER_FILE_BYTES,
  readUserFile,
  type UserFile,
  type UserFileOptions,
  type UserFinding,
} from "./user-file.js";
