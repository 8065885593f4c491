/** What a live service can do with the keys that it has: told at its start, so that nobody finds out later. */
import { POLICIES } from "../../attestor/policies/policy.ts";
import type { Deployment } from "../../chain/deployment.ts";
import { loadRegistry, type RegistryToken } from "../../market/registry/registry.ts";
import { type KeyedProvider, keyedProviders, PROVIDER_SETTINGS } from "../settings/providers.ts";

type Keys = ReadonlySet<KeyedProvider>;
type Feeds = Pick<Deployment, "references" | "offchain" | "registry">;

/** What a key is for, beside the policies. */
const COSTS: Record<KeyedProvider, string> = {
  pythHermes: "stocks have only references of unknown or unofficial origin: Jupiter, Hyperliquid, Binance",
  finnhub: "stocks that no other source knows have no reference, and there is no official close over HTTP",
  binanceRwa: "tokens of Ondo and bStocks on BNB chain have no share ratio, and so no premium",
  jupiter: "half the requests a second on Solana: a round of impacts takes twice as long",
  pancakeswap: "the keyless limit of PancakeSwap's quotes",
};

/** Lines for people, in the order of what can be had, what cannot, and what each missing key costs. */
export function capabilityLines(
  deployment: Feeds,
  keys: Keys,
  tokens: readonly RegistryToken[] = loadRegistry(),
): string[] {
  const missing = (Object.keys(COSTS) as KeyedProvider[]).filter((name) => !keys.has(name));
  return [
    ...premiumLines(tokens, keys),
    ...[...POLICIES.keys()].map((policyId) => policyLine(policyId, deployment, keys)),
    ...missing.map((name) => costLine(name, deployment, keys)),
  ];
}

/** Why a token of a kind has no premium; null: it can have one. */
export function unpricedReason({ shares, chain }: Pick<RegistryToken, "shares" | "chain">, keys: Keys) {
  if (shares !== "ratio") return null;
  if (chain === "solana") return "no provider in use states their share ratio on Solana";
  return keys.has("binanceRwa") ? null : `their share ratio needs ${settingOf("binanceRwa")}`;
}

/** The same of a listed asset, by its key. */
export function unpricedReasons(
  config: Parameters<typeof keyedProviders>[0],
  tokens: readonly RegistryToken[] = loadRegistry(),
): (asset: { readonly assetKey: string }) => string | null {
  const keys = keyedProviders(config);
  const byKey = new Map(tokens.map((token) => [token.assetKey, token]));
  return ({ assetKey }) => {
    const token = byKey.get(assetKey);
    return token ? unpricedReason(token, keys) : null;
  };
}

function premiumLines(tokens: readonly RegistryToken[], keys: Keys): string[] {
  const groups = new Map<string, { count: number; reason: string | null }>();
  for (const token of tokens) {
    const name = `${token.issuer} on ${token.chain}`;
    groups.set(name, { count: (groups.get(name)?.count ?? 0) + 1, reason: unpricedReason(token, keys) });
  }
  return [...groups].map(([name, { count, reason }]) =>
    reason === null
      ? `premium: ${count} tokens of ${name}`
      : `no premium: ${count} tokens of ${name}: ${reason}`,
  );
}

function policyLine(policyId: string, deployment: Feeds, keys: Keys) {
  const { met, all } = coverageOf(policyId, deployment, keys);
  if (met === 0) return `${policyId} always denies: no token has enough reference sources`;
  return `${policyId} has enough reference sources for ${met} of ${all} tokens`;
}

function costLine(name: KeyedProvider, deployment: Feeds, keys: Keys): string {
  const withKey = new Set([...keys, name]);
  const policies = [...POLICIES.keys()].flatMap((policyId) => {
    const { met } = coverageOf(policyId, deployment, keys);
    const gained = coverageOf(policyId, deployment, withKey).met - met;
    if (gained === 0) return [];
    return [met === 0 ? `${policyId} always denies` : `${policyId} denies ${gained} more tokens`];
  });
  return `without ${settingOf(name)}: ${[...policies, COSTS[name]].join("; ")}`;
}

/** Of how many stock tokens enough sources of the policy's kind could be read. */
function coverageOf(policyId: string, { references, offchain, registry }: Feeds, keys: Keys) {
  const needed = POLICIES.get(policyId)?.definition.reference;
  const stocks = registry.assets.filter(({ kind }) => kind === "stock");
  const met = stocks.filter(({ assetKey }) => {
    const onChain = (references[assetKey] ?? []).map(({ kind, provider }) => ({ kind, provider }));
    const overHttp = (offchain?.[assetKey] ?? []).filter(({ provider }) =>
      keys.has(provider === "finnhub" ? "finnhub" : "pythHermes"),
    );
    // Pyth is one source, whether it is read from its service or from its contract.
    const sources = new Set(
      [...onChain, ...overHttp]
        .filter(({ kind }) => kind === needed?.kind)
        .map(({ provider }) => provider.replace("-hermes", "")),
    );
    return sources.size >= (needed?.minSources ?? Number.POSITIVE_INFINITY);
  });
  return { met: met.length, all: stocks.length };
}

function settingOf(name: KeyedProvider): string {
  return `${PROVIDER_SETTINGS[name]}_KEY`;
}
