/** How requests to providers ended, counted until somebody takes the counts. */
import type { ProviderOutcome } from "../collect/sources.ts";
import type { Outcome } from "../providers/request.ts";

/** @param now unix milliseconds */
export function createOutcomes(now: () => number) {
  let counts = new Map<string, ProviderOutcome>();
  return {
    note({ provider, kind }: Outcome): void {
      const key = `${provider} ${kind}`;
      const count = (counts.get(key)?.count ?? 0) + 1;
      counts.set(key, { provider, kind, count, lastAt: Math.floor(now() / 1_000) });
    },
    drain(): ProviderOutcome[] {
      const drained = [...counts.values()];
      counts = new Map();
      return drained;
    },
  };
}
