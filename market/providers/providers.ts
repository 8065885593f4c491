/** The providers as those who ask several of them see them. */
import * as ALL from "./all.ts";
import type { HttpDeps } from "./http.ts";
import { createLimits, type ProviderLimits } from "./limits.ts";
import type { Provider, ProviderDeps } from "./provider.ts";

export type ProviderName = (typeof ALL)[keyof typeof ALL]["name"];
/** By their names. */
export const PROVIDERS: readonly Provider<ProviderName>[] = Object.values(ALL);

/** By the provider's name. */
export type Keys = Readonly<Partial<Record<ProviderName, string>>>;
export type BaseUrls = Readonly<Partial<Record<ProviderName, string>>>;
/** Requests a minute where they are not the documented ones. */
export type RequestLimits = Readonly<Partial<Record<ProviderName, number>>>;

/** What those who ask several providers have for all of them. */
export interface AskingDeps extends Pick<HttpDeps, "fetch" | "now" | "watch" | "attempts"> {
  readonly keys?: Keys;
  /** Other places to find the providers at. */
  readonly baseUrls?: BaseUrls;
  readonly requestLimits?: RequestLimits;
  /** Without them this process has the providers' limits for itself. */
  readonly limits?: ProviderLimits;
}

/** Of these what one provider's adapter takes. */
export function depsOf(
  { keys, baseUrls, requestLimits, limits = createLimits(), ...deps }: AskingDeps,
  name: ProviderName,
): Omit<ProviderDeps, "lane"> {
  return {
    ...deps,
    limits,
    baseUrl: baseUrls?.[name],
    apiKey: keys?.[name],
    limit: requestLimits?.[name],
  };
}

/** Whether the market asks the provider with these keys. */
export function isAsked({ name, key }: Provider<ProviderName>, keys: Keys): boolean {
  return key?.required !== true || Boolean(keys[name]);
}
