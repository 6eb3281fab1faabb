// What the load program does, as calls.
import { execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const SOURCE = fileURLToPath(new URL("tunnel-load.c", import.meta.url));

/** Compiles it; `authority` "-" speaks to the upstream itself. */
export const buildLoad = (directory) => {
  const program = join(directory, "tunnel-load");
  execFileSync("cc", ["-O2", "-Wall", "-o", program, SOURCE]);
  return loadWith([program]);
};

/** @param command that runs what `buildLoad` has compiled, such as in another network namespace */
export const loadWith = ([command, ...before]) => {
  const run = async (...args) => {
    const child = spawn(command, [...before, ...args.map(String)], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    let out = "";
    child.stdout.on("data", (chunk) => {
      out += chunk;
    });
    const [code] = await once(child, "close");
    if (code !== 0) throw new Error(`tunnel-load ${args.join(" ")}: exit ${code}`);
    return JSON.parse(out);
  };
  const started = async (...args) => {
    const child = spawn(command, [...before, ...args.map(String)], {
      stdio: ["pipe", "pipe", "inherit"],
    });
    await Promise.race([
      once(child.stdout, "data"),
      once(child, "exit").then(() => {
        throw new Error(`tunnel-load ${args.join(" ")} ended`);
      }),
    ]);
    return child;
  };
  return {
    upstream: ({ address, port }) => started("upstream", address, port),
    open: ({ address, port, authority }, count, atOnce) =>
      run("open", address, port, authority, count, atOnce),
    stream: ({ address, port, authority }, tunnels, bytes) =>
      run("stream", address, port, authority, tunnels, bytes),
    ask: ({ address, port, authority }, count, bytes) =>
      run("ask", address, port, authority, count, bytes),
    /** Resolves once they are open; `release` closes them. */
    hold: async ({ address, port, authority }, count) => {
      const child = await started("hold", address, port, authority, count);
      return {
        release: async () => {
          const ended = once(child, "exit");
          child.stdin.end();
          await ended;
        },
      };
    },
  };
};

/** @throws Error that says what to install */
export const need = (...programs) => {
  for (const program of programs)
    if (spawnSync(program, ["-v"]).error !== undefined)
      throw new Error(`${program} is missing; docs/performance.md says what to install`);
};

/** @returns a process to which a name has one address and no other name exists */
export const startNameServer = async ({ resolver, names }) => {
  need("dnsmasq");
  const child = spawn(
    "dnsmasq",
    [
      ...["--keep-in-foreground", "--conf-file=/dev/null", "--no-hosts", "--no-resolv"],
      ...["--user=root", "--pid-file=", `--listen-address=${resolver}`, "--bind-interfaces"],
      ...["--local-ttl=60", "--local=/#/"],
      ...Object.entries(names).map(([name, address]) => `--host-record=${name},${address}`),
    ],
    { stdio: ["ignore", "ignore", "inherit"] },
  );
  return child;
};
