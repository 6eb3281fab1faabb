import type { Command } from "commander";
import { json, type SetExit } from "./options.js";

/** `drydock keys …` and `drydock sign`: who vouches for what. */
export const addKeysVerbs = (program: Command, setExit: SetExit): void => {
  const keys = program
    .command("keys")
    .description("the controller's signing keys")
    .addHelpText("after", "\nExample:\n  drydock keys export > trust.json");
  keys
    .command("init")
    .description("make the controller's key (a first run does it by itself)")
    .addOption(json())
    .addHelpText("after", "\nExample:\n  drydock keys init")
    .action(async (flags: object) => {
      const { keysInit } = await import("../commands/keys.js");
      setExit(await keysInit(flags));
    });
  keys
    .command("list")
    .description("list keys and what they may sign")
    .addOption(json())
    .addHelpText("after", "\nExample:\n  drydock keys list")
    .action(async (flags: object) => {
      const { keysList } = await import("../commands/keys.js");
      setExit(keysList(flags));
    });
  keys
    .command("export")
    .description("print the trust file, for whoever is to check evidence")
    .option("--pem", "print the current public key instead, for whoever is to check a signature")
    .addOption(json())
    .addHelpText(
      "after",
      "\nExamples:\n  drydock keys export > trust.json\n  drydock verify --trust trust.json DIR\n  drydock keys export --pem > signer.pem",
    )
    .action(async (flags: { pem?: boolean }) => {
      const { keysExport } = await import("../commands/keys.js");
      setExit(keysExport(flags));
    });
  keys
    .command("rotate")
    .description("replace the key; the old one still verifies what it signed")
    .addOption(json())
    .addHelpText("after", "\nExample:\n  drydock keys rotate")
    .action(async (flags: object) => {
      const { keysRotate } = await import("../commands/keys.js");
      setExit(await keysRotate(flags));
    });
  keys
    .command("revoke")
    .description("mark a key as no longer its owner's alone")
    .argument("<key>", "sha256:… as in `keys list`")
    .addOption(json())
    .addHelpText("after", "\nExample:\n  drydock keys revoke sha256:0f8a\u2026")
    .action(async (key: string, flags: object) => {
      const { keysRevoke } = await import("../commands/keys.js");
      setExit(await keysRevoke(key, flags));
    });

  program
    .command("sign")
    .description("sign a file's bytes for one namespace; prints a detached signature")
    .argument("<file>", "a policy is signed for what it means, anything else byte for byte")
    .requiredOption("--namespace <namespace>", "policy, plan, approval, promotion or release")
    .addOption(json())
    .addHelpText(
      "after",
      "\nExample:\n  drydock sign policy.yaml --namespace policy > policy.yaml.sig",
    )
    .action(async (file: string, flags: { namespace: string }) => {
      const { signFile } = await import("../commands/sign.js");
      setExit(signFile(file, flags));
    });
};
