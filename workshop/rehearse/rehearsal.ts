/** What one rehearsed fault is, and what it showed. */

export interface Rehearsal {
  /** As the table of docs/operations.md names it. */
  readonly fault: string;
  /** Makes the fault, watches what clients see, ends it, and watches the recovery. */
  run(): Promise<Outcome>;
}

export interface Outcome {
  /** What clients saw, with figures of this run. */
  readonly clients: string;
  /** Milliseconds from the end of the fault until all was well; null: there was nothing to recover from. */
  readonly recoveredAfterMs: number | null;
  /** Where an operator sees it. */
  readonly operator: string;
  /** Promises that did not hold in this run. */
  readonly broken: readonly string[];
}

/** This machine cannot make the fault, such as fill a disk of its own. */
export class NotHere extends Error {
  constructor(reason: string) {
    super(reason);
    this.name = "NotHere";
  }
}

/** Collects what did not hold. */
export function promises(): { hold(what: string, holds: boolean): void; readonly broken: string[] } {
  const broken: string[] = [];
  return {
    broken,
    hold: (what, holds) => {
      if (!holds) broken.push(what);
    },
  };
}
