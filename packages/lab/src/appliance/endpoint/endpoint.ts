import type { Model } from "../field/index.js";
import type { Door } from "../request/index.js";
import type { Handler } from "./handler.js";
import { deleteMany, readMany, replaceAll } from "./many.js";
import { type CreateOptions, createOne, deleteOne, readOne, updateOne } from "./single.js";

export type Method = "GET" | "POST" | "PATCH" | "PUT" | "DELETE";

export interface Endpoint extends Door {
  readonly methods: readonly Method[];
  readonly handlers: Readonly<Partial<Record<Method, Handler>>>;
}

type Handlers = Endpoint["handlers"];

export const endpoint = (
  path: string,
  handlers: Handlers,
  options: Partial<Pick<Door, "many" | "authMethods">> = {},
): Endpoint => ({
  path: `/api/v2${path}`,
  methods: Object.keys(handlers) as Method[],
  many: false,
  authMethods: null,
  ...options,
  handlers,
});

/** The two endpoints of a list: of one object, and of all of them. */
export const endpointsOf = (
  model: Model,
  one: string,
  all: string,
  creation: CreateOptions = {},
): readonly Endpoint[] => [
  endpoint(one, {
    GET: readOne(model),
    POST: createOne(model, creation),
    PATCH: updateOne(model),
    DELETE: deleteOne(model),
  }),
  endpoint(
    all,
    { GET: readMany(model), PUT: replaceAll(model), DELETE: deleteMany(model) },
    { many: true },
  ),
];
