/** Binance Web3's list of tokenized stocks: how many shares a token of Ondo or bStocks stands for. */
import { createHmac } from "node:crypto";
import { z } from "zod";
import { type Chain, nameBy } from "../../attestor/chains.ts";
import { ProviderFault } from "./fault.ts";
import { KEY_AND_SECRET, keyAndSecret, MINUTE_MS, provider } from "./provider.ts";
import { type Batch, type Rejected, rawHashOf, readable, readRows } from "./records.ts";
import { canonicalAddress, DecimalText, isQuotient, PositiveDecimal, priceOrNone } from "./values.ts";

const NAME = "binanceRwa";
const PATH = "/build/api/v1/dex/market/rwa/tokens";
/** Its list is read of this chain alone. */
export const RATIO_CHAIN: Chain = "bnb";
/** How far the provider's clock and ours may be apart. */
const RECEIVE_WINDOW_MS = 5_000;

export interface ShareRatio {
  /** On BNB chain, EIP-55. */
  readonly address: string;
  /** Shares that one whole raw token stands for, decimal text; null: the row's two prices do not say so. */
  readonly sharesPerToken: string | null;
  /** The prices that it was found from, as one text: what of the row changes while stocks trade. */
  readonly fingerprint: string;
  /** Why the token trades or not, such as TRADING; null where the list states none. */
  readonly status: string | null;
  /** Unix seconds by our clock; the provider states no time of its own. */
  readonly receivedAt: number;
  /** keccak256 of the list. */
  readonly rawHash: string;
}

export type BinanceRwa = ReturnType<typeof BINANCE_RWA.open>;

/** Business errors come with status 200, a code of their own and no data. */
const Answer = z.looseObject({
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
  rate: { requests: 60, perMs: MINUTE_MS, jobs: 30 },
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
  open: (upstream) => ({
    /** Of every token on BNB chain. A ratio that is not that of its two prices is in `rejected`. @throws ProviderFault */
    async shareRatios(): Promise<Batch<ShareRatio>> {
      const received = await upstream.getJson(PATH, Answer);
      const { data: answer, receivedAt } = received;
      const rawHash = rawHashOf(received);
      if (answer.code !== "0" || !answer.data) throw new ProviderFault(NAME, "shape", { rawHash });
      const { rows, rejected } = readRows(answer.data, Token, (index) => `token ${index}`);
      return readable(NAME, ratiosOf(rows, [...rejected], { receivedAt, rawHash }), { rawHash });
    },
  }),
  tryOut: (api) => api.shareRatios(),
});

function ratiosOf(
  tokens: readonly z.infer<typeof Token>[],
  rejected: Rejected[],
  received: Pick<ShareRatio, "receivedAt" | "rawHash">,
): Batch<ShareRatio> {
  const byAddress = new Map<string, ShareRatio>();
  for (const { tokenToShareRatio, ...token } of tokens) {
    const [tokenPrice, referencePrice] = [priceOrNone(token.tokenPrice), priceOrNone(token.referencePrice)];
    const status = token.statusInfo?.reasonCode ?? null;
    if (token.binanceChainId !== nameBy(NAME, RATIO_CHAIN)) continue;
    const address = canonicalAddress(RATIO_CHAIN, token.tokenContractAddress);
    if (address === null) rejected.push({ key: "token of no address", reason: "shape" });
    else if (byAddress.has(address)) rejected.push({ key: address, reason: "duplicate" });
    else {
      const fault = faultOf(tokenToShareRatio, tokenPrice, referencePrice);
      if (fault) rejected.push({ key: address, ...fault });
      byAddress.set(address, {
        address,
        sharesPerToken: fault ? null : tokenToShareRatio,
        fingerprint: `${tokenPrice}/${referencePrice}`,
        status,
        ...received,
      });
    }
  }
  return { rows: [...byAddress.values()], rejected };
}

/** Why a ratio does not count; null: it does. */
function faultOf(ratio: string, price: string | null, perShare: string | null): Omit<Rejected, "key"> | null {
  if (price === null || perShare === null)
    return { reason: "shape", field: price === null ? "tokenPrice" : "referencePrice" };
  return isQuotient(ratio, price, perShare)
    ? null
    : { reason: "ratio_contradicts_prices", field: "tokenToShareRatio" };
}
