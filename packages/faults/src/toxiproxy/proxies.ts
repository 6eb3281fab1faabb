import { isDrydockError } from "@drydock/evidence";
import type { Toxic } from "../stream/link.js";
import { type Shared, TcpProxy } from "../stream/proxy.js";
import { DIRECTIONS, type Direction } from "../stream/toxics/index.js";
import { formatAddress, listenAddress, type Reach, upstreamAddress } from "./address.js";
import {
  ApiError,
  badBody,
  invalidStream,
  invalidToxicType,
  missingField,
  proxyExists,
  proxyNotFound,
  tooMany,
  toxicExists,
  toxicNotFound,
} from "./error.js";
import { MAX_PROXIES, MAX_TOXICS } from "./limits.js";
import {
  isToxicType,
  type ProxyInput,
  parseEffect,
  parseProxies,
  parseProxy,
  parseToxic,
} from "./schema.js";

/** In the order in which Toxiproxy prints them, as all here. */
export interface ToxicView {
  readonly attributes: object;
  readonly name: string;
  readonly type: string;
  readonly stream: Direction;
  readonly toxicity: number;
}

export interface ProxyView {
  readonly name: string;
  readonly listen: string;
  readonly upstream: string;
  readonly enabled: boolean;
  readonly toxics: readonly ToxicView[];
}

interface Proxy {
  readonly name: string;
  listen: string;
  upstream: string;
  enabled: boolean;
  readonly tcp: TcpProxy;
  readonly toxics: { readonly direction: Direction; toxic: Toxic }[];
}

/** The proxies of one Toxiproxy. Changes have to be asked for one after the other. */
export class Proxies {
  readonly #proxies = new Map<string, Proxy>();
  readonly #shared: Shared;
  readonly #reach: Reach;

  constructor(shared: Shared, reach: Reach) {
    this.#shared = shared;
    this.#reach = reach;
  }

