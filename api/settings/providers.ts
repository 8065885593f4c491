/** What can be set about each provider of the live profile: its key where it takes one, another address, another limit. */
import { z } from "zod";
import { PROVIDERS, type ProviderName } from "../../market/providers/providers.ts";
import { MAX_LIMIT_PER_MINUTE, secret, secretOrFile, url, wholeNumber } from "./forms.ts";
import { Secret } from "./secret.ts";

export const KEYED_PROVIDERS = PROVIDERS.filter(({ key }) => key !== undefined);

type Named = Pick<(typeof PROVIDERS)[number], "setting">;
/** `PYTH_HERMES_KEY`. */
export const keySetting = ({ setting }: Named): string => `${setting}_KEY`;
/** Each may be given as a file. */
export const PROVIDER_KEYS: readonly string[] = KEYED_PROVIDERS.map(keySetting);
/** `PYTH_HERMES_URL`. */
export const urlSetting = ({ setting }: Named): string => `${setting}_URL`;

/** `PYTH_HERMES_LIMIT`. */
const limitSetting = ({ setting }: Named): string => `${setting}_LIMIT`;

/** Of the keys that an operator wants to know more of. */
const KEY_MEANINGS: Readonly<Record<string, string>> = {
  PYTH_HERMES_KEY:
    "Key of Pyth Hermes, for [signed prices](deployment-file.md#signed-prices). Pyth is not used without it.",
  CHAINLINK_STREAMS_KEY: "Key and secret of Chainlink Data Streams, as `KEY:SECRET`.",
  BINANCE_RWA_KEY:
    "Key and secret of Binance's list of tokenized stocks, as `KEY:SECRET`. Ondo and bStocks tokens on BNB chain have no premium without it.",
  FINNHUB_KEY: "Key of Finnhub, which is not used without it.",
};

const providerKeys = KEYED_PROVIDERS.map((provider) => {
  const name = keySetting(provider);
  const { pattern, fault } = provider.key?.form ?? { pattern: /^/, fault: "" };
  const meaning = KEY_MEANINGS[name] ?? "Key of that provider.";
  return [name, z.string().regex(pattern, fault).optional().meta(secretOrFile(meaning))] as const;
});
const providerUrls = PROVIDERS.map((provider) => {
  const name = urlSetting(provider);
  const meaning =
    "Another address of that provider; `SOLANA_RPC` is a Solana node. Default: the provider's own.";
  // A node's address may carry its key.
  const marks = name === "SOLANA_RPC_URL" ? secretOrFile(meaning) : secret(meaning);
  return [
    name,
    url(/^https?:\/\//i, "https://api.example.com")
      .optional()
      .meta(marks),
  ] as const;
});
const providerLimits = PROVIDERS.map(
  (provider) =>
    [
      limitSetting(provider),
      wholeNumber(1, MAX_LIMIT_PER_MINUTE)
        .optional()
        .describe("Requests a minute that the provider allows you. Default: as the provider documents."),
    ] as const,
);
/** Of every provider, by name. */
export const PROVIDER_SETTINGS: Readonly<Record<string, z.ZodOptional>> = Object.fromEntries([
  ...providerKeys,
  ...providerUrls,
  ...providerLimits,
]);

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

/** From settings that the schema has accepted. */
export function providersOf(settings: Readonly<Record<string, unknown>>): LiveProviders {
  const set = <T>(settingOf: typeof keySetting, read: (text: string) => T) =>
    Object.fromEntries(
      PROVIDERS.flatMap((provider) => {
        const value = settings[settingOf(provider)];
        return value === undefined ? [] : [[provider.name, read(value as never)]];
      }),
    );
  return {
    keys: set(keySetting, (key) => new Secret(key)),
    baseUrls: set(urlSetting, (text) => text),
    limits: set(limitSetting, Number),
  };
}
