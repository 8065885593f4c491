/** What can be set about each provider of the live profile: its key where it takes one, another address, another limit. */
import { PROVIDERS, type ProviderName } from "../../market/providers/providers.ts";
import type { Secret } from "./secret.ts";

export const KEYED_PROVIDERS = PROVIDERS.filter(({ key }) => key !== undefined);

type Named = Pick<(typeof PROVIDERS)[number], "setting">;
/** `PYTH_HERMES_KEY`. */
export const keySetting = ({ setting }: Named): string => `${setting}_KEY`;
/** Each may be given as a file. */
export const PROVIDER_KEYS: readonly string[] = KEYED_PROVIDERS.map(keySetting);
/** `PYTH_HERMES_URL`. */
export const urlSetting = ({ setting }: Named): string => `${setting}_URL`;

/** `PYTH_HERMES_LIMIT`. */
export const limitSetting = ({ setting }: Named): string => `${setting}_LIMIT`;

export interface LiveProviders {
  readonly keys: Readonly<Partial<Record<ProviderName, Secret>>>;
  /** Other places to find the providers at, for proxies and tests. */
  readonly baseUrls: Readonly<Partial<Record<ProviderName, string>>>;
  /** Requests a minute where a provider allows others than it documents. */
  readonly limits: Readonly<Partial<Record<ProviderName, number>>>;
}

/** The keys in the clear, for who asks the providers with them. */
export function revealed(keys: LiveProviders["keys"]): Partial<Record<ProviderName, string>> {
  return Object.fromEntries(Object.entries(keys).map(([name, key]) => [name, key.reveal()]));
}

/** Those whose key is set. */
export function keyedProviders({ providers }: { readonly providers: LiveProviders }): Set<ProviderName> {
  return new Set(PROVIDERS.map(({ name }) => name).filter((name) => providers.keys[name] !== undefined));
}
