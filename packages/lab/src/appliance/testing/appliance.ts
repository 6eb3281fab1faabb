import assert from "node:assert/strict";
import type { JsonObject, JsonValue } from "@drydock/evidence";
import { keysOf, usersOf } from "../accounts.js";
import type { ApiAnswer } from "../answer/index.js";
import type { Appliance, Configuration } from "../configuration/index.js";
import { factoryConfiguration } from "../configuration/index.js";
import type { ApiCall } from "../request/index.js";
import { step } from "../step.js";

export const ADMIN = { name: "admin", password: "admin-password-of-the-test" };
export const ADMIN_KEY = "aa".repeat(24);
export const NOW = Date.UTC(2026, 10, 30, 12) / 1000;
export const SERVER = "192.0.2.10";
export const CLIENT = "192.0.2.1";

/** Bytes that are different each time, and the same in every run. */
const entropyOf = (number: number): Uint8Array =>
  Uint8Array.from({ length: 64 }, (_, index) => (number * 31 + index * 7) % 256);

interface Answer {
  readonly status: number;
  readonly id: string;
  readonly message: string;
  readonly data: JsonValue;
  readonly fields: Readonly<Record<string, string>>;
}

export interface Sent {
  /** JSON body; for GET and DELETE the query is used. */
  readonly body?: JsonValue;
  readonly query?: string;
  readonly fields?: Readonly<Record<string, string>>;
  readonly raw?: Uint8Array;
  readonly clientAddress?: string;
  readonly serverAddress?: string;
}

export const basic = ({ name, password }: { name: string; password: string }) => ({
  authorization: `Basic ${Buffer.from(`${name}:${password}`).toString("base64")}`,
});

/** One appliance that is asked, in memory, by an administrator unless said otherwise. */
export class TestAppliance {
  state: Appliance;
  seconds = NOW;
  #count = 0;

  constructor(behaviour: Partial<Appliance["behaviour"]> = {}) {
    const accounts = [{ ...ADMIN, privileges: ["page-all"], keys: [ADMIN_KEY] }];
    this.state = {
      behaviour: { apiVersion: "2.10.0", keysExpireWithUser: false, ...behaviour },
      configuration: factoryConfiguration({
        address: SERVER,
        serverKey: "5e".repeat(32),
        users: usersOf(accounts, entropyOf),
        keys: keysOf(accounts),
      }),
      history: [],
      pending: [],
      writeLocked: false,
    };
  }

  /** The answer, the next state being kept. */
  send(method: string, path: string, sent: Sent = {}): Answer {
    const answered = this.raw(method, path, sent);
    assert.ok(answered !== null, `nothing at ${path}`);
    const { status, fields, body } = answered;
    assert.equal(body["code"], status);
    return {
      status,
      fields,
      id: String(body["response_id"]),
      message: String(body["message"]),
      data: body["data"] ?? null,
    };
  }

  /** As a client gets it. */
  raw(method: string, path: string, sent: Sent = {}): ApiAnswer | null {
    const next = step(this.state, { kind: "request", call: this.#call(method, path, sent) });
    this.state = next.appliance;
    return next.answer;
  }

  /** The data of a request that has to succeed. */
  ok(method: string, path: string, sent: Sent = {}): JsonValue {
    const { status, id, message, data } = this.send(method, path, sent);
    assert.equal(status, 200, `${method} ${path}: ${id}: ${message}`);
    return data;
  }

  /** Status and response id. */
  outcome(method: string, path: string, sent: Sent = {}): string {
    const { status, id } = this.send(method, path, sent);
    return `${status} ${id}`;
  }

  list(path: string, query = ""): readonly JsonObject[] {
    return this.ok("GET", path, { query }) as readonly JsonObject[];
  }

  set(change: Partial<Configuration>): void {
    this.state = { ...this.state, configuration: { ...this.state.configuration, ...change } };
  }

  #call(method: string, path: string, sent: Sent): ApiCall {
    this.#count += 1;
    const { body, query = "", raw, clientAddress = CLIENT, serverAddress = SERVER } = sent;
    const bytes = body === undefined ? new Uint8Array() : Buffer.from(JSON.stringify(body));
    return {
      method,
      path: `/api/v2${path}`,
      query,
      fields: { "x-api-key": ADMIN_KEY, ...sent.fields },
      body: raw ?? bytes,
      clientAddress,
      serverAddress,
      seconds: this.seconds,
      entropy: entropyOf(this.#count),
    };
  }
}

export const alias = (name: string, more: JsonObject = {}): JsonObject => ({
  name,
  type: "host",
  descr: `about ${name}`,
  address: ["192.0.2.77"],
  detail: ["one"],
  ...more,
});
