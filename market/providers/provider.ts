/** A provider's descriptor: all that is particular to it is in its file, and everything else reads it from here. */
import type { Chain } from "../../attestor/chains.ts";
import { type ProviderDeps, providerUpstream, type Upstream } from "./http.ts";
import type { Quote, QuoteRequest } from "./quote.ts";
import type { RateLimit, Turns } from "./rate.ts";
import type { Batch, Perp } from "./records.ts";
import type { UpstreamOptions } from "./request.ts";

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

/** @param turns of the venue's `turns`, for quotes of one moment @returns null when there is no route @throws ProviderFault */
type AskQuote = (chain: Chain, request: QuoteRequest, turns?: Turns) => Promise<Quote | null>;

/** An exchange with one endpoint of quotes. */
export interface QuoteApi {
  quote: AskQuote;
  /** Turns for quotes of one moment. @throws ProviderFault */
  turns(count: number): Promise<Turns>;
}

/** What the live market takes from any provider that has it, in the order of the list of providers. */
export interface Services<Api> {
  /** Quotes on the chains whose rows name the provider, by its endpoints: the next where one does not answer. */
  quotes?(api: Api): { readonly endpoints: readonly AskQuote[]; turns(count: number): Promise<Turns> };
  /** Perpetuals of stocks: a basis by the venue, and its index as a reference. */
  perps?(api: Api): () => Promise<Batch<Perp>>;
}

interface Descriptor<Name extends string, Api> {
  /** In faults, samples, metrics, and in the rows of `CHAINS`. */
  readonly name: Name;
  /** What its settings begin with: `PYTH_HERMES` for `PYTH_HERMES_URL` and `PYTH_HERMES_KEY`. */
  readonly setting: string;
  readonly baseUrl: string;
  /** As documented; `jobs` is the part reserved for the lookups of verifications. */
  readonly rate: RateLimit;
  readonly rateWithKey?: RateLimit;
  /** Absent: it takes none. */
  readonly key?: KeySetting;
  readonly headers?: Readonly<Record<string, string>>;
  /** Where there is a key. */
  keyHeaders?(key: string): Readonly<Record<string, string>>;
  sign?(key: string): UpstreamOptions["sign"];
  open(upstream: Upstream): Api;
  readonly serves?: Services<Api>;
  /** One request that shows whether it answers and takes the key, where `serves` has none. @throws ProviderFault */
  tryOut?(api: Api): Promise<unknown>;
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
      const upstream = {
        name: own.name,
        baseUrl: own.baseUrl,
        rate: rateOf(own, key, deps.limit),
        headers: { ...own.headers, ...(key && own.keyHeaders?.(key)) },
        ...(sign && { sign }),
      };
      return own.open(providerUpstream(upstream, deps));
    },
  };
}

/**
 * The limit that counts with that key, or without one; lanes and headers follow one that was set.
 * @param limit requests a minute, as the operator set them
 */
function rateOf(
  { rate, rateWithKey }: Pick<Provider, "rate" | "rateWithKey">,
  key?: string,
  limit?: number,
): RateLimit {
  const documented = (key && rateWithKey) || rate;
  if (limit === undefined) return documented;
  const { jobs = 0, usedWeight } = documented;
  const times = limit / documented.requests;
  const perMinute = documented.requests * (MINUTE_MS / documented.perMs);
  return {
    ...documented,
    requests: limit,
    perMs: MINUTE_MS,
    jobs: jobs * times,
    ...(usedWeight && { usedWeight: { ...usedWeight, limit: (usedWeight.limit * limit) / perMinute } }),
  };
}
