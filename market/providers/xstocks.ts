/** xStocks' own API: its tokens, their halts, and how many shares a token stands for. */
import { z } from "zod";
import { type Chain, nameBy } from "../../attestor/chains.ts";
import { ProviderFault } from "./fault.ts";
import type { Upstream } from "./http.ts";
import { MINUTE_MS, provider } from "./provider.ts";
import { type Batch, type Rejected, rawHashOf, readable, readRows } from "./records.ts";
import { canonicalAddress, IsoAsSeconds, PositiveDecimal, UnixSeconds } from "./values.ts";

const NAME = "xstocks";
const PAGE_SIZE = 100;
const MAX_PAGES = 50;
/** So many multipliers are asked for in a round, one request each. */
export const MOST_MULTIPLIERS = 24;

export interface XStock {
  readonly symbol: string;
  /** Ticker of the stock. */
  readonly underlying: string;
  readonly isHalted: boolean;
  /** Addresses on the chain that was asked for. */
  readonly addresses: readonly string[];
  /** Unix seconds by our clock. */
  readonly receivedAt: number;
  /** keccak256 of the page that contains it. */
  readonly rawHash: string;
}

/**
 * The issuer's multiplier, and an announced change of it: `factorAt` says which counts. What it means depends on the
 * chain: see `sharesPerUnit`.
 */
export interface MultiplierSchedule {
  readonly current: string;
  /** Null where nothing is announced, or no value is known yet. */
  readonly next: string | null;
  /** Unix seconds; null where nothing is announced, or no time is known yet. */
  readonly effectiveAt: number | null;
  /** Why it changes; null where no reason is given, or an unknown one. */
  readonly reason: "split" | "dividend" | null;
  /** Unix seconds by our clock. */
  readonly receivedAt: number;
  readonly rawHash: string;
}

type Schedule = Pick<MultiplierSchedule, "current" | "next" | "effectiveAt" | "reason">;

export type XStocks = ReturnType<typeof XSTOCKS.open>;

const Page = z.looseObject({
  nodes: z.array(z.unknown()),
  page: z.looseObject({ currentPage: z.int(), hasNextPage: z.boolean() }),
});
const Node = z.looseObject({
  symbol: z.string().regex(/^[A-Za-z0-9.-]{1,16}$/),
  underlyingSymbol: z.string().regex(/^[A-Za-z0-9./-]{1,16}$/),
  // No default: a token of unknown state must not pass for one that trades.
  isTradingHalted: z.boolean(),
  deployments: z.array(z.looseObject({ network: z.string(), address: z.string().nullish() })),
});

const Multiplier = z
  .looseObject({
    currentMultiplier: PositiveDecimal,
    newMultiplier: PositiveDecimal.nullish(),
    activationDateTime: z.union([IsoAsSeconds, UnixSeconds]).nullish(),
    // Of its words there is no list, and none of them is needed.
    reason: z.unknown().optional(),
  })
  .transform(({ currentMultiplier, newMultiplier, activationDateTime, reason }): Schedule => {
    // A time of zero is how nothing is said to be scheduled.
    const effectiveAt = activationDateTime || null;
    const isChange = effectiveAt !== null || newMultiplier !== currentMultiplier;
    const next = (isChange && newMultiplier) || null;
    return { current: currentMultiplier, next, effectiveAt, reason: reasonOf(reason) };
  });

function reasonOf(reason: unknown): Schedule["reason"] {
  const said = typeof reason === "string" ? reason : "";
  if (/\bsplit\b/i.test(said)) return "split";
  return /\bdividend\b/i.test(said) ? "dividend" : null;
}

export const XSTOCKS = provider({
  name: NAME,
  setting: "XSTOCKS",
  baseUrl: "https://api.xstocks.fi",
  // It documents no limit; two requests a second keep well clear of one. Collectors read its list, and some multipliers.
  rate: { requests: 120, perMs: MINUTE_MS, jobs: 96 },
  open: (upstream) => ({
    /** All tokens with a deployment on the chain. @throws ProviderFault */
    assets: (chain: Chain) => assets(upstream, chain),
    /** @returns null for a symbol that xStocks does not know @throws ProviderFault */
    async multiplier(symbol: string, chain: Chain): Promise<MultiplierSchedule | null> {
      const path = `/api/v2/public/assets/${encodeURIComponent(symbol)}/multiplier?network=${nameBy(NAME, chain)}`;
      const answer = await upstream.getJson<Schedule | null>(path, Multiplier, { refusal: unknown });
      if (answer.data === null) return null;
      return { ...answer.data, receivedAt: answer.receivedAt, rawHash: rawHashOf(answer) };
    },
  }),
  tryOut: (api) => api.multiplier("TSLAx", "solana"),
});

async function assets(upstream: Upstream, chain: Chain): Promise<Batch<XStock>> {
  const bySymbol = new Map<string, XStock>();
  const rejected: Rejected[] = [];
  for (let page = 0; page < MAX_PAGES; page++) {
    const query = `network=${nameBy(NAME, chain)}&page=${page}&pageSize=${PAGE_SIZE}`;
    const answer = await upstream.getJson(`/api/v2/public/assets?${query}`, Page);
    const { data } = answer;
    // A server that repeats one page forever would otherwise look like a long list.
    const rawHash = rawHashOf(answer);
    if (data.page.currentPage !== page) throw new ProviderFault(NAME, "shape", { rawHash });
    const batch = readRows(data.nodes, Node, (index) => `page ${page}, asset ${index}`);
    rejected.push(...batch.rejected);
    for (const node of batch.rows) {
      const asset = assetOf(node, chain, answer.receivedAt, rawHash);
      if (bySymbol.has(asset.symbol)) rejected.push({ key: asset.symbol, reason: "duplicate" });
      else if (asset.addresses.length > 0) bySymbol.set(asset.symbol, asset);
    }
    if (!data.page.hasNextPage)
      return readable(NAME, { rows: [...bySymbol.values()], rejected }, { rawHash });
  }
  throw new ProviderFault(NAME, "too_large");
}

function assetOf(node: z.infer<typeof Node>, chain: Chain, receivedAt: number, rawHash: string): XStock {
  const addresses = node.deployments
    .filter((deployment) => deployment.network === nameBy(NAME, chain))
    .map((deployment) => canonicalAddress(chain, deployment.address ?? ""))
    .filter((address) => address !== null);
  return {
    symbol: node.symbol,
    underlying: node.underlyingSymbol,
    isHalted: node.isTradingHalted,
    addresses,
    receivedAt,
    rawHash,
  };
}

function unknown(status: number): null | undefined {
  return status === 404 ? null : undefined;
}
