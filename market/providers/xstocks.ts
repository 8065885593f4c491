/** xStocks' own API: its tokens, their halts, and how many shares a token stands for. */
import { z } from "zod";
import { type Chain, chainsOf, nameBy } from "../../attestor/chains.ts";
import type { MarketAsset } from "../queries.ts";
import type { Answer, ListingState, Rejected, ShareRatio, Source } from "../statement.ts";
import { ProviderFault } from "./fault.ts";
import type { Http } from "./http.ts";
import { withMissing } from "./listings.ts";
import { MINUTE_MS, provider } from "./provider.ts";
import { readable, readRows } from "./rows.ts";
import { canonicalAddress, IsoAsSeconds, PositiveDecimal, UnixSeconds } from "./values.ts";

const NAME = "xstocks";
const PAGE_SIZE = 100;
const MAX_PAGES = 50;
const LIST_MS = 240_000;
/** So many multipliers are asked for in a round, one request each. */
export const MOST_MULTIPLIERS = 24;
/** A multiplier that could not be had again for so long says nothing any more: twice what all tokens take to come. */
const MULTIPLIER_MS = 3_600_000;

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
  .transform(({ currentMultiplier: current, newMultiplier, activationDateTime, reason }) => {
    // A time of zero is how nothing is said to be scheduled.
    const effectiveAt = activationDateTime || null;
    const isChange = effectiveAt !== null || newMultiplier !== current;
    const next = (isChange && newMultiplier) || null;
    const isAnnounced = next !== null || effectiveAt !== null;
    return { current, change: isAnnounced ? { next, effectiveAt, reason: reasonOf(reason) } : null };
  });
type Multiplier = z.infer<typeof Multiplier>;

function reasonOf(reason: unknown): "split" | "dividend" | null {
  const text = typeof reason === "string" ? reason : "";
  if (/\bsplit\b/i.test(text)) return "split";
  return /\bdividend\b/i.test(text) ? "dividend" : null;
}

export const XSTOCKS = provider({
  name: NAME,
  setting: "XSTOCKS",
  baseUrl: "https://api.xstocks.fi",
  // It documents no limit; two requests a second keep well clear of one. Collectors read its list, and some multipliers.
  rate: { requests: 120, perMs: MINUTE_MS, collectors: 0.2 },
  open: (http) => ({
    /** By symbol, all tokens with a deployment on the chain. @throws ProviderFault */
    assets: (chain: Chain) => assets(http, chain),
    /**
     * How many shares a token is, with an announced change: what it means depends on the chain (`sharesPerUnit`). Nothing for
     * a symbol that xStocks does not know.
     * @throws ProviderFault
     */
    async multiplier(symbol: string, chain: Chain): Promise<Answer<ShareRatio>> {
      const path = `/api/v2/public/assets/${encodeURIComponent(symbol)}/multiplier?network=${nameBy(NAME, chain)}`;
      const { data, rawHash } = await http.getJson<Multiplier | null>(path, Multiplier, { refusal: unknown });
      if (data === null)
        return { statements: [], rejected: [{ of: "ratio", subject: symbol, reason: "missing" }] };
      const stated = { subject: symbol, source: NAME, origin: NAME, at: null, rawHash };
      const ratio: ShareRatio = { ...stated, of: "ratio", figure: data.current, change: data.change };
      return { statements: [ratio], rejected: [] };
    },
  }),
  sources(xstocks, { tokens }) {
    const ofIssuer = tokens.filter(({ issuer }) => issuer === NAME);
    const lists = chainsOf(NAME).flatMap((chain): Source[] => {
      const listed = ofIssuer.filter((token) => token.chain === chain);
      const ask = async () => withMissing(NAME, await xstocks.assets(chain), listed, ({ symbol }) => symbol);
      const list = { asks: "list", name: NAME, of: ["listing"], keepsMs: LIST_MS, ask } as const;
      return listed.length === 0 ? [] : [list];
    });
    const scaled = new Map(
      tokens.filter(({ shares }) => shares === "multiplier").map((token) => [token.assetKey, token]),
    );
    if (scaled.size === 0) return lists;
    const multipliers: Source = {
      asks: "slow",
      name: NAME,
      of: ["ratio"],
      subjects: [...scaled.keys()],
      isLastResort: false,
      perRound: MOST_MULTIPLIERS,
      againMs: 0,
      keepsMs: MULTIPLIER_MS,
      async ask(assetKey) {
        const { symbol, chain } = scaled.get(assetKey) as MarketAsset;
        const { statements, rejected } = await xstocks.multiplier(symbol, chain);
        return { statements: statements.map((one) => ({ ...one, subject: assetKey })), rejected };
      },
    };
    return [...lists, multipliers];
  },
  tryOut: (xstocks) => xstocks.multiplier("TSLAx", "solana"),
});

async function assets(http: Http, chain: Chain): Promise<Answer<ListingState>> {
  const bySymbol = new Map<string, ListingState>();
  const rejected: Rejected[] = [];
  for (let page = 0; page < MAX_PAGES; page++) {
    const query = `network=${nameBy(NAME, chain)}&page=${page}&pageSize=${PAGE_SIZE}`;
    const { data, rawHash } = await http.getJson(`/api/v2/public/assets?${query}`, Page);
    // A server that repeats one page forever would otherwise look like a long list.
    if (data.page.currentPage !== page) throw new ProviderFault(NAME, "shape", { rawHash });
    const read = readRows("listing", data.nodes, Node, (index) => `page ${page}, asset ${index}`);
    rejected.push(...read.rejected);
    for (const node of read.rows) {
      const listing = listingOf(node, chain, rawHash);
      if (bySymbol.has(node.symbol))
        rejected.push({ of: "listing", subject: node.symbol, reason: "duplicate" });
      else if (listing.addresses?.length !== 0) bySymbol.set(node.symbol, listing);
    }
    if (!data.page.hasNextPage)
      return readable(NAME, { statements: [...bySymbol.values()], rejected }, rawHash);
  }
  throw new ProviderFault(NAME, "too_large");
}

function listingOf(node: z.infer<typeof Node>, chain: Chain, rawHash: string): ListingState {
  const addresses = node.deployments
    .filter((deployment) => deployment.network === nameBy(NAME, chain))
    .map((deployment) => canonicalAddress(chain, deployment.address ?? ""))
    .filter((address) => address !== null);
  const stated = { subject: node.symbol, source: NAME, origin: NAME, at: null, rawHash };
  return { ...stated, of: "listing", figure: "listed", isHalted: node.isTradingHalted, addresses };
}

function unknown(status: number): null | undefined {
  return status === 404 ? null : undefined;
}
