import { z } from "zod";
import { limitsSchema } from "./limits.js";

/** What execve(2) takes: MAX_ARG_STRLEN is 128 KiB with the final NUL. */
const MAX_ARGUMENT_BYTES = 128 * 1024 - 1;
const MAX_ARGUMENTS = 4_096;
/** ARG_MAX of Linux with the default 8 MiB stack, argv and environment together. */
const MAX_COMMAND_BYTES = 2 * 1024 ** 2;
const MAX_VARIABLES = 512;
const MAX_GLOBS = 256;

const plainText = (max: number) =>
  z
    .string()
    .refine((text) => !text.includes("\0"), "contains NUL")
    .refine((text) => Buffer.byteLength(text) <= max, `is longer than ${max} bytes`);

const absolutePath = plainText(4_095).refine(
  (path) => path.startsWith("/") && !path.split("/").includes(".."),
  'must be an absolute path without ".."',
);

/** uid[:gid]; the guest's own names aren't known before it runs. */
const user = z
  .union([z.literal("root"), z.string().regex(/^(0|[1-9][0-9]{0,9})(:(0|[1-9][0-9]{0,9}))?$/)], {
    error: 'must be "root", a uid such as "1000", or "1000:1000"',
  })
  .transform((text) => {
    const [uid, gid] = text === "root" ? [0, 0] : text.split(":").map(Number);
    return { uid: uid ?? 0, gid: gid ?? uid ?? 0 };
  })
  // 2^32 − 1 means "unchanged" to setuid(2).
  .refine(({ uid, gid }) => Math.max(uid, gid) < 2 ** 32 - 1, "is outside 0 to 4294967294");

/** POSIX names. The loader's own switches are allowed: the guest's loader is the guest's affair. */
const environment = z
  .record(
    z.string().regex(/^[A-Za-z_][A-Za-z0-9_]{0,255}$/, "is not a variable name"),
    plainText(MAX_ARGUMENT_BYTES),
  )
  .refine((env) => Object.keys(env).length <= MAX_VARIABLES, `has over ${MAX_VARIABLES} entries`);

const source = z.strictObject({
  from: plainText(4_095)
    .refine((text) => text.length > 0, "is empty")
    .describe("A directory, an https git URL, or a git bundle."),
  ref: plainText(255).default("HEAD").describe("Branch, tag or complete object id."),
  workingTree: z
    .boolean()
    .default(false)
    .describe("Seal the files as they are: a weaker claim, never eligible for a tier."),
});

const glob = plainText(1_024).refine(
  (text) => text.length > 0 && !text.split("/").includes(".."),
  'must be a path pattern without ".."',
);

/** One command, its surroundings and its bounds: what `drydock run` and `createLab` are given. */
export const runSpecSchema = z
  .strictObject({
    schema: z.literal("drydock.run/v1").default("drydock.run/v1"),
    command: z
      .array(plainText(MAX_ARGUMENT_BYTES))
      .min(1)
      .max(MAX_ARGUMENTS)
      .refine(([program]) => program !== "", "names no program")
      .nullable()
      .default(null)
      .describe("Program and arguments, no shell. Null for a lab that is given commands later."),
    env: environment.default({}).describe("Exactly these; nothing is inherited from the host."),
    cwd: absolutePath.nullable().default(null).describe("Null for where the source is."),
    user: user.default({ uid: 1_000, gid: 1_000 }),
    source: source.nullable().default(null),
    image: z
      .string()
      .regex(/^[a-z0-9][a-z0-9._-]{0,127}$/, "is not an image name")
      .default("base"),
    limits: limitsSchema.default(limitsSchema.parse({})),
    artifacts: z
      .array(glob)
      .max(MAX_GLOBS)
      .default([])
      .describe("Patterns under the working directory."),
    snapshot: z.boolean().default(true).describe("False boots cold."),
    exit: z.enum(["command", "verdict"]).default("command").describe("Which exit code to hand on."),
  })
  .refine(({ command, env }) => commandBytes(command ?? [], env) <= MAX_COMMAND_BYTES, {
    path: ["command"],
    message: `and env are together longer than ${MAX_COMMAND_BYTES} bytes`,
  })
  .refine(({ source: from }) => !(from?.workingTree === true && from.ref !== "HEAD"), {
    path: ["source", "ref"],
    message: "names a commit, but workingTree seals the files as they are: drop one of them",
  });

export type RunSpec = z.output<typeof runSpecSchema>;
/** The same before defaults and units are filled in. */
export type RunSpecInput = z.input<typeof runSpecSchema>;

const commandBytes = (argv: readonly string[], env: Readonly<Record<string, string>>): number => {
  const strings = [...argv, ...Object.entries(env).map(([name, value]) => `${name}=${value}`)];
  // Each string costs its NUL and a pointer.
  return strings.reduce((sum, text) => sum + Buffer.byteLength(text) + 1 + 8, 0);
};
