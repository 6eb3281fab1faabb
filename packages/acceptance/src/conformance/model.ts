import type { JsonObject, JsonValue } from "@drydock/evidence";
import type {
  ApiPath,
  ApplianceRequest,
  EndpointSymbol,
  ReadAnswer,
  ReadClient,
  SendOutcome,
  WriteClient,
} from "../client/index.js";

/** An appliance as far as one adapter sees it. */
export type ApplianceModel =
  /**
   * A list whose objects have their place in it as `id`, given out anew when it changes. PATCH and
   * DELETE take the object by `id`; PATCH merges what it knows.
   */
  | {
      readonly kind: "collection";
      readonly endpoint: EndpointSymbol;
      readonly readPath: ApiPath;
      /** Without `id`. */
      readonly objects: readonly JsonObject[];
      /** The key by which an object is known to its owner. */
      readonly nameKey: string;
    }
  /** One object that is always there. PUT replaces it, PATCH merges. */
  | {
      readonly kind: "singleton";
      readonly endpoint: EndpointSymbol;
      readonly readPath: ApiPath;
      readonly object: JsonObject;
    };

/** Keys of a request that say how it is to be done and are no field. */
const CONTROLS: ReadonlySet<string> = new Set(["id", "apply"]);

/** The model at work: it answers as pfSense's REST API does, and remembers nothing but its state. */
export class MemoryAppliance implements ReadClient, WriteClient {
  readonly model: ApplianceModel;
  objects: JsonObject[];
  /** In the order in which they came. */
  readonly reads: string[] = [];
  readonly writes: ApplianceRequest[] = [];
  /** Between what an object is and what is answered. */
  disguise: (object: JsonObject) => JsonValue = (object) => object;
  /** Between the answer and its reader. */
  distort: (answer: ReadAnswer) => ReadAnswer = (answer) => answer;

  constructor(model: ApplianceModel) {
    this.model = model;
    this.objects = model.kind === "collection" ? [...model.objects] : [model.object];
  }

  get(path: ApiPath): Promise<ReadAnswer> {
    this.reads.push(path);
    if (path !== this.model.readPath) return Promise.resolve(this.distort(failure(404)));
    if (this.model.kind === "collection") {
      return Promise.resolve(this.distort(success(this.objects.map((_, id) => this.#shown(id)))));
    }
    return Promise.resolve(
      this.distort(this.objects.length === 0 ? failure(404) : success(this.#shown(0))),
    );
  }

  send(request: ApplianceRequest): Promise<SendOutcome> {
    this.writes.push(request);
    return Promise.resolve({ kind: "answered", ...this.apply(request) });
  }

  apply({ method, endpoint, body }: ApplianceRequest): ReadAnswer {
    const id = this.model.kind === "collection" ? body["id"] : 0;
    if (endpoint !== this.model.endpoint || typeof id !== "number") return failure(400);
    const before = this.objects[id];
    if (before === undefined) return failure(404);
    const given = Object.entries(body).filter(([key]) => !CONTROLS.has(key));
    switch (method) {
      case "PATCH": {
        const known = given.filter(([key]) => Object.hasOwn(before, key));
        this.objects[id] = { ...before, ...Object.fromEntries(known) };
        return success(this.#shown(id));
      }
      case "PUT":
        this.objects[id] = Object.fromEntries(given);
        return success(this.#shown(id));
      case "POST":
      case "DELETE":
        return failure(405);
    }
  }

  #shown(id: number): JsonValue {
    const object = this.objects[id] ?? {};
    return this.disguise(this.model.kind === "collection" ? { id, ...object } : object);
  }
}

const success = (data: JsonValue): ReadAnswer => ({
  status: 200,
  body: { code: 200, status: "ok", response_id: "SUCCESS", message: "", data },
});

const failure = (status: number): ReadAnswer => ({
  status,
  body: { code: status, status: "error", response_id: "REFUSED", message: "", data: [] },
});
