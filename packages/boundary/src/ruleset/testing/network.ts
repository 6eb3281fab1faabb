import { spawnSync } from "node:child_process";

/**
 * A network namespace that lasts for one test, and programs run in it. Needs root. Nothing here
 * touches the namespace that the test itself runs in.
 */
export interface TestNetwork {
  /** Of the namespace, as `nsenter --net=` wants it. */
  readonly path: string;
  /** Fails the test unless the program ends with 0. */
  run(program: string, args: readonly string[], input?: string): string;
  nft(input: string): void;
  listing(): Buffer;
  /** Gives the name to another namespace. */
  recreate(): void;
}

let count = 0;

export const testNetwork = (test: { after(fn: () => void): void }): TestNetwork => {
  count += 1;
  const name = `drydock-test-${process.pid}-${count}`;
  command("ip", ["netns", "add", name]);
  test.after(() => void command("ip", ["netns", "del", name]));
  const path = `/run/netns/${name}`;
  const run = (program: string, args: readonly string[], input = ""): string =>
    command("nsenter", [`--net=${path}`, program, ...args], input);
  return {
    path,
    run,
    nft: (input) => void run("nft", ["-f", "-"], input),
    recreate: () => {
      command("ip", ["netns", "del", name]);
      command("ip", ["netns", "add", name]);
    },
    listing: () => Buffer.from(run("nft", ["-j", "list", "ruleset"]), "utf8"),
  };
};

const command = (program: string, args: readonly string[], input = ""): string => {
  const { status, stdout, stderr, error } = spawnSync(program, args, {
    input,
    encoding: "utf8",
    maxBuffer: 256 * 1024 * 1024,
  });
  if (error !== undefined) throw error;
  if (status !== 0) {
    throw new Error(
      `${program} ${args.join(" ")}: ${stderr.slice(0, 2_000)}\n${input.slice(0, 4_000)}`,
    );
  }
  return stdout;
};
