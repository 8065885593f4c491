/**
 * What the service that the page came from says of itself: its guard, its keys, its log's key, and what it gives by hash.
 * It is used only where the reader lets it, and the page then says what came from there.
 */
import type { ReportView } from "../../attestor/view/reportView.ts";
import type { ServiceStatement } from "../props.ts";
import type { Judge } from "./judge.ts";
import type { Answer, Question } from "./judging.ts";

export interface Service {
  /** Written into the page by the service. */
  readonly statement: ServiceStatement;
  /** The text at a path of the service; null: there is none. @throws where it does not answer */
  get(path: string): Promise<string | null>;
}

/** How the record of the service's own statement is called in the steps. */
const RECORD = "this service";

export interface Outcome {
  readonly answer: Answer;
  /** What counted on the service's word, in words; null: it was not asked. */
  readonly trusted: readonly string[] | null;
  /** It would not be VALID without the service's word. */
  readonly restsOnService: boolean;
  /** The service was to be asked and did not answer. */
  readonly isAway: boolean;
}

export type Asked = Pick<Question, "input" | "reader" | "known">;

/**
 * Judges with what the reader has, and once more with the service's word where it is asked.
 * @param service null: without it
 * @returns null: a newer question came
 */
export async function judgeWith(
  judge: Judge,
  asked: Asked,
  service: Service | null,
): Promise<Outcome | null> {
  const question = { ...asked, servicePolicies: [], serviceRegistry: null, serviceSamples: null };
  const alone = await judge.ask(question);
  if (alone === null) return null;
  const outcome = { answer: alone, trusted: null, restsOnService: false, isAway: false };
  if (service === null || alone.kind !== "judged") return outcome;
  const word = await serviceWord(service, alone.view, asked).catch(() => null);
  if (word === null) return { ...outcome, isAway: true };
  const answer = await judge.ask({ ...question, ...word.given });
  if (answer === null) return null;
  const restsOnService = isValid(answer) && !isValid(alone);
  return { answer, trusted: word.trusted, restsOnService, isAway: false };
}

const isValid = (answer: Answer) => answer.kind === "judged" && answer.view.verdict === "VALID";

/** What the reader or this program has comes first. @throws where the service does not answer */
async function serviceWord({ statement, get }: Service, view: ReportView, { reader, known }: Asked) {
  const { guard, signers, logKeys, paths } = statement;
  const textAt = async (path: string | null) => (path === null ? null : get(path));
  const [policy, serviceRegistry, serviceSamples] = await Promise.all([
    textAt(view.faults.includes("policy_unknown") ? paths.policy : null),
    textAt(reader.registry ? null : paths.registry),
    textAt(reader.samples ? null : paths.samples),
  ]);
  const record = {
    ...guard,
    record: RECORD,
    keys: signers.map((address) => ({ address, endedAt: null })),
    logKeys,
    isServices: true,
  };
  const trusted: string[] = [];
  // Of another guard the service's keys say nothing.
  const event = view.judged?.event;
  if (event?.guard === guard.address && event.chainId === guard.chainId) {
    trusted.push("its guard", "its attestation key");
    if (logKeys.length > 0) trusted.push("the key of its decision log");
  }
  if (serviceRegistry !== null) trusted.push("the registry");
  if (policy !== null) trusted.push("the policy");
  if (serviceSamples !== null) trusted.push("the liquidity samples");
  const servicePolicies = policy === null ? [] : [policy];
  return { trusted, given: { known: [...known, record], servicePolicies, serviceRegistry, serviceSamples } };
}
