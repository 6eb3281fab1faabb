import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { temporaryDirectory } from "@drydock/testkit";
import { objectPath, openStore, type Store, verifiedObjectPath } from "../../store/index.js";
import { requireOwnAgent } from "../agent-bundle.js";
import { inspectImage, listImages, pruneImages, removeImage, resolveImage } from "../images.js";
import { manifestObjects } from "../manifest.js";
import { treeParts } from "../parts.js";
import type { Progress } from "../progress.js";
import { seedStore, testCache } from "../testing/cache.js";
import { extractErofs, listing } from "../testing/erofs.js";
import { systemTools, type Tools } from "../tools.js";
import { buildImage } from "./build.js";
import { planImage } from "./plan.js";
import type { BuildContext } from "./runtime.js";

/** The bundle is a part that the builder never looks into, so the tests bring their own. */
const contextFor = (work: string, store: Store, tools = systemTools()) => {
  const agentBundle = join(work, "agent.js");
  if (!existsSync(agentBundle)) writeFileSync(agentBundle, "// the agent\n");
  const steps: Progress[] = [];
  const context: BuildContext = {
    store,
    tools,
    parts: { ...treeParts(), agentBundle },
    report: (step) => steps.push(step),
  };
  return { context, steps, agentBundle };
};

/** Builds `base` in a fresh store, with packages that the tests' shared store has. */
const buildFresh = async (t: TestContext) => {
  const work = temporaryDirectory(t);
  const store = openStore(join(work, "store"));
  const shared = testCache();
  const cached = contextFor(work, shared);
  const { manifest } = await buildImage(cached.context, planImage("base"));
  await seedStore(store, shared, manifestObjects(manifest));
  const fresh = contextFor(work, store);
  return { work, store, ...fresh, built: await buildImage(fresh.context, planImage("base")) };
};

test("base: built twice in two places the bytes are equal; parts are made again only when they change", async (t) => {
  const one = await buildFresh(t);
  const two = await buildFresh(t);
  assert.deepEqual(one.built, two.built);
  const fetched = [...one.steps, ...two.steps].filter(({ step }) => step === "fetch");
  assert.deepEqual(fetched, [], "nothing is downloaded twice");

  await t.test("an unchanged build makes nothing, also without a network", async () => {
    utimesSync(one.agentBundle, 1, 1);
    const again = contextFor(one.work, one.store, offline());
    assert.deepEqual(await buildImage(again.context, planImage("base")), one.built);
    assert.deepEqual(
      again.steps.filter(({ step }) => step === "reuse").map(({ detail }) => detail),
      ["kernel", "agent", "base root"],
    );
  });

  await t.test("a changed agent is the only part that is made again", async () => {
    requireOwnAgent(await resolveImage(one.store, "base"), one.agentBundle);
    writeFileSync(one.agentBundle, "// another agent\n");
    const old = await resolveImage(one.store, "base");
    assert.throws(() => requireOwnAgent(old, one.agentBundle), { code: "IMAGE_OUTDATED" });
    const { components } = (await buildImage(one.context, planImage("base"))).manifest;
    const before = one.built.manifest.components;
    assert.notEqual(components.agent.digest, before.agent.digest);
    assert.deepEqual({ ...components, agent: 0 }, { ...before, agent: 0 });
    requireOwnAgent(await resolveImage(one.store, "base"), one.agentBundle);
  });

  await t.test(
    "the root holds Node, npm, a shell, the lab's user and its directories",
    async () => {
      const { rootPath } = await resolveImage(two.store, "base");
      const files = listing(
        extractErofs(two.store, two.built.manifest.components.root, join(two.work, "out")),
      );
      assert.ok(existsSync(rootPath));
      const node = files.get("/usr/bin/node");
      assert.equal(node?.content, readFileSync(process.execPath, "latin1"));
      assert.equal(files.get("/usr/bin/npm")?.kind, "symlink");
      assert.equal(files.get("/usr/bin/sh")?.content, "busybox");
      assert.match(files.get("/etc/passwd")?.content ?? "", /^lab:x:1000:1000:/m);
      for (const path of ["/work", "/home/lab"]) assert.equal(files.get(path)?.uid, 1000, path);
      for (const path of ["/proc", "/sys", "/dev", "/run", "/tmp"]) {
        assert.equal(files.get(path)?.kind, "directory", path);
      }
      assert.equal(
        [...files.keys()].find((path) => path.endsWith(".ko")),
        undefined,
      );
      assert.ok([...files.values()].every(({ kind }) => kind !== "other"));
    },
  );

  await t.test("list, inspect, remove and prune", async () => {
    const { store } = two;
    assert.deepEqual(
      listImages(store).map(({ name }) => name),
      ["base"],
    );
    assert.deepEqual(inspectImage(store, two.built.digest), two.built);
    pruneImages(store);
    for (const digest of manifestObjects(two.built.manifest))
      await verifiedObjectPath(store, digest);
    const root = objectPath(store, two.built.manifest.components.root.digest);
    removeImage(store, "base");
    await assert.rejects(resolveImage(store, "base"), { code: "IMAGE_UNKNOWN" });
    pruneImages(store, [two.built.manifest.components.root.digest]);
    assert.ok(existsSync(root), "a digest that a run holds is kept");
    pruneImages(store);
    assert.ok(!existsSync(root));
    assert.deepEqual(readdirSync(store.tmp), []);
  });
});

/** Reads apt's index but can't download. */
const offline = (): Tools => {
  const tools = systemTools();
  return {
    ...tools,
    run: (tool, argv, options) => {
      if (argv.includes("download")) throw new Error("offline");
      return tools.run(tool, argv, options);
    },
  };
};

test("an unknown package or a missing tool is one line with its fix, and leaves nothing", async (t) => {
  const work = temporaryDirectory(t);
  const store = openStore(join(work, "store"));
  const { context } = contextFor(work, store);
  const plan = planImage("base", { packages: ["no-such-package-drydock"] });
  await assert.rejects(buildImage(context, plan), {
    code: "IMAGE_PACKAGE",
    message: /no-such-package/,
  });
  await assert.rejects(
    buildImage(contextFor(work, store, systemTools("/nonexistent")).context, planImage("base")),
    { code: "IMAGE_TOOL_MISSING" },
  );
  const { context: other } = contextFor(work, store);
  const parts = { ...other.parts, agentBundle: join(work, "absent") };
  await assert.rejects(buildImage({ ...other, parts }, planImage("base")), { code: "IMAGE_INPUT" });
  assert.deepEqual([readdirSync(store.tmp), readdirSync(store.locks)], [[], []]);
});
