import assert from "node:assert/strict";
import { existsSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { temporaryDirectory } from "@drydock/testkit";
import { vmError } from "../errors.js";
import { chooseAccelerator } from "./accelerator.js";

const QUESTION = { bundle: "b", kernel: "k", initrd: "i", hostBootId: "1" };
const silent = async () => {
  throw vmError("GUEST_BOOT", "silence");
};

test("an accelerator counts once it has booted the canary, and is asked only once", async (t) => {
  const directory = temporaryDirectory(t);
  const booted: string[] = [];
  const boot = async (accelerator: string) => {
    booted.push(accelerator);
    if (accelerator === "kvm") await silent();
  };
  const answer = await chooseAccelerator(directory, QUESTION, boot);
  assert.equal(answer.accelerator, "tcg");
  assert.match(
    answer.rejected[0]?.reason ?? "",
    existsSync("/dev/kvm") ? /silence/ : /no \/dev\/kvm/,
  );
  const before = booted.length;
  assert.deepEqual(await chooseAccelerator(directory, QUESTION, boot), answer);
  assert.equal(booted.length, before);
});

test("another QEMU, kernel or boot of the host is another question", async (t) => {
  const directory = temporaryDirectory(t);
  let boots = 0;
  const boot = async (accelerator: string) => {
    if (accelerator === "kvm") await silent();
    boots += 1;
  };
  const questions = [
    QUESTION,
    ...(["bundle", "kernel", "initrd", "hostBootId"] as const).map((key) => ({
      ...QUESTION,
      [key]: "x",
    })),
  ];
  for (const question of questions) await chooseAccelerator(directory, question, boot);
  assert.equal(boots, questions.length);
});

test("a machine on which nothing boots is refused with every reason", async (t) => {
  await assert.rejects(chooseAccelerator(temporaryDirectory(t), QUESTION, silent), {
    code: "ACCELERATOR_NONE",
    message: /tcg: silence/,
  });
});

test("a bug of ours is no reason to choose another accelerator", async (t) => {
  const bug = async () => {
    throw new TypeError("bug");
  };
  await assert.rejects(chooseAccelerator(temporaryDirectory(t), QUESTION, bug), TypeError);
});

test("a cached answer that isn't one is refused", async (t) => {
  const directory = temporaryDirectory(t);
  const tcg = async (accelerator: string) => {
    if (accelerator === "kvm") await silent();
  };
  await chooseAccelerator(directory, QUESTION, tcg);
  for (const name of readdirSync(directory))
    writeFileSync(join(directory, name), '{"accelerator":"xen"}');
  await assert.rejects(chooseAccelerator(directory, QUESTION, tcg), /accelerator/);
});
