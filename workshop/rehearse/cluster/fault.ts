/** A fault of the topology, and what is promised of it; and how parts and ways become faulty. */
import type { Database } from "../../../database/open.ts";
import type { Load } from "../load/clients.ts";
import type { Ledger } from "../load/ledger.ts";
import type { Part } from "../topology/part.ts";
import type { Topology, Way } from "../topology/topology.ts";

export interface Scene {
  readonly topology: Topology;
  readonly load: Load;
  readonly ledger: Ledger;
  /** On the primary, without a detour. Another one after a promotion. */
  db(): Database;
  say(line: string): void;
}

export interface WholeFault {
  /** As the table of docs/benchmarks.md names it. */
  readonly name: string;
  readonly isShort?: boolean;
  /**
   * Whether the rest goes on during the fault. Recovery then counts from its beginning, and otherwise from its end,
   * when the part's supervisor has restored it.
   */
  readonly isSurvived?: boolean;
  readonly holdMs: number;
  begin(scene: Scene): Promise<void>;
  end?(scene: Scene): Promise<void>;
  /** Brings the topology back to what it was, after the measurement. */
  after?(scene: Scene): Promise<void>;
  /** Looks for what only this fault promises. @returns promises that did not hold */
  check?(scene: Scene): Promise<readonly string[]>;
}

/** What this machine cannot do. */
export class NotPossible extends Error {}

/** Long enough for who watches to act, and for clients to notice. */
export const HOLD_MS = 8_000;

/** Of a fault that the rest goes on beside. */
export const survived = { isSurvived: true } as const;

type Choose = (scene: Scene) => Part | Promise<Part>;
type Given = Partial<Pick<WholeFault, "isShort" | "isSurvived" | "holdMs">>;
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

export const killed = (name: string, choose: Choose, given: Given = {}): WholeFault =>
  ofPart(name, choose, { begin: (part) => part.kill(), end: (part) => part.start() }, given);

export const frozen = (name: string, choose: Choose, given: Given = {}): WholeFault =>
  ofPart(name, choose, { begin: (part) => part.freeze(), end: (part) => part.thaw() }, given);

/** As its supervisor restarts it: at once. */
export const restarted = (
  name: string,
  choose: Choose,
  { signal = "SIGTERM", ...given }: Given & { signal?: NodeJS.Signals } = {},
): WholeFault => ({
  name,
  holdMs: 0,
  ...given,
  async begin(scene) {
    const part = await choose(scene);
    await part.end(signal);
    await part.start();
  },
});

export const cut = (name: string, way: Way, given: Given = {}): WholeFault => ({
  name,
  holdMs: HOLD_MS,
  ...given,
  begin: async ({ topology }) => topology.ways[way].silence(),
  end: async ({ topology }) => topology.ways[way].recover(),
});
