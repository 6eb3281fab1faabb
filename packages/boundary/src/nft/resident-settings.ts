import type { ChangeableNamespace } from "./host-namespace.js";
import { Resident } from "./resident.js";
import type { SettingsSource } from "./settings.js";

/**
 * Each line is a list of files; the answer has the first line of each that can be read. Words of the
 * shell's own alone: it starts nothing. bash, since dash asks for one byte at a time, and a file of
 * /proc/sys answers once.
 */
const READER = `set -f
while read -r paths; do
  for path in $paths; do
    if IFS= read -r value < "$path"; then printf '%s:%s\\037' "$path" "$value"; fi
  done 2>/dev/null
  printf '.\\n'
done`;
const END = "\u001f";
/** Of settings, each a word or two. */
const MAX_FILES_BYTES = 1024 * 1024;
/** Of interfaces: a thousand bridges' details. */
const MAX_LINKS_BYTES = 16 * 1024 * 1024;

/** Settings and interfaces of a namespace, read by programs that stay in it. */
export class ResidentSettings implements SettingsSource, Disposable {
  readonly #shell: Resident;
  readonly #ip: Resident;

  constructor(namespace: ChangeableNamespace) {
    this.#shell = new Resident(namespace, "bash", ["--norc", "--noprofile", "-c", READER], {
      maxBytes: MAX_FILES_BYTES,
    });
    const batch = ["-json", "-details", "-force", "-batch", "-"];
    this.#ip = new Resident(namespace, "ip", batch, { maxBytes: MAX_LINKS_BYTES });
  }

  async files(paths: readonly string[]): Promise<ReadonlyMap<string, string>> {
    const answer = await this.#shell.ask(paths.join(" "));
    const lines = answer.split(END).filter((line) => line.includes(":"));
    return new Map(
      lines.map((line) => {
        const colon = line.indexOf(":");
        return [line.slice(0, colon), line.slice(colon + 1).trim()];
      }),
    );
  }

  bridges(): Promise<string> {
    return this.#ip.ask("link show type bridge");
  }

  /** `ip -json address` */
  addresses(): Promise<string> {
    return this.#ip.ask("address");
  }

  [Symbol.dispose](): void {
    this.#shell[Symbol.dispose]();
    this.#ip[Symbol.dispose]();
  }
}
