import type { KernelView } from "../engine/index.js";
import type { BoundaryOwner, Ipv4, Realisation, Ruleset } from "../model/index.js";
import type { ObservedSettings, Setting } from "../readback/index.js";
import type { Listing } from "../ruleset/index.js";

/** What realising a boundary asks of the kernel, in the appliance's own network namespace. */
export interface KernelBackend extends KernelView {
  /** @throws DrydockError REALISATION_MISSING */
  realisation(): Promise<Realisation>;
  listing(): Promise<Listing>;
  settings(names: readonly string[]): Promise<ObservedSettings>;
  writeSetting(setting: Setting): Promise<void>;
  /** One transaction for both families, then connections are judged anew. */
  load(ruleset: Ruleset, beside: readonly Ruleset[]): Promise<void>;
  /** Of both authorities, in one transaction. */
  deleteTables(owner: BoundaryOwner): Promise<void>;
  /** null: none. */
  defaultRouteOf(pid: number): Promise<Ipv4 | null>;
  setDefaultRoute(pid: number, gateway: Ipv4): Promise<void>;
}
