import { mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Ruleset } from "../model/index.js";
import { compareRulesets, type Difference } from "../readback/index.js";
import { isToldJson, MAX_LISTING_BYTES, parseToldRules, printTables } from "../ruleset/index.js";
import type { ChangeableNamespace } from "./host-namespace.js";
import { inside } from "./inside.js";
import { listAll, TELLS_ALL } from "./list.js";
import { Resident } from "./resident.js";

/**
 * Rules that are written down before they are needed, and a nft that waits to be told to load them:
 * from then on it is one line to write and one to read, whatever else the machine does.
 */
export class PreparedRules implements Disposable {
  readonly #namespace: ChangeableNamespace;
  readonly #nft: Resident;
  readonly #directory = mkdtempSync(join(tmpdir(), "drydock-prepared-"));
  #rulesets: readonly Ruleset[] = [];
  #text = "";

  constructor(namespace: ChangeableNamespace) {
    this.#namespace = namespace;
    this.#nft = new Resident(namespace, "nft", [...TELLS_ALL, "-i"], {
      maxBytes: MAX_LISTING_BYTES,
      isLast: isToldJson,
    });
  }

  /** Everything that the namespace holds. */
  async listing() {
    return parseToldRules(Buffer.from(await this.#nft.ask("list ruleset")));
  }

  prepare(rulesets: readonly Ruleset[]): void {
    const text = rulesets.map((ruleset) => printTables(ruleset)).join("");
    if (text === this.#text) return;
    const fresh = `${this.#file}.new`;
    writeFileSync(fresh, text, { mode: 0o600 });
    renameSync(fresh, this.#file);
    this.#rulesets = rulesets;
    this.#text = text;
  }

  /**
   * One transaction, which puts what is prepared in the place of whatever has its tables' names. No
   * connection has to be forgotten where the prepared rules know none.
   *
   * @returns what differs afterwards
   * @throws DrydockError NFT_MISSING, TOOL_…
   */
  async load(): Promise<readonly Difference[]> {
    const rulesets = this.#rulesets;
    const input = this.#text;
    try {
      const listed = await this.#nft.ask(`include "${this.#file}"\nlist ruleset`);
      const differences = compareRulesets(rulesets, parseToldRules(Buffer.from(listed)));
      if (!differences.some((difference) => isIn(rulesets, difference))) return differences;
    } catch {
      // Whoever killed that nft or removed its file: the way that needs neither is tried as well.
    }
    await inside(this.#namespace, "nft", ["-f", "-"], { input });
    return compareRulesets(rulesets, await listAll(this.#namespace));
  }

  /** Loads it where its own tables don't hold it already, which nobody is woken by. */
  async keep(): Promise<readonly Difference[]> {
    const differences = compareRulesets(this.#rulesets, await this.listing());
    return differences.some((difference) => isIn(this.#rulesets, difference))
      ? await this.load()
      : differences;
  }

  [Symbol.dispose](): void {
    this.#nft[Symbol.dispose]();
    rmSync(this.#directory, { recursive: true, force: true });
  }

  get #file(): string {
    return join(this.#directory, "rules.nft");
  }
}

/** What is wrong with the prepared tables themselves: loading them mends nothing else. */
const isIn = (rulesets: readonly Ruleset[], { table, kind }: Difference): boolean =>
  !kind.startsWith("foreign-") &&
  rulesets
    .flatMap(({ inet, bridge }) => [inet, bridge])
    .some(({ family, name }) => table === `${family} ${name}`);
