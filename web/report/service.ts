/**
 * What the service that the page came from says of itself: its guard, its keys, its log's key, and what it gives by hash.
 * It is used only where the reader lets it, and the page then says what came from there.
 */
import type { ReaderTexts } from "../../attestor/verify/reader.ts";
import type { ServiceStatement } from "../props.ts";
import type { Judge } from "./judge.ts";
import type { Answer, KnownText, Question } from "./question.ts";
import type { Trusted } from "./Verdict.tsx";

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
  /** What came from the service and counted; null: nothing was asked of it. */
  readonly trusted: Trusted | null;
  readonly restsOnService: boolean;
  /** The service was to be asked and did not answer. */
  readonly isAway: boolean;
}

export interface Task {
  readonly input: Question["input"];
  readonly reader: ReaderTexts;
  readonly known: readonly KnownText[];
  /** null: without it. */
  readonly service: Service | null;
}

/**
 * Judges with what the reader has, and with the service's word where it is asked.
 * @returns null: a newer question came
 */
export async function judgeWith(
  judge: Judge,
  { input, reader, known, service }: Task,
): Promise<Outcome | null> {
  // A file's bytes go over to the worker by copy, so that they can be asked about again.
  const ask = (more: Partial<Question>) =>
    judge.ask({ input, reader, known, policies: [], serviceRegistry: null, samples: null, ...more });
  const first = await ask({});
  if (first === null) return null;
  if (service === null || first.kind !== "judged")
    return { answer: first, trusted: null, restsOnService: false, isAway: false };
  try {
    return await judgeOnItsStatement(first, service, { reader, known, ask });
  } catch {
    return { answer: first, trusted: null, restsOnService: false, isAway: true };
  }
}

interface Asking extends Pick<Task, "reader" | "known"> {
  ask(more: Partial<Question>): Promise<Answer | null>;
}

async function judgeOnItsStatement(
  first: Answer & { kind: "judged" },
  { statement, get }: Service,
  { reader, known, ask }: Asking,
): Promise<Outcome | null> {
  const trusted: Trusted[number][] = [];
  const isValid = (answer: Answer) => answer.kind === "judged" && answer.view.verdict === "VALID";
  const outcome = (answer: Answer): Outcome => ({
    answer,
    trusted,
    restsOnService: isValid(answer) && !isValid(first),
    isAway: false,
  });
  let answer: Answer & { kind: "judged" } = first;
  const { named } = first;
  const policies: string[] = [];
  const lacksPolicy = first.view.faults.includes("policy_unknown");
  const policy = lacksPolicy && named.policy !== null ? await get(`/policies/${named.policy}`) : null;
  if (policy !== null) {
    const next = await ask({ policies: [policy] });
    if (next?.kind !== "judged") return next && outcome(next);
    policies.push(policy);
    trusted.push("policies");
    answer = next;
  }
  const event = answer.view.judged?.event;
  if (event === undefined || event.chainId !== statement.chainId || event.guard !== statement.guard)
    return outcome(answer);
  const given = async (field: keyof ReaderTexts, path: string, hash: string | null) =>
    hash === null || (reader[field] ?? "") !== "" ? null : get(`/${path}/${hash}`);
  const registry = await given("registry", "registry", named.registry);
  const samples = await given("samples", "samples", named.samples);
  const record: KnownText = {
    chainId: statement.chainId,
    address: statement.guard,
    record: RECORD,
    keys: statement.signers.map((address) => ({ address, endedAt: null })),
    logKeys: statement.logKeys,
    isServices: true,
  };
  // What the reader's own program knows of the guard comes first.
  const next = await ask({ known: [...known, record], policies, serviceRegistry: registry, samples });
  if (next === null) return null;
  trusted.unshift("guard", "keys", ...(statement.logKeys.length > 0 ? (["logKeys"] as const) : []));
  if (registry !== null) trusted.push("registry");
  if (samples !== null) trusted.push("samples");
  return outcome(next);
}
