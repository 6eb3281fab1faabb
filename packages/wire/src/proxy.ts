/** Where programs in a guest find the broker, once a channel to it was granted. */
export const PROXY_HOST = "127.0.0.1";
/** What proxies usually listen on. */
export const PROXY_PORT = 3128;
