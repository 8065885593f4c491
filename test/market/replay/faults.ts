/** A day in which something is wrong all the time: what, when, and which answers are lies because of it. */
import type { ReplayWorld } from "../../support/providers/replay.ts";

export interface Fault {
  readonly name: string;
  /** Minutes of the day that is replayed; the end is exclusive. */
  readonly from: number;
  readonly to: number;
  begin(world: ReplayWorld): void;
  end(world: ReplayWorld): void;
}

/** Answers that say what is not so, which no figure may come of. */
export interface Lies {
  reference(provider: string, minute: number): boolean;
  mark(provider: string, minute: number): boolean;
  pool(address: string): boolean;
  ratio(minute: number): boolean;
}

type Change = Pick<Fault, "begin" | "end">;

const away = (provider: string): Change => ({
  begin: (world) => world.down.add(provider),
  end: (world) => world.down.delete(provider),
});

const FAKE_POOL = "f";
const firstOnSolana = ({ tokens }: ReplayWorld) =>
  tokens.filter(({ chain }) => chain === "solana").slice(0, 1);

/** As a provider does that gives a field another name. */
function renamed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(renamed);
  if (typeof value !== "object" || value === null) return value;
  const { priceUsd, ...rest } = value as Record<string, unknown>;
  return { ...rest, price_usd: priceUsd };
}

const CHANGES = {
  "Hyperliquid is away": away("hyperliquid"),
  "Pyth's prices are 1.9 times what they are": {
    begin: (world) => Object.assign(world.pyth, { factor: 1.9 }),
    end: (world) => Object.assign(world.pyth, { factor: 1 }),
  },
  "a pool of each token states 9 billion of liquidity, 900 million of volume and another price": {
    begin: (world) => {
      for (const { pools } of world.tokens)
        pools.push({
          address: (pools[0]?.address ?? "").replace("c", FAKE_POOL),
          priceFactor: 1.3968,
          liquidityUsd: 9_000_000_000,
          volumeUsd: 900_000_000,
          trades: 3,
        });
    },
    end: (world) => {
      for (const { pools } of world.tokens) pools.pop();
    },
  },
  "Hyperliquid's marks are 1.5 times its oracle": {
    begin: (world) => Object.assign(world.hyperliquid, { markFactor: 1.5 }),
    end: (world) => Object.assign(world.hyperliquid, { markFactor: 1.001 }),
  },
  "DexScreener has renamed priceUsd": {
    begin: (world) => {
      world.rewrite = (provider, body) => (provider === "dexscreener" ? renamed(body) : body);
    },
    end: (world) => {
      world.rewrite = (_provider, body) => body;
    },
  },
  "Jupiter is away": away("jupiter"),
  "DexScreener is away, over midnight": away("dexscreener"),
  "nobody on Solana quotes a token": {
    begin: (world) => {
      for (const token of firstOnSolana(world)) token.depthUsd = 0;
    },
    end: (world) => {
      for (const token of firstOnSolana(world)) token.depthUsd = 1_000_000;
    },
  },
  "share ratios are 1.5 times what they are": {
    begin: (world) => Object.assign(world, { ratioFactor: 1.5 }),
    end: (world) => Object.assign(world, { ratioFactor: 1 }),
  },
  "Pyth is away": away("pyth"),
  "Binance is away": away("binance"),
} satisfies Record<string, Change>;

type Times = Readonly<Record<keyof typeof CHANGES, readonly [from: number, to: number]>>;

export interface Schedule {
  readonly from: number;
  readonly to: number;
  readonly faults: readonly Fault[];
  readonly lies: Lies;
}

function schedule(from: number, to: number, times: Times): Schedule {
  const during = (name: keyof Times, minute: number) => minute >= times[name][0] && minute < times[name][1];
  return {
    from,
    to,
    faults: (Object.keys(CHANGES) as (keyof Times)[]).map((name) => {
      const [begin, end] = times[name];
      return { name, from: begin, to: end, ...CHANGES[name] };
    }),
    lies: {
      reference: (provider, minute) =>
        provider === "pyth" && during("Pyth's prices are 1.9 times what they are", minute),
      mark: (provider, minute) =>
        provider === "hyperliquid" && during("Hyperliquid's marks are 1.5 times its oracle", minute),
      pool: (address) => address.startsWith(FAKE_POOL) || address.startsWith(`0x${FAKE_POOL}`),
      ratio: (minute) => during("share ratios are 1.5 times what they are", minute),
    },
  };
}

/** A day that begins at 15:00 UTC, so that midnight is its minute 540. */
export const DAY = schedule(0, 1_440, {
  "Hyperliquid is away": [60, 125],
  "Pyth's prices are 1.9 times what they are": [130, 200],
  "a pool of each token states 9 billion of liquidity, 900 million of volume and another price": [210, 300],
  "Hyperliquid's marks are 1.5 times its oracle": [310, 360],
  "DexScreener has renamed priceUsd": [370, 430],
  "Jupiter is away": [440, 470],
  "DexScreener is away, over midnight": [520, 560],
  "nobody on Solana quotes a token": [600, 660],
  "share ratios are 1.5 times what they are": [700, 730],
  "Pyth is away": [800, 900],
  "Binance is away": [1_000, 1_100],
});

/** The same faults in the hours around midnight. */
export const SHORT_DAY = schedule(480, 600, {
  "Hyperliquid is away": [575, 590],
  "Pyth's prices are 1.9 times what they are": [490, 505],
  "a pool of each token states 9 billion of liquidity, 900 million of volume and another price": [495, 535],
  "Hyperliquid's marks are 1.5 times its oracle": [500, 510],
  "DexScreener has renamed priceUsd": [515, 525],
  "Jupiter is away": [550, 560],
  "DexScreener is away, over midnight": [535, 550],
  "nobody on Solana quotes a token": [560, 575],
  "share ratios are 1.5 times what they are": [565, 575],
  "Pyth is away": [580, 590],
  "Binance is away": [585, 595],
});
