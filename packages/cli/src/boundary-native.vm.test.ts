import assert from "node:assert/strict";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { profile } from "@drydock/testkit";
import { build } from "esbuild";
import { createLab } from "./sdk/create-lab.js";
import { testHome } from "./testing/home.js";

/**
 * Native rules need bridge conntrack, which this machine's kernel may lack and Debian's has. So the
 * boundary's own laboratories run inside our own guest: the tests that run here as br_netfilter, and
 * two of them in that realisation there as well, as the control that it is the rules that differ.
 */
const ALL = {
  native: [
    "compile/flows",
    "compile/frames",
    "compile/identity",
    "compile/platform",
    "nft/compiled",
    "realise/hand-changed",
  ],
  br_netfilter: ["compile/flows", "realise/hand-changed"],
} as const;
/** An emulated processor takes a quarter of an hour and more for all of them. */
const FEW = {
  native: ["compile/flows", "realise/hand-changed"],
  br_netfilter: ["realise/hand-changed"],
} as const;
const LABORATORIES = profile.name === "soak" ? ALL : FEW;

/** What the kernel can do, by itself and read back. */
const PROBE = `
  import { execFileSync } from "node:child_process";
  import { openNamespace, probeRealisation } from "./nft/index.js";
  import { nativeRoundTrip } from "./ruleset/testing/native.js";
  import { testNetwork } from "./ruleset/testing/network.js";
  const ended = [];
  const network = testNetwork({ after: (end) => ended.push(end) });
  const namespace = openNamespace({ kind: "netns", path: network.path });
  const probed = await probeRealisation(namespace);
  network.nft(nativeRoundTrip.text);
  nativeRoundTrip.check(network.listing());
  namespace[Symbol.dispose]();
  for (const end of ended) end();
  console.log(JSON.stringify(probed));
`;

const boundary = fileURLToPath(new URL("../../boundary/dist/", import.meta.url));

const bundled = async (contents: string): Promise<string> => {
  const { outputFiles } = await build({
    stdin: { contents, resolveDir: boundary },
    bundle: true,
    write: false,
    format: "esm",
    platform: "node",
    target: "node20",
    // Loaded where an engine is asked for, which these laboratories do without.
    external: ["dockerode"],
    banner: {
      js: 'import { createRequire } from "node:module"; const require = createRequire(import.meta.url);',
    },
  });
  const [file] = outputFiles;
  assert.ok(file);
  return file.text;
};

test("native rules are chosen, loaded, read back and do what is meant on Debian's kernel", {
  timeout: 2_400_000,
}, async (t) => {
  const home = testHome(t);
  const packages = ["nftables", "iproute2", "conntrack", "util-linux", "perl-base"];
  const built = await home.run(
    [
      ...["image", "build", "base", "--name", "boundary-lab", "--modules", "containers"],
      ...packages.flatMap((name) => ["--package", name]),
    ],
    { withinMs: 600_000 },
  );
  assert.equal(built.code, 0, built.stderr);
  const lab = await createLab({
    home: home.directory,
    image: "boundary-lab",
    limits: { guestPids: 1_024, wall: "40m" },
  });
  try {
    const inGuest = async (name: string, contents: string, realisation: string) => {
      await lab.writeFile(`/tmp/lab/${name}.js`, await bundled(contents));
      return await lab.exec(["node", `/tmp/lab/${name}.js`], {
        user: "root",
        cwd: "/tmp/lab",
        env: { DRYDOCK_LAB_REALISATION: realisation },
      });
    };
    await lab.exec(["mkdir", "/tmp/lab"]);
    await lab.writeFile("/tmp/lab/package.json", '{ "type": "module" }');
    // A laboratory starts it as a program beside itself.
    await lab.writeFile(
      "/tmp/lab/namespace-agent.js",
      await bundled('import "./testing/namespace-agent.js";'),
    );
    const probed = await inGuest("probe", PROBE, "native");
    assert.deepEqual(probed.exit, { kind: "code", code: 0 }, probed.stderr);
    assert.deepEqual(JSON.parse(probed.stdout), { kind: "native" });

    for (const realisation of ["native", "br_netfilter"] as const) {
      for (const name of LABORATORIES[realisation]) {
        await t.test(`${name}, ${realisation}`, async () => {
          const file = name.replace("/", "-");
          const { exit, stdout } = await inGuest(file, `import "./${name}.test.js";`, realisation);
          assert.deepEqual(exit, { kind: "code", code: 0 }, stdout);
          assert.match(stdout, /^# pass [1-9]/m);
        });
      }
    }
  } finally {
    const report = await lab.close();
    assert.equal(report.verdict, "PASS");
  }
});
