/** How a verification keeps its account, and how it compares what was claimed with what is right. */
import { canonicalJson } from "./values/canonical.ts";

export type Verdict = "VALID" | "INVALID" | "UNVERIFIABLE";

/**
 * `wrong` makes a document INVALID, `unknown` leaves it UNVERIFIABLE; `absent` says that there was
 * nothing to check.
 */
export type Outcome = "ok" | "wrong" | "unknown" | "absent";

export interface Step {
  readonly name: string;
  readonly outcome: Outcome;
  readonly detail: string;
}

/** A hostile document may put anything of any length where we quote it. */
const LONGEST_DETAIL = 500;

export class Steps {
  readonly #steps: Step[] = [];

  add(name: string, outcome: Outcome, detail: string): void {
    const clipped = detail.length > LONGEST_DETAIL ? `${detail.slice(0, LONGEST_DETAIL)}…` : detail;
    this.#steps.push({ name, outcome, detail: clipped });
  }

  judge(name: string, right: boolean, ok: string, wrong: string): void {
    this.add(name, right ? "ok" : "wrong", right ? ok : wrong);
  }

  conclude(): Conclusion {
    return concluded(this.#steps);
  }
}

export interface Conclusion {
  readonly verdict: Verdict;
  /** What decides comes first: what is wrong, then what is not known (the issuer before all else), then the rest. */
  readonly steps: readonly Step[];
}

/** The step that says who issued a document, and why the reader may trust it. */
export const ISSUER = "issuer";

export function concluded(steps: readonly Step[]): Conclusion {
  const rank = ({ name, outcome }: Step) =>
    outcome === "wrong" ? 0 : outcome !== "unknown" ? 3 : name === ISSUER ? 1 : 2;
  return { verdict: verdictOf(steps), steps: [...steps].sort((a, b) => rank(a) - rank(b)) };
}

/** One thing wrong outweighs what is not known; and nothing is VALID that nobody issued. */
function verdictOf(steps: readonly Step[]): Verdict {
  if (steps.some(({ outcome }) => outcome === "wrong")) return "INVALID";
  if (steps.some(({ outcome }) => outcome === "unknown")) return "UNVERIFIABLE";
  return steps.some(({ name, outcome }) => name === ISSUER && outcome === "ok") ? "VALID" : "UNVERIFIABLE";
}

/** The step that compares the trade with the registry; the verdict names a registry that nobody vouched for. */
export const REGISTRY = "registry";
/** The step of each fact that was read again from the chain. */
export const READ_AGAIN = "read again";

/** `a, b and c`. */
const LISTED = new Intl.ListFormat("en-GB");

/** The verdict in one sentence, for the one who has to decide what to do. */
export function sentenceOf({ verdict, steps }: Conclusion): string {
  const told = (outcome: Outcome, name?: string) =>
    steps.find((step) => step.outcome === outcome && (name === undefined || step.name === name))?.detail;
  const unchecked = told("absent", REGISTRY);
  if (verdict === "VALID")
    return `VALID: ${told("ok", ISSUER)}${unchecked === undefined ? "" : ` ${unchecked}`}`;
  if (verdict === "UNVERIFIABLE") return `UNVERIFIABLE: ${told("unknown") ?? "Nothing was checked."}`;
  const wrong = steps.filter(({ outcome }) => outcome === "wrong").map(({ name }) => name);
  const names = [...new Set(wrong)];
  const verb = names.length === 1 ? "does" : "do";
  return `INVALID: Do not act on this document: its ${LISTED.format(names)} ${verb} not match.`;
}

export type JsonObject = Readonly<Record<string, unknown>>;

/** The value as a JSON object; null when it is none. */
export function asRecord(value: unknown): JsonObject | null {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as JsonObject) : null;
}

/** Names of the expected members that the claimed object lacks or gives another value. */
export function differingMembers(claimed: unknown, expected: JsonObject): string[] {
  const record = asRecord(claimed) ?? {};
  return Object.keys(expected).filter((name) => !sameJson(record[name], expected[name]));
}

/** Names of members that the object has beside those. */
export function extraMembers(claimed: unknown, known: readonly string[]): string[] {
  return Object.keys(asRecord(claimed) ?? {}).filter((name) => !known.includes(name));
}

export function sameJson(claimed: unknown, expected: unknown): boolean {
  try {
    return canonicalJson(claimed) === canonicalJson(expected);
  } catch {
    // What has no canonical form is like nothing.
    return false;
  }
}
