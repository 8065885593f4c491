/** What the providers allow, as they document it, and servers that hold everybody to it. */

/** Requests in any window of so many milliseconds. */
const DOCUMENTED: Readonly<Record<string, readonly [requests: number, perMs: number]>> = {
  jupiter: [30, 60_000],
  pancakeswap: [10, 1_000],
  kyberswap: [3, 1_000],
  dexscreener: [300, 60_000],
  pyth: [30, 10_000],
  finnhub: [60, 60_000],
};

export interface Limits {
  /** Whether a request may pass now. */
  admit(provider: string): boolean;
  /** Requests of each provider that were turned away. */
  readonly refused: Map<string, number>;
}

/** @param now unix milliseconds */
export function documentedLimits(now: () => number): Limits {
  const refused = new Map<string, number>();
  const lately = new Map<string, number[]>();
  return {
    refused,
    admit(provider) {
      const [requests, perMs] = DOCUMENTED[provider] ?? [Number.POSITIVE_INFINITY, 0];
      const times = (lately.get(provider) ?? []).filter((at) => now() - at < perMs);
      lately.set(provider, [...times, now()]);
      if (times.length < requests) return true;
      refused.set(provider, (refused.get(provider) ?? 0) + 1);
      return false;
    },
  };
}
