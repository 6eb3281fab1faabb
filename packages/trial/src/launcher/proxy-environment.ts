import { PROXY_HOST, PROXY_PORT } from "@drydock/wire";

const URL = `http://${PROXY_HOST}:${PROXY_PORT}`;

/**
 * What programs look at to find a proxy. curl reads `http_proxy` in lower case only, others read the
 * upper-case names; npm has settings of its own; NODE_USE_ENV_PROXY makes fetch of Node 22.21, 24 and
 * later look at the rest. NO_PROXY is empty, because nothing is reached without the proxy.
 */
export const PROXY_ENVIRONMENT: Readonly<Record<string, string>> = {
  HTTP_PROXY: URL,
  HTTPS_PROXY: URL,
  ALL_PROXY: URL,
  http_proxy: URL,
  https_proxy: URL,
  all_proxy: URL,
  NO_PROXY: "",
  no_proxy: "",
  npm_config_proxy: URL,
  npm_config_https_proxy: URL,
  NODE_USE_ENV_PROXY: "1",
};
