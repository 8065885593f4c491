/** What was typed of a mandate, and a mandate in words. */

import { ZeroAddress } from "ethers";
import { z } from "zod";
import { POLICIES, POLICY_VERSIONS } from "../../attestor/policies/policy.ts";
import type { Asset, Registry } from "../../attestor/registry.ts";
import type { UnixMs } from "../../attestor/values/time.ts";
import { rawUnits, wholeUnits } from "../../attestor/values/wholeUnits.ts";
import { Mandate } from "../../chain/mandates/mandate.ts";
import { type GivenBy, required, text, withDefault } from "../command.ts";
import { Refused, UsageError } from "../errors.ts";
import { address, holder, isoTime } from "../typed.ts";

export const SAFE_OPTION = { safeAddress: required(text("ADDRESS", "the Safe that grants", address)) };

/** Amounts in units of the settlement token, tokens by symbol. */
export const TERM_OPTIONS = {
  agent: required(text("ADDRESS", "the agent's address", holder)),
  token: text("SYMBOL", "the settlement token; the only one by default"),
  stocks: required(text("LIST", "symbols, each with the units that can be sold in all: AAPLx,TSLAx:2.5")),
  perDay: required(text("AMOUNT", "the most within 24 hours, in units of the settlement token")),
  perTrade: text("AMOUNT", "the most of a trade; by default that of a day"),
  budget: text("AMOUNT", "the most in all; by default that of all days until it ends"),
  policies: withDefault(text("LIST", "names or hashes of policies"), "STRICT_LIVE"),
  /** Days count to the end of the last one, UTC. */
  expires: withDefault(text("TIME", "30d, 12h or a date, UTC"), "30d"),
  revoker: text("ADDRESS", "an address that may revoke it and nothing else", address),
};

type TermGiven = GivenBy<typeof TERM_OPTIONS>;

const DAY = 86_400;
const HOUR = 3_600;

const usage = (message: string): UsageError => new UsageError(message);

/** @throws UsageError; Refused where no file says which tokens there are */
export function mandateFrom(registry: Registry | null, args: TermGiven, now: UnixMs): Mandate {
  const assets = assetsOf(registry);
  const token = settlementToken(assets, args.token);
  const amount = (text: string, option: string) => rawFrom(text, token.decimals, option);
  const seconds = Math.floor(now / 1000);
  const expiresAt = expiryFrom(args.expires, seconds);
  const perDay = amount(args.perDay, "--per-day");
  const days = BigInt(Math.ceil((expiresAt - seconds) / DAY));
  const parsed = Mandate.safeParse({
    settlementToken: token.address,
    expiresAt,
    revoker: args.revoker ?? ZeroAddress,
    perTrade: args.perTrade === undefined ? perDay : amount(args.perTrade, "--per-trade"),
    perDay,
    budget: args.budget === undefined ? String(BigInt(perDay) * days) : amount(args.budget, "--budget"),
    stocks: stocksFrom(assets, args.stocks),
    policies: listOf(args.policies).map(policyFrom),
  });
  if (!parsed.success) throw usage(`This is no mandate:\n${z.prettifyError(parsed.error)}`);
  return parsed.data;
}

export function assetsOf(registry: Registry | null): readonly Asset[] {
  if (registry !== null) return registry.assets;
  throw new Refused("No file says which tokens there are: <chainId>.market.json of the records.");
}

const listOf = (text: string) => text.split(",").map((entry) => entry.trim());

function settlementToken(assets: readonly Asset[], symbol: string | undefined): Asset {
  const known = assets.filter(({ kind }) => kind === "settlement");
  const [first, ...others] = known.filter((asset) => symbol === undefined || asset.symbol === symbol);
  if (first !== undefined && others.length === 0) return first;
  throw usage(`--token must be one of ${symbolsOf(known)}.`);
}

const symbolsOf = (assets: readonly Asset[]) => assets.map(({ symbol }) => symbol).join(", ");

/** Of two entries of a stock the module would know the first one alone. */
function stocksFrom(assets: readonly Asset[], text: string): Mandate["stocks"] {
  const entries = listOf(text);
  const stocks = entries.map((entry) => stockFrom(assets, entry));
  const twice = entries.find((_, index) => !isFirst(stocks[index]!, index, stocks));
  if (twice !== undefined) throw usage(`--stocks: ${twice.split(":")[0]} is named twice.`);
  return stocks;
}

const isFirst = ({ token }: { token: string }, index: number, stocks: Mandate["stocks"]) =>
  stocks.findIndex((stock) => stock.token === token) === index;

function stockFrom(assets: readonly Asset[], entry: string): Mandate["stocks"][number] {
  const [symbol, sellable, ...others] = entry.split(":");
  if (others.length > 0)
    throw usage(`--stocks: ${entry} must be a symbol, or one with an amount: AAPLx:2.5.`);
  const stocks = assets.filter(({ kind }) => kind === "stock");
  const stock = stocks.find((asset) => asset.symbol === symbol);
  if (stock === undefined) throw usage(`--stocks: ${entry} is unknown. Known are ${symbolsOf(stocks)}.`);
  return {
    token: stock.address,
    sellable: sellable === undefined ? "0" : rawFrom(sellable, stock.decimals, `--stocks ${symbol}`),
  };
}