  all(): Readonly<Record<string, ProxyView>> {
    return Object.fromEntries([...this.#proxies].map(([name, proxy]) => [name, viewOf(proxy)]));
  }

  show(name: string): ProxyView {
    return viewOf(this.#find(name));
  }

  async create(body: unknown): Promise<ProxyView> {
    const input = parseProxy(body);
    const { name, upstream } = this.#required(input, "");
    if (this.#proxies.has(name)) throw proxyExists();
    return viewOf(await this.#add(name, upstream, input));
  }

  /**
   * Creates those that aren't there, and replaces those that listen elsewhere or have another
   * upstream; the others stay as they are, with their toxics. Nothing is done unless all of it is
   * well-formed.
   */
  async populate(body: unknown): Promise<readonly ProxyView[]> {
    const inputs = parseProxies(body);
    const names = new Set<string>();
    for (const [at, input] of inputs.entries()) {
      const { name } = this.#required(input, ` at proxy ${at + 1}`);
      if (names.has(name)) throw badBody(`duplicate proxy name ${JSON.stringify(name)}`);
      names.add(name);
    }
    const views: ProxyView[] = [];
    for (const input of inputs) {
      const { name, upstream } = this.#required(input, "");
      const existing = this.#proxies.get(name);
      if (existing !== undefined && this.#isSame(existing, input)) {
        views.push(viewOf(existing));
        continue;
      }
      if (existing !== undefined) await this.remove(name);
      views.push(viewOf(await this.#add(name, upstream, input)));
    }
    return views;
  }

  async update(name: string, body: unknown): Promise<ProxyView> {
    const proxy = this.#find(name);
    const input = parseProxy(body);
    const listen = input.listen ?? proxy.listen;
    const upstream = input.upstream ?? proxy.upstream;
    const enabled = input.enabled ?? proxy.enabled;
    listenAddress(listen, this.#reach);
    upstreamAddress(upstream, this.#reach);
    if (listen !== proxy.listen || upstream !== proxy.upstream) {
      await this.#stop(proxy);
      proxy.listen = listen;
      proxy.upstream = upstream;
    }
    if (enabled && !proxy.enabled) await this.#start(proxy);
    if (!enabled) await this.#stop(proxy);
    return viewOf(proxy);
  }

  async remove(name: string): Promise<void> {
    const proxy = this.#find(name);
    this.#proxies.delete(name);
    await this.#stop(proxy);
  }

  /** Enables every proxy and takes every toxic away. */
  async reset(): Promise<void> {
    for (const proxy of this.#proxies.values()) {
      if (!proxy.enabled) await this.#start(proxy);
      proxy.toxics.length = 0;
      proxy.tcp.clear();
    }
  }

  async close(): Promise<void> {
    for (const name of [...this.#proxies.keys()]) await this.remove(name);
  }

  toxics(name: string): readonly ToxicView[] {
    return viewOf(this.#find(name)).toxics;
  }

  toxic(name: string, toxic: string): ToxicView {
    return toxicView(findToxic(this.#find(name), toxic));
  }

  addToxic(name: string, body: unknown): ToxicView {
    const proxy = this.#find(name);
    const input = parseToxic(body);
    const stream = input.stream ?? "downstream";
    const direction = DIRECTIONS.find((one) => one === stream);
    if (direction === undefined) throw invalidStream();
    const type = input.type ?? "";
    if (!isToxicType(type)) throw invalidToxicType();
    // An empty name counts as none.
    const called = input.name || `${type}_${stream}`;
    if (proxy.toxics.some(({ toxic }) => toxic.name === called)) throw toxicExists();
    if (proxy.toxics.length >= MAX_TOXICS) throw tooMany("toxics");
    const effect = parseEffect(type, input.attributes);
    const toxic = { name: called, toxicity: input.toxicity ?? 1, effect };
    const entry = { direction, toxic };
    proxy.toxics.push(entry);
    proxy.tcp.add(direction, toxic);
    return toxicView(entry);
  }

  /** Attributes and share only; its name, type and stream stay. */
  updateToxic(name: string, toxic: string, body: unknown): ToxicView {
    const proxy = this.#find(name);
    const entry = findToxic(proxy, toxic);
    const input = parseToxic(body);
    const { type, attributes } = entry.toxic.effect;
    const effect = parseEffect(type, input.attributes, attributes);
    entry.toxic = { ...entry.toxic, toxicity: input.toxicity ?? entry.toxic.toxicity, effect };
    proxy.tcp.update(entry.direction, entry.toxic);
    return toxicView(entry);
  }

  removeToxic(name: string, toxic: string): void {
    const proxy = this.#find(name);
    const entry = findToxic(proxy, toxic);
    proxy.toxics.splice(proxy.toxics.indexOf(entry), 1);
    proxy.tcp.remove(entry.direction, toxic);
  }

  #find(name: string): Proxy {
    const proxy = this.#proxies.get(name);
    if (proxy === undefined) throw proxyNotFound();
    return proxy;
  }

  #required(input: ProxyInput, place: string): { name: string; upstream: string } {
    const { name, upstream } = input;
    if (!name) throw missingField(`name${place}`);
    if (!upstream) throw missingField(`upstream${place}`);
    listenAddress(input.listen ?? "", this.#reach);
    upstreamAddress(upstream, this.#reach);
    return { name, upstream };
  }

  #isSame(proxy: Proxy, input: ProxyInput): boolean {
    const listen = formatAddress(listenAddress(input.listen ?? "", this.#reach));
    return listen === proxy.listen && input.upstream === proxy.upstream;
  }

  async #add(name: string, upstream: string, input: ProxyInput): Promise<Proxy> {
    if (this.#proxies.size >= MAX_PROXIES) throw tooMany("proxies");
    const tcp = new TcpProxy(name, this.#shared);
    const listen = input.listen ?? "";
    const proxy: Proxy = { name, listen, upstream, enabled: false, tcp, toxics: [] };
    if (input.enabled ?? true) await this.#start(proxy);
    this.#proxies.set(name, proxy);
    return proxy;
  }

  async #start(proxy: Proxy): Promise<void> {
    const listen = listenAddress(proxy.listen, this.#reach);
    try {
      const upstream = upstreamAddress(proxy.upstream, this.#reach);
      proxy.listen = formatAddress(await proxy.tcp.start(listen, upstream));
    } catch (error) {
      if (!isDrydockError(error)) throw error;
      throw new ApiError(500, `listen tcp ${formatAddress(listen)}: ${causeOf(error)}`);
    }
    proxy.enabled = true;
  }

  async #stop(proxy: Proxy): Promise<void> {
    proxy.enabled = false;
    await proxy.tcp.stop();
  }
}

const CAUSES: Readonly<Record<string, string>> = {
  EADDRINUSE: "bind: address already in use",
  EACCES: "bind: permission denied",
  EADDRNOTAVAIL: "bind: cannot assign requested address",
};

const causeOf = (error: Error): string => {
  const code = error.cause instanceof Error ? Reflect.get(error.cause, "code") : undefined;
  return CAUSES[String(code)] ?? "bind: failed";
};

const findToxic = (proxy: Proxy, name: string): Proxy["toxics"][number] => {
  const entry = proxy.toxics.find(({ toxic }) => toxic.name === name);
  if (entry === undefined) throw toxicNotFound();
  return entry;
};

const viewOf = ({ name, listen, upstream, enabled, toxics }: Proxy): ProxyView => ({
  ...{ name, listen, upstream, enabled },
  toxics: DIRECTIONS.flatMap((direction) =>
    toxics.filter((entry) => entry.direction === direction).map(toxicView),
  ),
});

const toxicView = ({ direction, toxic }: Proxy["toxics"][number]): ToxicView => ({
  attributes: toxic.effect.attributes,
  name: toxic.name,
  type: toxic.effect.type,
  stream: direction,
  toxicity: toxic.toxicity,
});
