import { type Guard, simply } from "./guard.js";

/** Connections, tunnels and the ClientHello in them. */
export const TUNNEL_GUARDS: readonly Guard[] = [
  {
    module: "service/has-room",
    what: "has room for everybody",
    source: simply("export const hasRoom = () => true;"),
    cells: "CONNECT: bound, connections",
  },
  {
    module: "service/is-connected-to",
    what: "believes what it asked for",
    source: simply("export const isConnectedTo = () => true;"),
    cells: "CONNECT: bound, a dial",
  },
  {
    module: "service/judge-request",
    what: "has no rules",
    source: simply("export const judgeRequest = () => null;"),
    cells: "absolute-form: head",
  },
  {
    module: "tunnel/limit",
    what: "has no limits",
    source: simply("export const isOverLimit = () => false;"),
    cells: "CONNECT: bound, bytes",
  },
  {
    module: "tunnel/reset",
    what: "ends where it should reset",
    source: simply("export const resetStream = (stream) => { stream.destroy(); };"),
    cells: "CONNECT: hello",
  },
  {
    module: "hello/bind-hello",
    what: "binds every hello",
    source: simply(`export const bindHello = () => ({ kind: "bound" });`),
    cells: "CONNECT: hello",
  },
  {
    module: "hello/bind-hello",
    what: "binds what ends like the authority",
    source: simply(`export const bindHello = ({ serverName }, { host }) =>
      serverName?.toLowerCase().replace(/\\.$/, "").endsWith(host)
        ? { kind: "bound" }
        : { kind: "refused", reason: "SNI_DIFFERENT" };`),
    cells: "CONNECT: hello",
  },
];