function policyFrom(text: string): string {
  const hash = /^0x[0-9a-f]{64}$/.test(text) ? text : POLICIES.get(text)?.definitionHash;
  if (hash !== undefined) return hash;
  throw usage(`--policies: ${text} is unknown. Known are ${[...POLICIES.keys()].join(", ")}, and any hash.`);
}

function rawFrom(text: string, decimals: number, option: string): string {
  const raw = rawUnits(text, decimals);
  if (raw !== null && raw !== "0") return raw;
  throw usage(`${option} must be an amount above 0 with up to ${decimals} decimals, such as 500: ${text}`);
}

/** @param now unix seconds. @returns unix seconds */
function expiryFrom(text: string, now: number): number {
  const [, count, unit] = /^([1-9][0-9]{0,3})([dh])$/.exec(text) ?? [];
  if (unit === "h") return now + Number(count) * HOUR;
  if (unit === "d") return (Math.floor(now / DAY) + Number(count) + 1) * DAY - 1;
  const date = /^[0-9]{4}-[0-9]{2}-[0-9]{2}(T[0-9:]+Z)?$/.test(text) ? Date.parse(text) / 1000 : Number.NaN;
  // A day that its month does not have would be one of the next.
  if (Number.isNaN(date) || new Date(date * 1000).getUTCDate() !== Number(text.slice(8, 10)))
    throw usage(
      `--expires must be days (30d), hours (12h), a date (2027-01-31) or a second of it (2027-01-31T12:00:00Z): ${text}`,
    );
  if (date <= now) throw usage(`--expires is past: ${text}`);
  return date;
}

/** Amounts of tokens and names of policies, as people write them. */
export type Names = ReturnType<typeof namesIn>;

export function namesIn(assets: readonly Asset[]) {
  const assetAt = (token: string) => assets.find(({ address }) => address === token);
  const symbol = (token: string) => assetAt(token)?.symbol ?? token;
  return {
    symbol,
    amount: (raw: string | bigint, token: string) => {
      const asset = assetAt(token);
      return asset === undefined
        ? `${raw} raw units of ${token}`
        : `${wholeUnits(raw, asset.decimals)} ${asset.symbol}`;
    },
    policy: (hash: string): string =>
      POLICY_VERSIONS.find((one) => one.definitionHash === hash)?.definition.policyId ?? hash,
  };
}

/** As `--expires` takes it, too. */
const expiryText = ({ expiresAt }: Mandate) => isoTime(expiresAt);

/** The options that make the same mandate of the same other ones at any time. */
export function fixedOptions(registry: Registry | null, mandate: Mandate): string {
  const { decimals } = assetsOf(registry).find(({ address }) => address === mandate.settlementToken)!;
  return `--expires ${expiryText(mandate)} --budget ${wholeUnits(mandate.budget, decimals)}`;
}

/** Whether a mandate is another as it was granted, or as trades have left it. */
export function isLeftOf(now: Mandate, granted: Mandate): boolean {
  const termsOf = ({ stocks, ...mandate }: Mandate) =>
    JSON.stringify({ ...mandate, budget: null, stocks: stocks.map(({ token }) => token) });
  const within = (left: string, whole: string) => BigInt(left) <= BigInt(whole);
  return (
    termsOf(now) === termsOf(granted) &&
    within(now.budget, granted.budget) &&
    now.stocks.every(({ sellable }, index) => within(sellable, granted.stocks[index]!.sellable))
  );
}

/** What the agent can do, a line each. */
export function mandateLines(mandate: Mandate, { amount, symbol, policy }: Names): string[] {
  const { settlementToken: token, perTrade, perDay, budget, revoker } = mandate;
  // The module knows no other entry of a stock.
  const stocks = mandate.stocks.filter(isFirst);
  const sellable = stocks
    .filter((stock) => stock.sellable !== "0")
    .map((stock) => amount(stock.sellable, stock.token));
  return [
    `buy     ${stocks.map((stock) => symbol(stock.token)).join(", ")} with ${symbol(token)}`,
    `sell    ${sellable.length === 0 ? "nothing" : `at most ${sellable.join(", ")} in all, for ${symbol(token)}`}`,
    `for     at most ${amount(perTrade, token)} a trade, ${amount(perDay, token)} within 24 hours, ${amount(budget, token)} in all`,
    `until   ${expiryText(mandate)}`,
    `judged  by ${mandate.policies.map(policy).join(", ")}`,
    `revoked by the Safe${revoker === ZeroAddress ? "" : `, or by ${revoker}, who can do nothing else`}`,
  ];
}
