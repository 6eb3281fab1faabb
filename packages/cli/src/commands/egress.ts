import {
  type Authority,
  type Decision,
  decide,
  type EgressPolicy,
  formatAuthority,
  loadPolicy,
  type PolicyKeys,
  parseAuthority,
  REASONS,
  type Reason,
  type RequestForm,
  readPublicKey,
  requestForm,
} from "@drydock/broker";
import { DrydockError, quote } from "@drydock/evidence";
import { loadTrust } from "@drydock/trial";
import { visible } from "../terminal/sanitise.js";
import { chooseStyle } from "../terminal/style.js";
import { type JsonFlag, print, readBytes } from "./context.js";

export interface EgressCheckFlags extends JsonFlag {
  readonly form?: RequestForm;
  readonly signature?: string;
  readonly key?: string;
  readonly trust?: string;
}

interface Answer {
  readonly decision: "granted" | "refused";
  readonly reason: Reason | null;
  /** Canonical; null when what was asked for is none. */
  readonly authority: string | null;
  readonly form: RequestForm | null;
  readonly protocol: string | null;
  readonly purpose: string | null;
  readonly file: string;
  readonly line: number | null;
  /** Id of the key that vouches for the policy; null when nobody does. */
  readonly signer: string | null;
}

const EXIT_GRANTED = 0;
const EXIT_REFUSED = 1;

/** `drydock egress check`: what a broker with this policy would say, without asking anybody. */
export const egressCheck = (file: string, asked: string, flags: EgressCheckFlags): number => {
  const proof = proofFrom(file, flags);
  const { policy, signer } = loadPolicy(readBytes(file), { file, proof, resolvers: [] });
  const answer = { ...answerTo(asked, policy, flags.form), file, signer };
  print(flags, answer, describe(answer, asked));
  return answer.decision === "granted" ? EXIT_GRANTED : EXIT_REFUSED;
};

const answerTo = (
  asked: string,
  policy: Pick<EgressPolicy, "grants">,
  form: RequestForm | undefined,
): Omit<Answer, "file" | "signer"> => {
  const parsed = parseAuthority(asked);
  const nothing = { form: null, protocol: null, purpose: null };
  if (parsed.kind === "refused")
    return { decision: "refused", reason: parsed.reason, authority: null, ...nothing, line: null };
  const authority = formatAuthority(parsed.authority);
  const decision = decideAs(form, policy, parsed.authority);
  if (decision.kind === "refused")
    return {
      decision: "refused",
      reason: decision.reason,
      authority,
      ...nothing,
      line: decision.line,
    };
  const { protocol, purpose, line } = decision.grant;
  const granted = { decision: "granted", reason: null } as const;
  return { ...granted, authority, form: requestForm(protocol), protocol, purpose, line };
};

/** Without a form, in the one that the policy grants. */
const decideAs = (
  form: RequestForm | undefined,
  policy: Pick<EgressPolicy, "grants">,
  authority: Authority,
): Decision => {
  const decision = decide(policy, authority, form ?? "connect");
  return form === undefined && decision.kind === "refused"
    ? decide(policy, authority, "absolute")
    : decision;
};

/** Where the signature is, and who may have made it. The policy itself is asked for neither. */
const proofFrom = (file: string, { signature, key, trust }: EgressCheckFlags) => {
  if (key !== undefined && trust !== undefined)
    throw new DrydockError("USAGE", "--key and --trust both say whose signature it has to be", {
      fix: "Give one of them.",
    });
  const keys = keysFrom(key, trust);
  if (keys !== null) return { signature: readBytes(signature ?? `${file}.sig`), keys };
  if (signature === undefined) return null;
  throw new DrydockError("USAGE", "a signature alone proves nothing", {
    fix: "Say with --key or --trust whose it has to be.",
  });
};

const keysFrom = (key: string | undefined, trust: string | undefined): PolicyKeys | null => {
  if (key !== undefined) return { kind: "key", key: readPublicKey(readBytes(key)) };
  if (trust === undefined) return null;
  return { kind: "trust", trust: loadTrust(trust), now: new Date().toISOString() };
};

const describe = (answer: Answer, asked: string): string => {
  const style = chooseStyle(process.stdout.isTTY === true, process.env);
  const { decision, reason, authority, form, protocol, purpose, line, signer } = answer;
  const word = decision === "granted" ? style.good("granted") : style.bad("refused");
  const why =
    reason === null
      ? [`as       ${form === "connect" ? "CONNECT" : "absolute-form request"}, ${protocol}`]
      : [`reason   ${reason}: ${REASONS[reason].doc}`];
  return [
    `${word}  ${authority ?? quote(asked)}`,
    ...why,
    `rule     ${line === null ? "none" : `${visible(answer.file)}:${line}`}`,
    ...(purpose === null ? [] : [`purpose  ${visible(purpose)}`]),
    `policy   ${signer === null ? "unsigned" : `signed by ${signer}`}`,
    "",
  ].join("\n");
};
