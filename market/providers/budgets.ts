/**
 * One gate for each provider and lane, shared by all callers. A provider's limit is divided: so many requests are
 * reserved for the lookups of jobs, the rest is the collectors', and a part stays unused.
 *
 * The guarantee to providers: no window of the limit's length, wherever it begins, has more requests than the limit.
 * A lane's slots keep its share in every such window. A process that was delayed within a slot adds one request,
 * which the unused part covers. A request without a slot is never sent.
 */
import { type Clock, systemClock } from "./clock.ts";
import { createSlicePacer, type Slice } from "./pace.ts";
import { createRateGate, type LockOut, type RateGate, type RateLimit, type Use } from "./rate.ts";

/** Of what a provider allows; clocks differ, and others may ask from the same address. */
const HEADROOM = 0.9;
const PATIENCE_MS = 30_000;

export type Lane = "jobs" | "collecting";

/** What processes share. While it throws nobody asks the provider: what others ask is not known. */
export interface SlotStore {
  /** Slots that no other process has, the next that are free. @returns since when, and until when a provider locked us out */
  lease(
    lane: { readonly provider: string; readonly lane: Lane; readonly spacingMs: number },
    slots: number,
  ): Promise<Slice & { readonly blockedUntil: number }>;
  /** Tells the others that the provider wants to hear of nobody. @param until unix milliseconds */
  block(provider: string, until: number): Promise<void>;
}

export interface Budgets {
  gateOf(provider: string, rate: RateLimit, use: Use): RateGate;
}

/** For a server of one's own, which nobody limits. */
export const UNLIMITED: Budgets = {
  gateOf: () => ({
    acquire: async () => ({ use: async () => true, end: () => {} }),
    observe: () => {},
    lockOut: () => 0,
  }),
};

/** Requests in the rate's window that a lane may make. */
export function shareOf({ requests, jobs = 0 }: RateLimit, lane: Lane): number {
  return lane === "jobs" ? jobs : requests * HEADROOM - jobs;
}

const laneOf = (use: Use): Lane => (use === "job" ? "jobs" : "collecting");

/** Milliseconds between two requests of a lane. */
const spacingOf = (rate: RateLimit, lane: Lane): number => rate.perMs / shareOf(rate, lane);

/** @param deps.store what several processes share; without it this one has the limits for itself */
export function createBudgets(deps: { readonly clock?: Clock; readonly store?: SlotStore } = {}): Budgets {
  const { clock = systemClock, store } = deps;
  const gates = new Map<string, RateGate>();
  const lockOuts = new Map<string, LockOut>();

  const lockOutOf = (provider: string): LockOut => {
    const known = lockOuts.get(provider);
    if (known) return known;
    const made: LockOut = {
      until: 0,
      // A process that misses this learns it from a 429 of its own.
      onBlock: (until) => void store?.block(provider, until).catch(() => {}),
    };
    lockOuts.set(provider, made);
    return made;
  };

  const open = (provider: string, rate: RateLimit, lane: Lane): RateGate => {
    if (shareOf(rate, lane) <= 0) throw new Error(`${provider} has no requests for ${lane}`);
    const lockOut = lockOutOf(provider);
    const spacingMs = spacingOf(rate, lane);
    const own = { ...rate, requests: 1, perMs: spacingMs };
    const common = { name: provider, rate: own, clock, patienceMs: PATIENCE_MS, lockOut };
    if (!store) return createRateGate(common);
    const lease = leaseFrom(store, { provider, lane, spacingMs }, lockOut);
    return createRateGate({ ...common, pacer: createSlicePacer(spacingMs, lease, clock) });
  };

  return {
    gateOf(provider, rate, use) {
      const lane = laneOf(use);
      const key = `${provider} ${lane}`;
      const gate = gates.get(key) ?? open(provider, rate, lane);
      gates.set(key, gate);
      return gate;
    },
  };
}

/** What a failed statement took, if it was carried out, nobody uses. */
function leaseFrom(
  store: SlotStore,
  lane: Parameters<SlotStore["lease"]>[0],
  lockOut: LockOut,
): (slots: number) => Promise<Slice | null> {
  return async (slots) => {
    const slice = await store.lease(lane, slots).catch(() => null);
    if (slice) lockOut.until = Math.max(lockOut.until, slice.blockedUntil);
    return slice;
  };
}
