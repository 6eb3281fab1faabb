import {
  type Authority,
  type Decision,
  decide,
  type EgressPolicy,
  formatAuthority,
  loadPolicy,
  parseAuthority,
  REASONS,
  type Reason,
  type RequestForm,
  requestForm,
} from "@drydock/broker";
import { quote, readNamedFile } from "@drydock/evidence";
import { visible } from "../terminal/sanitise.js";
import { chooseStyle } from "../terminal/style.js";
import { type JsonFlag, print } from "./context.js";
import { type ProofFlags, proofFrom } from "./egress-flags.js";

export interface EgressCheckFlags extends JsonFlag, ProofFlags {
  readonly form?: RequestForm;
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
  // Nothing is looked up, so no resolver is needed.
  const { policy, signature } = loadPolicy(readNamedFile(file), {
    file,
    proof,
    resolvers: () => [],
  });
  const answer = {
    ...answerTo(asked, policy, flags.form),
    file,
    signer: signature?.keyId ?? null,
  };
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
