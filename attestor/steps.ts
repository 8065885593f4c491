/** How a verification keeps its account, and how it compares what was claimed with what is right. */
import { canonicalJson } from "./canonical.ts";

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

  conclude(): { verdict: Verdict; steps: readonly Step[] } {
    return { verdict: verdictOf(this.#steps), steps: this.#steps };
  }
}

/** One thing wrong outweighs what is not known. */
export function verdictOf(steps: readonly Step[]): Verdict {
  if (steps.some(({ outcome }) => outcome === "wrong")) return "INVALID";
  return steps.length === 0 || steps.some(({ outcome }) => outcome === "unknown") ? "UNVERIFIABLE" : "VALID";
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

function sameJson(claimed: unknown, expected: unknown): boolean {
  try {
    return canonicalJson(claimed) === canonicalJson(expected);
  } catch {
    // What has no canonical form is like nothing.
    return false;
  }
}
