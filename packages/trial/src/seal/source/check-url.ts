import { sealError } from "../errors.js";
import { display } from "../names/display.js";

const MAX_URL_BYTES = 2048;
const SCHEME = /^([A-Za-z][A-Za-z0-9+.-]*):/;
const HOST = /^(?:[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?|\[[0-9a-f:.]+\])$/;

/** Does the argument try to be a URL or one of git's remote-helper or scp-like forms? */
export const looksLikeUrl = (argument: string): boolean =>
  SCHEME.test(argument) || /^[^/]+@[^/]+:/.test(argument);

/**
 * Checks a git URL and returns it in the one spelling that is fetched and recorded.
 *
 * Only HTTP(S) is allowed: `ssh` would need the operator's key, `file` reads a repository with its
 * configuration, and `ext::` runs a command.
 *
 * @throws SOURCE_PROTOCOL, SOURCE_CREDENTIALS, SOURCE_ARGUMENT
 */
export const checkGitUrl = (argument: string): string => {
  const scheme = SCHEME.exec(argument)?.[1]?.toLowerCase();
  if ((scheme !== "https" && scheme !== "http") || /^[^/]*::/.test(argument)) {
    throw sealError(
      "SOURCE_PROTOCOL",
      `git URL of a protocol that is not allowed: ${shown(argument)}`,
      {
        fix: "give an https URL, or clone it yourself and give the directory",
      },
    );
  }
  if (Buffer.byteLength(argument) > MAX_URL_BYTES || !URL.canParse(argument)) {
    throw malformed(argument);
  }
  const url = new URL(argument);
  if (url.username !== "" || url.password !== "" || /^[^/]*:\/\/[^/]*@/.test(argument)) {
    throw sealError(
      "SOURCE_CREDENTIALS",
      `the URL carries a user name or password: ${shown(argument)}`,
      {
        fix: "clone it yourself and give the directory; no credential enters Drydock",
      },
    );
  }
  const plain = /^[\x21-\x7e]+$/.test(argument) && url.search === "" && url.hash === "";
  if (!plain || !HOST.test(url.hostname) || url.pathname === "/") throw malformed(argument);
  return `${url.protocol}//${url.host}${url.pathname.replace(/\/+$/, "")}`;
};

/**
 * The address of a remote in a form that may be published: without credentials, host in lower
 * case, scp-like forms as ssh URLs. Undefined when it names no host (a path, say).
 */
export const normaliseRemote = (remote: string): string | undefined => {
  const scp = /^(?:[^/:@]+@)?([A-Za-z0-9.-]+):(?!\/\/)\/*([^:]+)$/.exec(remote);
  const address = scp === null ? remote : `ssh://${scp[1]}/${scp[2]}`;
  if (Buffer.byteLength(address) > MAX_URL_BYTES || !URL.canParse(address)) return undefined;
  const url = new URL(address);
  if (!["https:", "http:", "ssh:", "git:"].includes(url.protocol)) return undefined;
  if (url.hostname === "") return undefined;
  return `${url.protocol}//${url.host.toLowerCase()}${url.pathname.replace(/\/+$/, "")}`;
};

/** Error texts reach logs, so a password in the argument must not. */
const shown = (argument: string): string => display(argument.replace(/\/\/[^/@]*@/, "//…@"));

const malformed = (argument: string): Error =>
  sealError("SOURCE_ARGUMENT", `not a git URL: ${shown(argument)}`, {
    fix: "give https://HOST/PATH without query or fragment",
  });
