/** What issuers' lists and mints say of the tokens: halts, tokens that are gone, tokens that moved. */
import { chainsOf } from "../../attestor/chains.ts";
import type { Findings, ListingState } from "../collect/sources.ts";
import { BINANCE_RWA, RATIO_CHAIN } from "../providers/binanceRwa.ts";
import type { Batch } from "../providers/records.ts";
import { SOLANA } from "../providers/solana.ts";
import { canonicalAddress, sameAddress } from "../providers/values.ts";
import { XSTOCKS } from "../providers/xstocks.ts";
import type { MarketAsset } from "../queries.ts";
import { askedOf, type LiveAsset, onChain } from "./assets.ts";
import { gathered } from "./findings.ts";
import type { Upstreams } from "./upstreams.ts";

/** What a list says of a token; undefined: it has none. */
type StateOf = (asset: LiveAsset) => Omit<ListingState, "assetKey" | "source"> | undefined;

export async function listingsOf(
  upstreams: Upstreams,
  wanted: readonly MarketAsset[],
): Promise<Findings<ListingState>> {
  const asked = askedOf(upstreams, wanted);
  const { xstocks, shareRatios, mints } = upstreams;
  const lists = [
    ...chainsOf(XSTOCKS.name).map((chain) =>
      listed(
        XSTOCKS.name,
        onChain(asked, chain).filter(({ issuer }) => issuer === XSTOCKS.name),
        () => xstocks(chain),
        (rows) => {
          const bySymbol = new Map(rows.map((row) => [row.symbol, row]));
          return ({ symbol, address }) => {
            const row = bySymbol.get(symbol);
            const isThere = row?.addresses.some((other) => sameAddress(chain, address, other));
            if (row === undefined) return undefined;
            const { isHalted, rawHash } = row;
            // A symbol with several new addresses has no single successor.
            const [successor, another] = row.addresses;
            if (isThere) return { isHalted, state: "listed" };
            const moved = { isHalted, state: "migrated", rawHash } as const;
            return successor === undefined || another !== undefined ? moved : { ...moved, successor };
          };
        },
      ),
    ),
    ...(shareRatios
      ? [
          listed(
            BINANCE_RWA.name,
            onChain(asked, RATIO_CHAIN).filter(({ shares }) => shares === "ratio"),
            shareRatios,
            (rows) => {
              const halted = new Map(rows.map(({ address, status }) => [address, haltOf(isHalt(status))]));
              return ({ address }) => halted.get(canonicalAddress(RATIO_CHAIN, address) ?? "");
            },
          ),
        ]
      : []),
    listed(
      SOLANA.name,
      asked.filter(({ shares }) => shares === "multiplier"),
      mints,
      (rows) => {
        const paused = new Map(rows.map(({ mint, isPaused }) => [mint, haltOf(isPaused)]));
        return ({ address }) => paused.get(address);
      },
    ),
  ];
  return gathered(lists.flat());
}

/** MARKET_… statuses, such as a pause between two sessions, are of the whole market: the token trades on in its pools. */
const isHalt = (status: string | null) =>
  status === null ? null : status !== "TRADING" && !status.startsWith("MARKET_");

const haltOf = (isHalted: boolean | null) => ({
  isHalted,
  state: "listed" as const,
});

/** Unreadable rows of the list are reported with its ratios; a token that such a row may name is not known to be missing. */
function listed<T>(
  source: string,
  tokens: readonly LiveAsset[],
  ask: () => Promise<Batch<T>>,
  stateIn: (rows: readonly T[]) => StateOf,
): (readonly [string, () => Promise<Findings<ListingState>>])[] {
  if (tokens.length === 0) return [];
  const read = async () => {
    const { rows, rejected } = await ask();
    const stateOf = stateIn(rows);
    const unread = rejected.filter(({ reason }) => reason !== "missing");
    const isKnown = ({ chain, address }: LiveAsset) =>
      unread.every(({ key }) => canonicalAddress(chain, key) !== null && !sameAddress(chain, key, address));
    const states = tokens.flatMap((asset): ListingState[] => {
      const state = stateOf(asset) ?? (isKnown(asset) ? { isHalted: null, state: "missing" as const } : null);
      return state === null ? [] : [{ assetKey: asset.assetKey, source, ...state }];
    });
    return { rows: states };
  };
  return [[source, read]];
}
