import assert from "node:assert/strict";
import { test } from "node:test";
import { profile } from "@drydock/testkit";
import fc from "fast-check";
import { importPublicKey } from "../keys/key.js";
import { flip, utf8 } from "../testing/bytes.js";
import { testKey } from "../testing/keys.js";
import { parseCheckpoint, signCheckpoint, splitNotes } from "./checkpoint.js";
import { EMPTY_ROOT } from "./merkle.js";
import { cosignedAt, cosignNote, isNoteSignedBy, parseNote, signNote } from "./note.js";

test("verifies the example in the documentation of golang.org/x/mod/sumdb/note", () => {
  // Verifier key "PeterNeumann+c74f20a3+ARpc2QcU…": one algorithm byte, then the key.
  const raw = Buffer.from("ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW", "base64").subarray(1);
  const key = importPublicKey(Buffer.concat([Buffer.from("302a300506032b6570032100", "hex"), raw]));
  const note = parseNote(
    "If you think cryptography is the answer to your problem,\n" +
      "then you don't know what your problem is.\n" +
      "\n" +
      "— PeterNeumann x08go/ZJkuBS9UG/SffcvIAQxVBtiFupLLr8pAcElZInNIuGUgYN1FFYC2pZSNXgKvqfqdngotpRZb6KE6RyyBwJnAM=\n",
  );
  assert(isNoteSignedBy(note, "PeterNeumann", key));
  assert.equal(note.signatures[0]?.hint.toString("hex"), "c74f20a3");
  assert(!isNoteSignedBy(note, "PeterNeumann", testKey("other").public));
  assert(!isNoteSignedBy(note, "Peter", key));
});

const key = testKey("log");
const signed = signCheckpoint({ origin: "drydock.dev/test", size: 7, root: EMPTY_ROOT }, key);

test("a checkpoint reads back, and a flipped byte leaves no valid signature", () => {
  const checkpoint = parseCheckpoint(signed);
  assert.deepEqual(
    [checkpoint.origin, checkpoint.size, checkpoint.root],
    ["drydock.dev/test", 7, EMPTY_ROOT],
  );
  assert(isNoteSignedBy(checkpoint.note, "drydock.dev/test", key.public));
  const bytes = utf8(signed);
  fc.assert(
    fc.property(fc.nat(bytes.length - 1), fc.integer({ min: 1, max: 255 }), (at, mask) => {
      let note: ReturnType<typeof parseCheckpoint>["note"];
      try {
        note = parseCheckpoint(flip(bytes, at, mask).toString("utf8")).note;
      } catch {
        return; // Refused by its form, which is as good.
      }
      assert(!isNoteSignedBy(note, "drydock.dev/test", key.public), `byte ${at} ^ ${mask}`);
    }),
    { numRuns: profile.fuzz * 5, seed: profile.seed },
  );
});

test("notes that aren't checkpoints are refused by their form", () => {
  const root = EMPTY_ROOT.toString("base64");
  parseCheckpoint(signNote(`origin\n0\n${root}\n`, "origin", key));
  for (const text of [
    `origin\n01\n${root}\n`,
    `origin\n-1\n${root}\n`,
    `origin\n9999999999999999\n${root}\n`,
    `origin\n1\n${root.slice(0, -2)}=\n`,
    `origin\n1\n${root}\nextension\n`,
    "origin\n1\n",
  ]) {
    assert.throws(
      () => parseCheckpoint(signNote(text, "origin", key)),
      { code: "CHECKPOINT_FORMAT" },
      text,
    );
  }
  for (const text of [
    "",
    "a\n",
    "a\n\n",
    "a\n\nb\n",
    "a\n\n— name !!!!!!!!\n",
    "a\n\n— n YQ==\n",
  ]) {
    assert.throws(() => parseNote(text), { code: "NOTE_FORMAT" }, JSON.stringify(text));
  }
});

test("a file of notes is cut where the next begins, cosignatures included", () => {
  const second = signCheckpoint({ origin: "drydock.dev/test", size: 9, root: EMPTY_ROOT }, key);
  const cosigned = cosignNote(signed, "witness.example", testKey("witness"), 1_796_000_000);
  const notes = splitNotes(cosigned + second);
  assert.deepEqual(
    notes.map((note) => note.text),
    [cosigned, second],
  );
  assert.equal(notes[1]?.at, cosigned.length);
  assert.deepEqual(splitNotes(""), []);
  assert.deepEqual(splitNotes(`${second}rest`).at(-1)?.text, "rest");
});

test("a cosignature counts for its witness and its text only", () => {
  const witness = testKey("witness");
  const cosigned = cosignNote(signed, "witness.example", witness, 1_796_000_000);
  const note = parseNote(cosigned);
  assert.equal(cosignedAt(note, witness.public), 1_796_000_000);
  assert(isNoteSignedBy(note, "drydock.dev/test", key.public), "the log's signature still holds");
  assert.equal(cosignedAt(note, key.public), null);
  assert.equal(cosignedAt(parseNote(signed), witness.public), null);
  const moved = { ...note, text: note.text.replace("\n7\n", "\n8\n") };
  assert.equal(cosignedAt(moved, witness.public), null);
});
