/** Binance Web3's list of tokenized stocks: how many shares a token of Ondo or bStocks stands for. */
import { createHmac } from "node:crypto";
import { z } from "zod";
import { type Chain, nameBy } from "../../attestor/chains.ts";
import type { MarketAsset } from "../queries.ts";
import type { Answer, ListingState, Rejected, ShareRatio } from "../statement.ts";
import { ProviderFault } from "./fault.ts";
import { withMissing } from "./listings.ts";
import { KEY_AND_SECRET, keyAndSecret, MINUTE_MS, provider } from "./provider.ts";
import { readable, readRows } from "./rows.ts";
import { canonicalAddress, DecimalText, isQuotient, PositiveDecimal, priceOrNone } from "./values.ts";

const NAME = "binanceRwa";
const PATH = "/build/api/v1/dex/market/rwa/tokens";
/** The status of a token that trades. */
export const TRADING = "TRADING";
/** Its list is read of this chain alone. */
export const RATIO_CHAIN: Chain = "bnb";
/** How far the provider's clock and ours may be apart. */
const RECEIVE_WINDOW_MS = 5_000;

const LIST_MS = 60_000;

export type BinanceRwa = ReturnType<typeof BINANCE_RWA.open>;

/** Business errors come with status 200, a code of their own and no data. */
const List = z.looseObject({
  code: z.union([z.int(), z.string().max(16)]).transform(String),
  data: z.array(z.unknown()).nullish(),
});

const Token = z.looseObject({
  binanceChainId: z.string().max(16),
  tokenContractAddress: z.string().max(64),
  tokenToShareRatio: PositiveDecimal,
  tokenPrice: DecimalText.nullish(),
  referencePrice: DecimalText.nullish(),
  // Of what a status says beside TRADING (MARKET_PAUSED, UNSUPPORTED) there is no complete list.
  statusInfo: z.looseObject({ reasonCode: z.string().max(64).nullish() }).nullish(),
});

export const BINANCE_RWA = provider({
  name: NAME,
  setting: "BINANCE_RWA",
  baseUrl: "https://web3.binance.com",
  rate: { requests: 60, perMs: MINUTE_MS, collectors: 0.4 },
  key: {
    required: true,
    lack: "tokens of Ondo and bStocks on BNB chain have no share ratio, and so no premium",
    form: KEY_AND_SECRET,
  },
  keyHeaders: (key) => ({
    "X-OC-APIKEY": keyAndSecret(key)[0],
    "X-OC-RECV-WINDOW": String(RECEIVE_WINDOW_MS),
  }),
  sign(key) {
    const [, secret] = keyAndSecret(key);
    return ({ method, path, body, atMs }) => ({
      "X-OC-TIMESTAMP": String(atMs),
      "X-OC-SIGN": createHmac("sha256", secret).update(`${atMs}${method}${path}${body}`).digest("base64"),
    });
  },
  open: (http) => ({
    /**
     * Of every token on BNB chain, by its EIP-55 address, its ratio and whether it trades. A ratio that is not that of the
     * row's two prices is in `rejected`.
     * @throws ProviderFault
     */
    async shareRatios(): Promise<Answer<ShareRatio | ListingState>> {
      const { data: list, rawHash } = await http.getJson(PATH, List);
      if (list.code !== "0" || !list.data) throw new ProviderFault(NAME, "shape", { rawHash });
      const { rows, rejected } = readRows("ratio", list.data, Token, (index) => `token ${index}`);
      return readable(NAME, statementsOf(rows, [...rejected], rawHash), rawHash);
    },
  }),
  sources(binance, { tokens }) {
    const listed = tokens.filter(({ chain, shares }) => chain === RATIO_CHAIN && shares === "ratio");
    const nameOf = ({ address }: MarketAsset) => canonicalAddress(RATIO_CHAIN, address);
    if (listed.length === 0) return [];
    return [
      {
        asks: "list",
        name: NAME,
        of: ["ratio", "listing"],
        keepsMs: LIST_MS,
        ask: async () => withMissing(NAME, await binance.shareRatios(), listed, nameOf),
      },
    ];
  },
  tryOut: (binance) => binance.shareRatios(),
});

/** Why a token has no premium; null: it can have one. @param hasList whether this list is asked */
export function whyUnpriced(
  { shares, chain }: Pick<MarketAsset, "shares" | "chain">,
  hasList: boolean,
): string | null {
  if (shares !== "ratio") return null;
  if (chain !== RATIO_CHAIN) return "no provider in use states their share ratio on Solana";
  return hasList ? null : `their share ratio needs ${BINANCE_RWA.setting}_KEY`;
}

function statementsOf(
  tokens: readonly z.infer<typeof Token>[],
  rejected: Rejected[],
  rawHash: string,
): Answer<ShareRatio | ListingState> {
  const seen = new Set<string>();
  const statements: (ShareRatio | ListingState)[] = [];
  for (const { tokenToShareRatio, ...token } of tokens) {
    if (token.binanceChainId !== nameBy(NAME, RATIO_CHAIN)) continue;
    const subject = canonicalAddress(RATIO_CHAIN, token.tokenContractAddress);
    if (subject === null || seen.has(subject)) {
      const fault = subject === null ? "shape" : "duplicate";
      rejected.push({ of: "ratio", subject: subject ?? "token of no address", reason: fault });
      continue;
    }
    seen.add(subject);
    const [price, perShare] = [priceOrNone(token.tokenPrice), priceOrNone(token.referencePrice)];
    const stated = { subject, source: NAME, origin: NAME, at: null, rawHash };
    const fault = faultOf(tokenToShareRatio, price, perShare);
    const fingerprint = `${price}/${perShare}`;
    if (fault) rejected.push({ of: "ratio", subject, ...fault });
    else statements.push({ ...stated, of: "ratio", figure: tokenToShareRatio, fingerprint, change: null });
    const status = token.statusInfo?.reasonCode ?? null;
    statements.push({ ...stated, of: "listing", figure: "listed", isHalted: isHalt(status), status });
  }
  return { statements, rejected };
}

/** MARKET_… statuses, such as a pause between two sessions, are of the whole market: the token trades on in its pools. */
const isHalt = (status: string | null) =>
  status === null ? null : status !== TRADING && !status.startsWith("MARKET_");

/** Why a ratio does not count; null: it does. */
function faultOf(
  ratio: string,
  price: string | null,
  perShare: string | null,
): Pick<Rejected, "reason" | "field"> | null {
  if (price === null || perShare === null)
    return { reason: "shape", field: price === null ? "tokenPrice" : "referencePrice" };
  return isQuotient(ratio, price, perShare)
    ? null
    : { reason: "ratio_contradicts_prices", field: "tokenToShareRatio" };
}
