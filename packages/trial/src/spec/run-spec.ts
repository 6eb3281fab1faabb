import * as z from "zod/mini";
import english from "zod/v4/locales/en.js";
import { limitsSchema } from "./limits.js";

// The small build of zod: each run parses one of these before anything else, and the whole library
// takes longer to load than Node to start. It has no messages unless it is given some.
z.config(english());

/** As many as are watched for at once. */
const MAX_CANARIES = 64;

/** What execve(2) takes: MAX_ARG_STRLEN is 128 KiB with the final NUL. */
const MAX_ARGUMENT_BYTES = 128 * 1024 - 1;
const MAX_ARGUMENTS = 4_096;
/** ARG_MAX of Linux with the default 8 MiB stack, argv and environment together. */
const MAX_COMMAND_BYTES = 2 * 1024 ** 2;
const MAX_VARIABLES = 512;
const MAX_GLOBS = 256;

const plainText = (max: number) =>
  z.string().check(
    z.refine((text) => !text.includes("\0"), "contains NUL"),
    z.refine((text) => Buffer.byteLength(text) <= max, `is longer than ${max} bytes`),
  );

const absolutePath = plainText(4_095).check(
  z.refine(
    (path) => path.startsWith("/") && !path.split("/").includes(".."),
    'must be an absolute path without ".."',
  ),
);

const USER_FORM = 'must be "root", a uid such as "1000", or "1000:1000"';

/** uid[:gid]; the guest's own names aren't known before it runs. */
const user = z
  .pipe(
    z.union(
      [
        z.literal("root"),
        z.string().check(z.regex(/^(0|[1-9][0-9]{0,9})(:(0|[1-9][0-9]{0,9}))?$/, USER_FORM)),
      ],
      { error: USER_FORM },
    ),
    z.transform((text) => {
      const [uid, gid] = text === "root" ? [0, 0] : text.split(":").map(Number);
      return { uid: uid ?? 0, gid: gid ?? uid ?? 0 };
    }),
  )
  // 2^32 − 1 means "unchanged" to setuid(2).
  .check(
    z.refine(({ uid, gid }) => Math.max(uid, gid) < 2 ** 32 - 1, "is outside 0 to 4294967294"),
  );

/** POSIX names. The loader's own switches are allowed: the guest's loader is the guest's affair. */
const environment = z
  .record(
    z.string().check(z.regex(/^[A-Za-z_][A-Za-z0-9_]{0,255}$/, "is not a variable name")),
    plainText(MAX_ARGUMENT_BYTES),
  )
  .check(
    z.refine(
      (env) => Object.keys(env).length <= MAX_VARIABLES,
      `has over ${MAX_VARIABLES} entries`,
    ),
  );

const source = z.strictObject({
  from: plainText(4_095).check(
    z.refine((text) => text.length > 0, "is empty"),
    z.describe("A directory, an https git URL, or a git bundle."),
  ),
  ref: z._default(plainText(255), "HEAD").check(z.describe("Branch, tag or complete object id.")),
  workingTree: z
    ._default(z.boolean(), false)
    .check(z.describe("Seal the files as they are: a weaker claim, never eligible for a tier.")),
});

const glob = plainText(1_024).check(
  z.refine(
    (text) => text.length > 0 && !text.split("/").includes(".."),
    'must be a path pattern without ".."',
  ),
);

/** One command, its surroundings and its bounds: what `drydock run` and `createLab` are given. */
export const runSpecSchema = z
  .strictObject({
    schema: z._default(z.literal("drydock.run/v1"), "drydock.run/v1"),
    command: z
      ._default(
        z.nullable(
          z.array(plainText(MAX_ARGUMENT_BYTES)).check(
            z.minLength(1),
            z.maxLength(MAX_ARGUMENTS),
            z.refine(([program]) => program !== "", "names no program"),
          ),
        ),
        null,
      )
      .check(
        z.describe("Program and arguments, no shell. Null for a lab that is given commands later."),
      ),
    env: z
      ._default(environment, {})
      .check(z.describe("Exactly these; nothing is inherited from the host.")),
    cwd: z
      ._default(z.nullable(absolutePath), null)
      .check(z.describe("Null for where the source is.")),
    user: z._default(user, { uid: 1_000, gid: 1_000 }),
    source: z._default(z.nullable(source), null),
    image: z._default(
      z
        .string()
        .check(
          z.regex(
            /^[a-z0-9][a-z0-9._-]{0,127}$/,
            "is not an image name: 1 to 128 of a-z 0-9 . _ -, beginning with a letter or a digit",
          ),
        ),
      "base",
    ),
    limits: z._default(limitsSchema, limitsSchema.parse({})),
    artifacts: z
      ._default(z.array(glob).check(z.maxLength(MAX_GLOBS)), [])
      .check(z.describe("Patterns under the working directory.")),
    canaries: z
      ._default(
        z
          .array(
            z
              .string()
              .check(
                z.regex(
                  /^[A-Z][A-Z0-9_]{0,63}$/,
                  "is not a canary's name: 1 to 64 of A-Z 0-9 _, beginning with a letter",
                ),
              ),
          )
          .check(
            z.maxLength(MAX_CANARIES),
            z.refine((names) => new Set(names).size === names.length, "names one twice"),
          ),
        [],
      )
      .check(z.describe("Variables that get a planted value, which is watched for.")),
    snapshot: z._default(z.boolean(), true).check(z.describe("False boots cold.")),
    exit: z
      ._default(z.enum(["command", "verdict"]), "command")
      .check(z.describe("Which exit code to hand on.")),
  })
  .check(
    z.refine(({ command, env }) => commandBytes(command ?? [], env) <= MAX_COMMAND_BYTES, {
      path: ["command"],
      message: `and env are together longer than ${MAX_COMMAND_BYTES} bytes`,
    }),
    z.refine(({ canaries, env }) => !canaries.some((name) => name in env), {
      path: ["canaries"],
      message: "names a variable that env gives a value",
    }),
    z.refine(({ source: from }) => !(from?.workingTree === true && from.ref !== "HEAD"), {
      path: ["source", "ref"],
      message: "names a commit, but workingTree seals the files as they are: drop one of them",
    }),
  );

export type RunSpec = z.output<typeof runSpecSchema>;
/** The same before defaults and units are filled in. */
export type RunSpecInput = z.input<typeof runSpecSchema>;

const commandBytes = (argv: readonly string[], env: Readonly<Record<string, string>>): number => {
  const strings = [...argv, ...Object.entries(env).map(([name, value]) => `${name}=${value}`)];
  // Each string costs its NUL and a pointer.
  return strings.reduce((sum, text) => sum + Buffer.byteLength(text) + 1 + 8, 0);
};
