import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { lookup } from "node:dns/promises";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { temporaryDirectory } from "@drydock/testkit";
import { A, AAAA, a, aaaa, NXDOMAIN, response } from "../testing/dns-message.js";
import { send, startDnsServer } from "../testing/dns-server.js";
import { never, outcome, PATIENT_MS, resolverOf } from "./testing/ask.js";

/**
 * This file runs itself once more in network and mount namespaces of its own, where ports below
 * 1024 are free, ::1 is there, and /etc/hosts and /etc/resolv.conf say what a test wants.
 */
const INSIDE = "DRYDOCK_TEST_PRIVATE";

const HOSTS = "192.0.2.99 www.lab.example\n";
const RESOLV_CONF = "nameserver 127.0.0.1\nsearch search.example\noptions timeout:1 attempts:1\n";

const ENTER = `
ip link set lo up
mount --bind "$1/hosts" /etc/hosts
mount --bind "$1/resolv.conf" /etc/resolv.conf
exec "$2" --test --test-reporter=tap "$3"
`;

if (process.env[INSIDE] === undefined) {
  test("in a network of its own", (t) => {
    const directory = temporaryDirectory(t);
    writeFileSync(join(directory, "hosts"), HOSTS);
    writeFileSync(join(directory, "resolv.conf"), RESOLV_CONF);
    const environment: NodeJS.ProcessEnv = { ...process.env, [INSIDE]: "1" };
    // node --test refuses to nest while this marker is inherited.
    delete environment["NODE_TEST_CONTEXT"];
    const { status, stdout, stderr } = spawnSync(
      "unshare",
      [
        ...["--net", "--mount", "--pid", "--fork", "--kill-child"],
        ...["sh", "-ec", ENTER, "sh", directory, process.execPath, fileURLToPath(import.meta.url)],
      ],
      { env: environment, encoding: "utf8", timeout: 60_000 },
    );
    assert.equal(status, 0, `${stdout}${stderr}`);
    assert.match(stdout, /^# pass 5$/m);
  });
} else {
  test("the hosts file isn't read", async (t) => {
    const server = await startDnsServer(
      t,
      (query) =>
        send(response(query, { answers: query.type === A ? [a(query.host, "192.0.2.1")] : [] })),
      { port: 53 },
    );
    // The control: the system's resolver reads it, and so asks nobody.
    assert.equal((await lookup("www.lab.example", { family: 4 })).address, "192.0.2.99");
    assert.equal(server.queries.length, 0);
    assert.equal(
      outcome(await resolverOf([server]).resolve("www.lab.example", never)),
      "192.0.2.1",
    );
  });

  test("no search list completes a name", async (t) => {
    const server = await startDnsServer(
      t,
      (query) =>
        query.host === "intern.host.search.example"
          ? send(response(query, { answers: query.type === A ? [a(query.host, "192.0.2.1")] : [] }))
          : send(response(query, { rcode: NXDOMAIN })),
      { port: 53 },
    );
    // The control: the system's resolver completes it.
    assert.equal((await lookup("intern.host", { family: 4 })).address, "192.0.2.1");
    const before = server.queries.length;
    const found = await resolverOf([server]).resolve("intern.host", never);
    assert.equal(outcome(found), "DNS_NO_NAME");
    const asked = server.queries.slice(before);
    assert.ok(asked.length > 0 && asked.every(({ host }) => host === "intern.host"));
  });

  test("a server with an IPv6 address is asked over UDP and TCP", async (t) => {
    const server = await startDnsServer(
      t,
      (query) =>
        query.over === "udp"
          ? send(response(query, { flags: 0x0200 }))
          : send(
              response(query, {
                answers: query.type === AAAA ? [aaaa(query.host, "2001:db8::1")] : [],
              }),
            ),
      { address: "::1", port: 53 },
    );
    // Whatever its spelling: senders are compared with the kernel's.
    const spelt = { address: "0:0:0:0:0:0:0:1", port: 53 };
    for (const one of [server, spelt]) {
      const found = await resolverOf([one]).resolve("www.lab.example", never);
      assert.equal(outcome(found), "32.1.13.184.0.0.0.0.0.0.0.0.0.0.0.1");
    }
  });

  test("a server without a route is a failure, at once", async () => {
    for (const address of ["192.0.2.53", "2001:db8::35"]) {
      const found = await resolverOf([{ address, port: 53 }]).resolve("www.lab.example", never);
      assert.equal(outcome(found), "DNS_FAILED");
      assert.ok(found.ms < PATIENT_MS / 2);
    }
  });

  test("dnsmasq's answers are understood, long ones over TCP", async (t) => {
    const directory = temporaryDirectory(t);
    const many = Array.from({ length: 60 }, (_, n) => `192.0.2.${n + 1}`);
    writeFileSync(
      join(directory, "records"),
      many.map((address) => `${address} many.lab.example\n`).join(""),
    );
    const dnsmasq = spawn(
      "dnsmasq",
      [
        "--keep-in-foreground",
        "--log-facility=-",
        "--conf-file=/dev/null",
        "--pid-file=",
        "--user=root",
        "--port=5353",
        "--listen-address=127.0.0.1",
        "--bind-interfaces",
        "--no-resolv",
        "--no-hosts",
        `--addn-hosts=${join(directory, "records")}`,
        "--local=/lab.example/",
        "--host-record=both.lab.example,192.0.2.1,2001:db8::1",
        "--host-record=v4.lab.example,192.0.2.4",
        "--cname=alias.lab.example,second.lab.example",
        "--cname=second.lab.example,both.lab.example",
        "--txt-record=text.lab.example,nothing else",
      ],
      { stdio: ["ignore", "ignore", "pipe"] },
    );
    t.after(async () => {
      dnsmasq.kill("SIGKILL");
      await once(dnsmasq, "exit");
    });
    const lines: string[] = [];
    for await (const line of createInterface(dnsmasq.stderr)) {
      lines.push(line);
      if (line.includes("read ") && line.includes("records")) break;
    }
    assert.equal(dnsmasq.exitCode, null, lines.join("\n"));

    const resolver = resolverOf([{ address: "127.0.0.1", port: 5353 }]);
    const found = async (name: string) =>
      outcome(await resolver.resolve(`${name}.lab.example`, never));
    const v6 = "32.1.13.184.0.0.0.0.0.0.0.0.0.0.0.1";
    assert.equal(await found("both"), `192.0.2.1 ${v6}`);
    assert.equal(await found("alias"), `192.0.2.1 ${v6}`);
    assert.equal(await found("v4"), "192.0.2.4");
    assert.equal(await found("text"), "DNS_EMPTY");
    assert.equal(await found("none"), "DNS_NO_NAME");
    assert.equal(outcome(await resolver.resolve("www.example.org", never)), "DNS_FAILED");
    const long = await resolver.resolve("many.lab.example", never);
    assert.deepEqual(outcome(long).split(" ").sort(), many.sort());
    // A over UDP, AAAA over UDP, A over TCP.
    assert.equal(long.queries, 3);
  });
}
