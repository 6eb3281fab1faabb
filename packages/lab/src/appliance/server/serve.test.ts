import assert from "node:assert/strict";
import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { profile } from "@drydock/testkit";
import { ADMIN_KEY, alias } from "../testing/appliance.js";
import { startNeighbour } from "../testing/neighbour.js";

const URL_OF = "https://192.0.2.10/api/v2";

interface Body {
  readonly response_id: string;
  readonly data: unknown;
}

describe("the stand-in, asked by curl", () => {
  test("answers by its address and by its name, to who trusts its CA, and says what it is", async (t) => {
    const neighbour = await startNeighbour(t);
    const key = ["-H", `X-API-Key: ${ADMIN_KEY}`];
    const named = await neighbour.run("curl", [
      "-sSi",
      "--cacert",
      neighbour.ca,
      "--resolve",
      "appliance.lab.invalid:443:192.0.2.10",
      ...key,
      "https://appliance.lab.invalid/api/v2/system/version",
    ]);
    assert.match(named.stdout, /^HTTP\/1\.1 200 OK/);
    assert.match(named.stdout, /^server: Drydock stand-in \(not pfSense\)\r$/im);
    assert.match(named.stdout, /^content-type: application\/json\r$/im);
    assert.equal((await neighbour.curl("GET", "/firewall/aliases")).status, 200);
    const stranger = await neighbour.run("curl", ["-sS", ...key, `${URL_OF}/firewall/aliases`]);
    assert.equal(stranger.code, 60, "a certificate that isn't trusted");
    const other = await neighbour.run("curl", [
      "-sS",
      "--cacert",
      neighbour.ca,
      "--resolve",
      "other.lab.invalid:443:192.0.2.10",
      "https://other.lab.invalid/api/v2/system/version",
    ]);
    assert.equal(other.code, 60, "another name");
    const nowhere = await neighbour.run("curl", ["-sSi", "--cacert", neighbour.ca, `${URL_OF}/x`]);
    assert.match(nowhere.stdout, /^HTTP\/1\.1 404/);
    assert.match(nowhere.stdout, /stand-in/);
  });

  test("keeps what it answered for, also when it is killed", async (t) => {
    const first = await startNeighbour(t);
    await first.curl("POST", "/firewall/alias", alias("LAB_A"));
    const changed = await first.curl("PATCH", "/firewall/alias", { id: 0, descr: "changed" });
    assert.equal(changed.status, 200);
    const before = (await first.curl("GET", "/firewall/aliases")).body as Body;
    assert.deepEqual((await pendingOf(first)).pending_subsystems, ["aliases"]);
    const { digest } = (await first.command({ do: "digest" })) as { digest: string };
    await first.kill("SIGKILL");
    const { stateDirectory } = first;
    const mode = statSync(join(stateDirectory, "config.json")).mode & 0o777;
    assert.equal(mode, 0o600);
    assert.deepEqual(readdirSync(stateDirectory), ["config.json"]);

    const second = await startNeighbour(t, { stateDirectory });
    assert.deepEqual((await second.curl("GET", "/firewall/aliases")).body, before);
    assert.deepEqual(await second.command({ do: "digest" }), { digest });
    assert.deepEqual(await pendingOf(second), { applied: true, pending_subsystems: [] });
  });

  test("killed while it writes, has every change that it answered, and none that was never sent", async (t) => {
    for (let round = 0; round < profile.kills; round += 1) {
      const first = await startNeighbour(t);
      await first.curl("POST", "/firewall/alias", alias("LAB_A", { descr: "0" }));
      // Requests of one connection, one after another; the last may or may not have been done.
      const url = `${URL_OF}/firewall/alias`;
      const key = `X-API-Key: ${ADMIN_KEY}`;
      const config = Array.from({ length: 400 }, (_, index) =>
        [
          `url = "${url}"`,
          "request = PATCH",
          `cacert = "${first.ca}"`,
          `header = "${key}"`,
          'header = "content-type: application/json"',
          `data = "{\\"id\\":0,\\"descr\\":\\"${index + 1}\\"}"`,
          'write-out = "\\n"',
        ].join("\n"),
      );
      const patches = first.run("curl", ["-sS", "-K", "-"], config.join("\nnext\n"));
      const enough = 3 + ((profile.seed + round * 37) % 60);
      while (((await first.command({ do: "requests" })) as readonly object[]).length < enough);
      await first.kill("SIGKILL");
      const answered = [...(await patches).stdout.matchAll(/"descr":"(\d+)"/g)].map(([, n]) =>
        Number(n),
      );
      const last = answered.at(-1) ?? 0;
      const second = await startNeighbour(t, { stateDirectory: first.stateDirectory });
      const { data } = (await second.curl("GET", "/firewall/aliases")).body as Body;
      const kept = Number((data as readonly { descr: string }[])[0]?.descr);
      assert.ok(kept === last || kept === last + 1, `answered ${last}, kept ${kept}`);
      t.diagnostic(`killed after ${last} answers`);
      await second.kill("SIGKILL");
    }
  });

  test("is as it was when a snapshot is restored, and its digest says so", async (t) => {
    const neighbour = await startNeighbour(t);
    await neighbour.curl("POST", "/firewall/alias", alias("LAB_A"));
    const taken = await neighbour.command({ do: "snapshot", name: "baseline" });
    const before = await neighbour.command({ do: "configuration" });
    await neighbour.curl("PATCH", "/firewall/alias", { id: 0, descr: "changed" });
    assert.notDeepEqual(await neighbour.command({ do: "digest" }), taken);
    assert.deepEqual(await neighbour.command({ do: "restore", name: "baseline" }), taken);
    assert.deepEqual(await neighbour.command({ do: "digest" }), taken);
    assert.deepEqual(await neighbour.command({ do: "configuration" }), before);
  });

  test("waits for the lock on its configuration, and gives up", async (t) => {
    const neighbour = await startNeighbour(t, { lockAttempts: 1 });
    await neighbour.command({ do: "lock", held: true });
    const started = Date.now();
    const refused = await neighbour.curl("POST", "/firewall/alias", alias("LAB_A"));
    assert.equal(refused.status, 503);
    assert.equal((refused.body as Body).response_id, "MODEL_WRITE_CONFIG_LOCKED");
    assert.ok(Date.now() - started >= 1_000, "it waited");
    const waits = neighbour.curl("POST", "/firewall/alias", alias("LAB_A"));
    assert.equal((await neighbour.curl("GET", "/firewall/aliases")).status, 200, "reads go on");
    await neighbour.command({ do: "lock", held: false });
    assert.equal((await waits).status, 200);
  });

  test("begins with the revision of its set-up, whose file can lose its bytes", async (t) => {
    const neighbour = await startNeighbour(t);
    const revisions = async () =>
      ((await neighbour.curl("GET", "/diagnostics/config_history/revisions")).body as Body)
        .data as readonly { filesize: number; time: number; description: string }[];
    const [setUp, ...more] = await revisions();
    assert.deepEqual(more, []);
    assert.ok(setUp && setUp.filesize > 0 && setUp.time > 0);
    const before = await neighbour.command({ do: "configuration" });
    await neighbour.command({ do: "damage-history" });
    assert.deepEqual(await revisions(), [{ ...setUp, filesize: 0 }]);
    assert.deepEqual(await neighbour.command({ do: "configuration" }), before);
    await neighbour.curl("POST", "/firewall/alias", alias("LAB_A"));
    const [newest] = await revisions();
    assert.ok(newest && newest.filesize > 0, "what is written later is whole");
  });

  test("has an alias twice when its file was edited by hand, and takes no second one otherwise", async (t) => {
    const neighbour = await startNeighbour(t);
    const names = async () =>
      ((await neighbour.curl("GET", "/firewall/aliases")).body as Body).data as readonly {
        id: number;
        name: string;
      }[];
    for (const name of ["LAB_A", "LAB_B"])
      assert.equal((await neighbour.curl("POST", "/firewall/alias", alias(name))).status, 200);
    const again = await neighbour.curl("POST", "/firewall/alias", alias("LAB_A"));
    assert.equal((again.body as Body).response_id, "FIELD_MUST_BE_UNIQUE");
    const revisions = "/diagnostics/config_history/revisions";
    const history = (await neighbour.curl("GET", revisions)).body;
    await neighbour.command({ do: "duplicate-alias", name: "LAB_A" });
    assert.deepEqual(
      (await names()).map(({ id, name }) => [id, name]),
      [
        [0, "LAB_A"],
        [1, "LAB_B"],
        [2, "LAB_A"],
      ],
    );
    assert.deepEqual((await neighbour.curl("GET", revisions)).body, history);
    await assert.rejects(neighbour.command({ do: "duplicate-alias", name: "LAB_C" }));
    // Of either no more can be changed; of the one beside them it can.
    const patch = async (id: number) =>
      (await neighbour.curl("PATCH", "/firewall/alias", { id, descr: "changed" })).status;
    assert.deepEqual([await patch(0), await patch(2), await patch(1)], [400, 400, 200]);
  });

  test("has its console, where no check is in the way, and lists requests without values", async (t) => {
    const neighbour = await startNeighbour(t);
    const path = "/system/restapi/settings";
    await neighbour.curl("PATCH", path, { read_only: true });
    assert.equal((await neighbour.curl("PATCH", path, { read_only: false })).status, 405);
    const data = { read_only: false };
    const console = { do: "console", method: "PATCH", path: `/api/v2${path}`, data };
    assert.equal(((await neighbour.command(console)) as { status: number }).status, 200);
    assert.equal((await neighbour.curl("PATCH", path, { read_only: false })).status, 200);
    const requests = (await neighbour.command({ do: "requests" })) as readonly object[];
    assert.equal(requests.length, 3);
    assert.deepEqual(requests[1], {
      method: "PATCH",
      path: `/api/v2${path}`,
      status: 405,
      responseId: "ENDPOINT_METHOD_NOT_ALLOWED_IN_READ_ONLY_MODE",
    });
  });

  test("ends with its input", async (t) => {
    const neighbour = await startNeighbour(t);
    const ended = new Promise<number | null>((resolve) =>
      neighbour.process.once("exit", (code) => resolve(code)),
    );
    neighbour.process.stdin?.end();
    assert.equal(await ended, 0);
  });
});

const pendingOf = async (neighbour: Awaited<ReturnType<typeof startNeighbour>>) =>
  ((await neighbour.curl("GET", "/firewall/apply")).body as Body).data as {
    applied: boolean;
    pending_subsystems: readonly string[];
  };
