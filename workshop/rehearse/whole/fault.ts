/** A fault of the whole shape, and what is promised of it. */
import type { Database } from "../../../database/open.ts";
import type { Load } from "../load/clients.ts";
import type { Ledger } from "../load/ledger.ts";
import type { Shape } from "../shape/shape.ts";

export interface Scene {
  readonly shape: Shape;
  readonly load: Load;
  readonly ledger: Ledger;
  /** On the primary, without a detour. Another one after a promotion. */
  db(): Database;
  say(line: string): void;
}

export interface WholeFault {
  /** As the table of docs/operations.md names it. */
  readonly name: string;
  /** Whether `--short` makes it. */
  readonly isShort: boolean;
  /**
   * Whether the rest goes on while it stands. Recovery counts from its beginning then, and otherwise from its end, which
   * is when whoever supervises the part has it back.
   */
  readonly isSurvived: boolean;
  /** How long it stands. */
  readonly holdMs: number;
  /** The shape is another one after it, so that a second try would not be the same. */
  readonly isOnce?: boolean;
  begin(scene: Scene): Promise<void>;
  end(scene: Scene): Promise<void>;
  /** Brings the shape back to what it was, after the measurement. */
  after?(scene: Scene): Promise<void>;
  /** Looks for what only this fault promises. @returns promises that did not hold */
  check?(scene: Scene): Promise<readonly string[]>;
}

/** What this machine cannot do. */
export class NotPossible extends Error {}

/** Long enough for who watches to act, and for clients to notice. */
export const HOLD_MS = 8_000;
