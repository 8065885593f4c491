/** A fault of the topology, and what is promised of it; and how a part becomes faulty. */
import type { Database } from "../../../database/open.ts";
import type { Part } from "../topology/part.ts";
import type { Topology } from "../topology/topology.ts";

export interface Scene {
  readonly topology: Topology;
  /** On the primary. */
  readonly db: Database;
}

export interface WholeFault {
  /** As the table names it. */
  readonly name: string;
  /**
   * Whether the rest goes on during the fault. Recovery then counts from its beginning, and otherwise from its end,
   * when the part's supervisor has restored it.
   */
  readonly isSurvived?: boolean;
  readonly holdMs: number;
  begin(scene: Scene): Promise<void>;
  end?(scene: Scene): Promise<void>;
  /** Looks for what only this fault promises. @returns promises that did not hold */
  check?(scene: Scene): Promise<readonly string[]>;
}

/** Long enough for who watches to act, and for clients to notice. */
export const HOLD_MS = 8_000;

type Choose = (scene: Scene) => Part | Promise<Part>;
type Given = Partial<Pick<WholeFault, "isSurvived" | "holdMs">>;
type Act = (part: Part) => void | Promise<void>;

function ofPart(name: string, choose: Choose, acts: { begin: Act; end: Act }, given: Given): WholeFault {
  let part: Part | undefined;
  return {
    name,
    holdMs: HOLD_MS,
    ...given,
    async begin(scene) {
      part = await choose(scene);
      await acts.begin(part);
    },
    async end() {
      if (part !== undefined) await acts.end(part);
    },
  };
}

export const killed = (name: string, choose: Choose, given: Given): WholeFault =>
  ofPart(name, choose, { begin: (part) => part.kill(), end: (part) => part.start() }, given);

export const frozen = (name: string, choose: Choose, given: Given = {}): WholeFault =>
  ofPart(name, choose, { begin: (part) => part.freeze(), end: (part) => part.thaw() }, given);
