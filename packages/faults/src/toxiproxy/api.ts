import { isBrowser } from "./browser.js";
import { ApiError, tooMany } from "./error.js";
import type { Proxies } from "./proxies.js";
import { readBody } from "./read-body.js";

/** The version of Toxiproxy whose API this is. */
export const TOXIPROXY_VERSION = "2.12.0";

export interface ApiRequest {
  readonly method: string;
  /** With its query, which no route looks at. */
  readonly target: string;
  readonly userAgent: string;
  readonly origin: string | null;
  readonly body: Uint8Array;
}

export interface ApiAnswer {
  readonly status: number;
  readonly contentType: string;
  readonly body: string;
}

type Names = readonly [string, string];
type Handler = (names: Names, body: Uint8Array) => unknown;
interface Route {
  readonly path: RegExp;
  readonly methods: Readonly<Record<string, { readonly status: number; readonly handle: Handler }>>;
}

const NAME = "([^/]+)";

/** Toxiproxy's HTTP API, and an answer for everything else. Requests are answered one by one. */
export class Api {
  readonly #routes: readonly Route[];
  #last: Promise<unknown> = Promise.resolve();
  #waiting = 0;

  constructor(proxies: Proxies) {
    this.#routes = routesOf(proxies);
  }

  async answer(request: ApiRequest): Promise<ApiAnswer> {
    if (isBrowser(request)) return text(403, "User agent not allowed\n");
    const found = this.#find(request);
    if ("contentType" in found) return found;
    const { status, handle, names } = found;
    const isPopulate = request.target.startsWith("/populate");
    try {
      const value = await this.#inTurn(() => handle(names, request.body));
      return status === 204 ? { ...text(204, "") } : json(status, value);
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      const { message, status: code } = error;
      const said = { error: message, status: code, ...(isPopulate ? { proxies: null } : {}) };
      return json(code, said);
    }
  }

  #find({ method, target }: ApiRequest) {
    const [path = ""] = target.split("?", 1);
    for (const route of this.#routes) {
      const match = route.path.exec(path);
      if (match === null) continue;
      const names = [decode(match[1] ?? ""), decode(match[2] ?? "")] as const;
      if (names[0] === null || names[1] === null) break;
      const found = Object.hasOwn(route.methods, method) ? route.methods[method] : undefined;
      if (found === undefined) return text(405, "");
      return { status: found.status, handle: found.handle, names: [names[0], names[1]] as Names };
    }
    return text(404, "404 page not found\n");
  }

  /** A proxy that is being started isn't there yet and its name is taken: no two at once. */
  async #inTurn(call: () => unknown): Promise<unknown> {
    if (this.#waiting >= MAX_WAITING) throw tooMany("requests");
    this.#waiting += 1;
    const turn = this.#last.then(call);
    this.#last = turn.catch(() => undefined);
    try {
      return await turn;
    } finally {
      this.#waiting -= 1;
    }
  }
}

/** More than clients that wait for their answers send. */
const MAX_WAITING = 256;

const routesOf = (proxies: Proxies): readonly Route[] => {
  const on = (status: number, handle: Handler) => ({ status, handle });
  const updateProxy = on(200, ([name], body) => proxies.update(name, readBody(body)));
  const updateToxic = on(200, ([name, toxic], body) =>
    proxies.updateToxic(name, toxic, readBody(body)),
  );
  const route = (path: string, methods: Route["methods"]): Route => ({
    path: new RegExp(`^${path}$`),
    methods,
  });
  return [
    route("/version", { GET: on(200, () => ({ version: TOXIPROXY_VERSION })) }),
    route("/reset", { POST: on(204, () => proxies.reset()) }),
    route("/populate", {
      POST: on(201, async (_names, body) => ({ proxies: await proxies.populate(readBody(body)) })),
    }),
    route("/proxies", {
      GET: on(200, () => proxies.all()),
      POST: on(201, (_names, body) => proxies.create(readBody(body))),
    }),
    route(`/proxies/${NAME}`, {
      GET: on(200, ([name]) => proxies.show(name)),
      POST: updateProxy,
      PATCH: updateProxy,
      DELETE: on(204, ([name]) => proxies.remove(name)),
    }),
    route(`/proxies/${NAME}/toxics`, {
      GET: on(200, ([name]) => proxies.toxics(name)),
      POST: on(200, ([name], body) => proxies.addToxic(name, readBody(body))),
    }),
    route(`/proxies/${NAME}/toxics/${NAME}`, {
      GET: on(200, ([name, toxic]) => proxies.toxic(name, toxic)),
      POST: updateToxic,
      PATCH: updateToxic,
      DELETE: on(204, ([name, toxic]) => proxies.removeToxic(name, toxic)),
    }),
  ];
};

const decode = (segment: string): string | null => {
  try {
    return decodeURIComponent(segment);
  } catch {
    // No name is spelled like that: it is the path of nothing.
    return null;
  }
};

const json = (status: number, value: unknown): ApiAnswer => ({
  status,
  contentType: "application/json",
  body: JSON.stringify(value),
});

const text = (status: number, body: string): ApiAnswer => ({
  status,
  contentType: "text/plain; charset=utf-8",
  body,
});
