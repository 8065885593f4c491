/** Binance Web3's list of tokenized stocks: how many shares a token of Ondo or bStocks stands for. */
import { createHmac } from "node:crypto";
import { z } from "zod";
import { ProviderFault } from "./fault.ts";
import { type ProviderDeps, providerUpstream } from "./http.ts";
import { LIMITS } from "./limits.ts";
import { type Batch, type Rejected, rawHashOf, readRows } from "./records.ts";
import { canonicalAddress, PositiveDecimal } from "./values.ts";

const NAME = "binanceRwa";
const PATH = "/build/api/v1/dex/market/rwa/tokens";
const BNB_CHAIN_ID = "56";
/** How far the provider's clock and ours may be apart. */
const RECEIVE_WINDOW_MS = 5_000;

export interface ShareRatio {
  /** On BNB chain, EIP-55. */
  readonly address: string;
  /** Shares that one whole raw token stands for, decimal text. */
  readonly sharesPerToken: string;
  /** Whether trading stands still: any status but TRADING. null where the list states none. */
  readonly isHalted: boolean | null;
  /** Unix seconds by our clock; the provider states no time of its own. */
  readonly receivedAt: number;
  /** keccak256 of the list. */
  readonly rawHash: string;
}

export interface BinanceRwa {
  /** Of every token on BNB chain. @throws ProviderFault */
  shareRatios(): Promise<Batch<ShareRatio>>;
}

/** Business errors come with status 200, a code of their own and no data. */
const Answer = z.looseObject({
  code: z.union([z.int(), z.string().max(16)]).transform(String),
  data: z.array(z.unknown()).nullish(),
});

const Token = z.looseObject({
  binanceChainId: z.string().max(16),
  tokenContractAddress: z.string().max(64),
  tokenToShareRatio: PositiveDecimal,
  // Of what a status says beside TRADING (MARKET_PAUSED, UNSUPPORTED) there is no complete list.
  statusInfo: z.looseObject({ reasonCode: z.string().max(64).nullish() }).nullish(),
});

/** @param deps.apiKey the key and its secret, with a colon between */
export function createBinanceRwa(deps: ProviderDeps & { readonly apiKey: string }): BinanceRwa {
  const [key = "", secret = ""] = deps.apiKey.split(":");
  const upstream = providerUpstream(
    {
      name: NAME,
      baseUrl: "https://web3.binance.com",
      timeoutMs: 10_000,
      rate: LIMITS.binanceRwa,
      headers: { "X-OC-APIKEY": key, "X-OC-RECV-WINDOW": String(RECEIVE_WINDOW_MS) },
      sign: ({ method, path, body, atMs }) => ({
        "X-OC-TIMESTAMP": String(atMs),
        "X-OC-SIGN": createHmac("sha256", secret).update(`${atMs}${method}${path}${body}`).digest("base64"),
      }),
    },
    deps,
  );
  return {
    async shareRatios() {
      const received = await upstream.getJson(PATH, Answer);
      const { data: answer, receivedAt } = received;
      if (answer.code !== "0" || !answer.data) throw new ProviderFault(NAME, "shape");
      const { rows, rejected } = readRows(answer.data, Token, (index) => `token ${index}`);
      return ratiosOf(rows, [...rejected], { receivedAt, rawHash: rawHashOf(received) });
    },
  };
}

function ratiosOf(
  tokens: readonly z.infer<typeof Token>[],
  rejected: Rejected[],
  received: Pick<ShareRatio, "receivedAt" | "rawHash">,
): Batch<ShareRatio> {
  const byAddress = new Map<string, ShareRatio>();
  for (const { binanceChainId, tokenContractAddress, tokenToShareRatio, statusInfo } of tokens) {
    const status = statusInfo?.reasonCode ?? null;
    if (binanceChainId !== BNB_CHAIN_ID) continue;
    const address = canonicalAddress("bnb", tokenContractAddress);
    if (address === null) rejected.push({ key: "token of no address", reason: "shape" });
    else if (byAddress.has(address)) rejected.push({ key: address, reason: "duplicate" });
    else
      byAddress.set(address, {
        address,
        sharesPerToken: tokenToShareRatio,
        isHalted: status === null ? null : status !== "TRADING",
        ...received,
      });
  }
  return { rows: [...byAddress.values()], rejected };
}
