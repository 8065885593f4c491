/** A provider's descriptor: all that is particular to it is in its file, and everything else reads it from here. */
import type { Chain } from "../../attestor/chains.ts";
import type { UnixMs } from "../../attestor/values/time.ts";
import type { MarketAsset } from "../queries.ts";
import type { Source } from "../statement.ts";
import { createHttp, type Endpoint, type Http, type HttpDeps } from "./http.ts";
import type { RateLimit, Turns } from "./limits.ts";

export const SECOND_MS = 1_000;
export const MINUTE_MS = 60_000;

export interface KeySetting {
  /** Whether the market asks nothing without one. */
  readonly required: boolean;
  /** What the service lacks without it, beside what it says of the policies. */
  readonly lack: string;
  /** What a key looks like, where it is more than a word. */
  readonly form?: { readonly pattern: RegExp; readonly fault: string };
}

/** Of the providers whose requests are signed. */
export const KEY_AND_SECRET = {
  pattern: /^[^:]+:[^:]+$/,
  fault: "must be a key and its secret, separated by a colon",
};
/** Of a setting in that form; empty texts where there is none. */
export const keyAndSecret = (setting: string): [key: string, secret: string] => {
  const [key = "", secret = ""] = setting.split(":");
  return [key, secret];
};

export interface QuoteRequest {
  /** Token addresses of one chain. */
  readonly inputToken: string;
  readonly outputToken: string;
  /** Raw units of the input token, as decimal digits. */
  readonly amountIn: string;
}

/** What an exchange would give for an amount. */
export interface Quote extends QuoteRequest {
  readonly provider: string;
  /** Raw units of the output token, above zero. */
  readonly amountOut: string;
  readonly rawHash: string;
}

/** @param turns of the same venue, for quotes of one moment @returns null when there is no route @throws ProviderFault */
export type AskQuote = (chain: Chain, request: QuoteRequest, turns?: Turns) => Promise<Quote | null>;

/** An exchange, by its endpoints of quotes: the next is asked where one does not answer. */
export interface QuoteApi {
  readonly quotes: readonly AskQuote[];
  turns(count: number): Turns;
}

/** What a round's sources are made with. */
export interface Listed {
  readonly tokens: readonly MarketAsset[];
  now(): UnixMs;
}

interface Descriptor<Name extends string, Api> {
  /** In faults, samples, metrics, and in the rows of `CHAINS`. */
  readonly name: Name;
  /** What its settings begin with: `PYTH_HERMES` for `PYTH_HERMES_URL` and `PYTH_HERMES_KEY`. */
  readonly setting: string;
  readonly baseUrl: string;
  /** As documented. */
  readonly rate: RateLimit;
  readonly rateWithKey?: RateLimit;
  /** Absent: it takes none. */
  readonly key?: KeySetting;
  readonly headers?: Readonly<Record<string, string>>;
  /** Where there is a key. */
  keyHeaders?(key: string): Readonly<Record<string, string>>;
  sign?(key: string): Endpoint["sign"];
  open(http: Http): Api;
  /** What a round asks of it; absent: quotes alone, or verifications ask it. */
  sources?(api: Api, listed: Listed): readonly Source[];
  /** Absent: it is no exchange. */
  exchange?(api: Api): QuoteApi;
  /** One request that shows whether it answers and takes the key; absent: a quote does. @throws ProviderFault */
  tryOut?(api: Api): Promise<unknown>;
}

/** What `connect` takes. */
export interface ProviderDeps extends HttpDeps {
  readonly apiKey?: string | undefined;
  readonly baseUrl?: string | undefined;
  /** Requests a minute, in place of the documented rate. */
  readonly limit?: number | undefined;
}

export interface Provider<Name extends string = string, Api = unknown> extends Descriptor<Name, Api> {
  connect(deps: ProviderDeps): Api;
}

export function provider<const Name extends string, Api>(own: Descriptor<Name, Api>): Provider<Name, Api> {
  return {
    ...own,
    connect(deps) {
      const key = deps.apiKey ?? "";
      const sign = own.sign?.(key);
      const endpoint: Endpoint = {
        name: own.name,
        baseUrl: deps.baseUrl ?? own.baseUrl,
        rate: rateOf(own, key, deps.limit),
        headers: { ...own.headers, ...(key && own.keyHeaders?.(key)) },
        ...(sign && { sign }),
      };
      return own.open(createHttp(endpoint, deps));
    },
  };
}

/**
 * The limit that counts with that key, or without one; headers follow one that was set.
 * @param limit requests a minute, as the operator set them
 */
function rateOf(
  { rate, rateWithKey }: Pick<Provider, "rate" | "rateWithKey">,
  key: string,
  limit?: number,
): RateLimit {
  const documented = (key && rateWithKey) || rate;
  if (limit === undefined) return documented;
  const { usedWeight } = documented;
  const perMinute = documented.requests * (MINUTE_MS / documented.perMs);
  return {
    ...documented,
    requests: limit,
    perMs: MINUTE_MS,
    ...(usedWeight && { usedWeight: { ...usedWeight, limit: (usedWeight.limit * limit) / perMinute } }),
  };
}
