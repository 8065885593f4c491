/**
 * What a verification comes to: eleven steps, always the same and in the same order, and the verdict that follows from
 * them. Everything is said in codes; `attestor/view` turns them into words.
 */
import type { Fact } from "../factKinds.ts";
import type { Logged } from "../log/verifyLog.ts";
import type { Report } from "../report.ts";
import type { Fault, Params } from "../values/fault.ts";
import type { UnixSeconds } from "../values/time.ts";

export type Verdict = "VALID" | "INVALID" | "UNVERIFIABLE";

export const STEP_NAMES = [
  "document",
  "hash",
  "policy",
  "judgement",
  "registry",
  "signatures",
  "state",
  "certificate",
  "issuer",
  "log",
  "chain",
] as const;
export type StepName = (typeof STEP_NAMES)[number];

/**
 * `wrong` makes a document INVALID, `unknown` leaves it UNVERIFIABLE. `not asked`: there was nothing to look at, or the
 * verification came to nothing before.
 */
export type Outcome = "ok" | "wrong" | "unknown" | "not asked";

export interface Step {
  readonly name: StepName;
  readonly outcome: Outcome;
  /** What makes it `wrong` or `unknown`; none otherwise. */
  readonly faults: readonly Fault[];
}

/** The reader's option that would check what is taken on trust, as `assay verify` calls it. */
export type Flag = "guard" | "header" | "log-key" | "policies" | "registry" | "rpc" | "samples" | "service";

/** What holds on a condition that was not checked, or was not looked at. It changes no verdict, unless the reader is strict. */
export interface Reservation extends Fault {
  readonly step: StepName;
  /** `trusted`: it rests on the service's word, or on the condition that the code names. `unchecked`: nobody looked. */
  readonly kind: "trusted" | "unchecked";
  /** What would check it; null: nothing that a reader can give. */
  readonly flag: Flag | null;
}

/** A certificate whose signature holds. */
export interface Issuance {
  readonly chainId: number;
  readonly guard: string;
  /** The key that signed. */
  readonly signer: string;
}

/** Why the reader may trust the issuer, as a code with what its words name. */
export interface IssuerReason {
  readonly code: string;
  readonly params: Params;
}

export interface Verification {
  readonly verdict: Verdict;
  /** All eleven, in their order. */
  readonly steps: readonly Step[];
  readonly reservations: readonly Reservation[];
  /**
   * Whether nothing is wrong and nothing was missing but an issuer whom the reader trusts. A report that nobody signed
   * gets no further than this, and anybody can make one.
   */
  readonly isConsistent: boolean;
  /** The evidence hash as recomputed; null when there is no evidence to hash. */
  readonly evidenceHash: string | null;
  /** The report as judged again; null when it could not be. */
  readonly report: Report | null;
  /** What each fact of the evidence rests on, as this reader can tell; empty without evidence that could be judged. */
  readonly facts: readonly Fact[];
  /** Struct hash of the trade intent in the document; null where it has none. */
  readonly intentHash: string | null;
  /** Unix seconds until when the guard carries the trade out; null where the document has no execution. */
  readonly executableUntil: UnixSeconds | null;
  /** Where a decision log that the reader trusts has the report; null: in none. */
  readonly logged: Logged | null;
  /** What a certificate with a valid signature says; null without one. Its signer may be untrusted. */
  readonly issuance: Issuance | null;
  /** Why the reader may trust the issuer; null where step `issuer` is not ok. */
  readonly issuedBy: IssuerReason | null;
}

/** Whether a verification rests on this: a reservation, or to a strict reader a fault. */
export function restsOn({ steps, reservations }: Pick<Verification, "steps" | "reservations">, code: string) {
  return [...reservations, ...steps.flatMap(({ faults }) => faults)].some((one) => one.code === code);
}

interface Found {
  isAsked: boolean;
  readonly wrong: Fault[];
  readonly unknown: Fault[];
}

/** Keeps the account of a verification while its steps are taken. */
export class Account {
  readonly #found = new Map<StepName, Found>();
  readonly #reservations: Reservation[] = [];
  readonly #isStrict: boolean;

  /** @param isStrict whether what could be checked and was not leaves the document UNVERIFIABLE */
  constructor(isStrict: boolean) {
    this.#isStrict = isStrict;
  }

  #of(step: StepName): Found {
    const found = this.#found.get(step) ?? { isAsked: false, wrong: [], unknown: [] };
    this.#found.set(step, found);
    return found;
  }

  /** The step has something to look at: it is ok unless a fault says otherwise. */
  ask(step: StepName): void {
    this.#of(step).isAsked = true;
  }

  wrong(step: StepName, code: string, params: Params = {}): void {
    this.#of(step).wrong.push({ code, params });
  }

  unknown(step: StepName, code: string, params: Params = {}): void {
    this.#of(step).unknown.push({ code, params });
  }

  /**
   * Something rests on the service's word, or on a condition.
   * @param flag the option that would check it: without it a strict reader gets no VALID
   */
  trust(step: StepName, code: string, params: Params = {}, flag: Flag | null = null): void {
    if (this.#isStrict && flag !== null) this.unknown(step, code, params);
    else this.#reservations.push({ kind: "trusted", step, code, params, flag });
  }

  /** Something rests on the service's word that no option checks, and that a strict reader does not accept. */
  trustUnlessStrict(step: StepName, code: string, params: Params = {}): void {
    if (this.#isStrict) this.unknown(step, code, params);
    else this.trust(step, code, params);
  }

  /** A part of the document that nobody looks at, and that no verdict vouches for. */
  leave(step: StepName, code: string, params: Params = {}): void {
    this.#reservations.push({ kind: "unchecked", step, code, params, flag: null });
  }

  isWrong(step: StepName): boolean {
    return this.#of(step).wrong.length > 0;
  }

  conclude(): Conclusion {
    const steps = STEP_NAMES.map((name) => stepOf(name, this.#of(name)));
    return { ...concluded(steps), reservations: [...this.#reservations] };
  }
}

function stepOf(name: StepName, { isAsked, wrong, unknown }: Found): Step {
  const faults = [...wrong, ...unknown];
  if (wrong.length > 0) return { name, outcome: "wrong", faults };
  if (unknown.length > 0) return { name, outcome: "unknown", faults };
  return { name, outcome: isAsked ? "ok" : "not asked", faults };
}

export type Conclusion = Pick<Verification, "verdict" | "steps" | "isConsistent" | "reservations">;

/** The verdict on steps: one thing wrong outweighs what is not known, and nothing is VALID that nobody issued. */
function concluded(steps: readonly Step[]): Omit<Conclusion, "reservations"> {
  const isAny = (outcome: Outcome) => steps.some((step) => step.outcome === outcome);
  const isIssued = steps.some(({ name, outcome }) => name === "issuer" && outcome === "ok");
  const isConsistent = steps.every(
    ({ name, outcome }) =>
      outcome === "ok" || outcome === "not asked" || (name === "issuer" && outcome === "unknown"),
  );
  let verdict: Verdict = isIssued ? "VALID" : "UNVERIFIABLE";
  if (isAny("unknown")) verdict = "UNVERIFIABLE";
  if (isAny("wrong")) verdict = "INVALID";
  return { verdict, steps, isConsistent };
}
