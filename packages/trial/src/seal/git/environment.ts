/** Who git may talk to: nobody, or a remote over the listed protocols. */
export type GitNetwork = "none" | "remote";

/**
 * The whole environment of a git process. It is built from nothing: no variable of the caller
 * reaches git, so `GIT_DIR`, `GIT_CONFIG_PARAMETERS`, `GIT_EXTERNAL_DIFF`, `GIT_SSH_COMMAND` and
 * the ones future versions invent are without effect. See git(1), "Environment Variables".
 */
export const gitEnvironment = (network: GitNetwork): Readonly<Record<string, string>> => ({
  PATH: "/usr/bin:/bin",
  LC_ALL: "C",
  HOME: "/nonexistent",
  GIT_CONFIG_NOSYSTEM: "1",
  GIT_CONFIG_SYSTEM: "/dev/null",
  GIT_CONFIG_GLOBAL: "/dev/null",
  GIT_ATTR_NOSYSTEM: "1",
  GIT_NO_REPLACE_OBJECTS: "1",
  GIT_OPTIONAL_LOCKS: "0",
  GIT_TERMINAL_PROMPT: "0",
  GIT_PROTOCOL_FROM_USER: "0",
  GIT_ALLOW_PROTOCOL: network === "remote" ? "https:http" : "",
});
