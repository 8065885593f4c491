/** What a live service can do with the keys that it has: told at its start, so that nobody finds out later. */
import { POLICIES } from "../../attestor/policies/policy.ts";
import { isChainPrice, isSigned, providerOf } from "../../attestor/sources.ts";
import type { Deployment } from "../../chain/deployment.ts";
import { BINANCE_RWA, whyUnpriced } from "../../market/providers/binanceRwa.ts";
import { CHAINLINK_STREAMS } from "../../market/providers/chainlinkStreams.ts";
import { FINNHUB } from "../../market/providers/finnhub.ts";
import type { ProviderName } from "../../market/providers/providers.ts";
import { PYTH } from "../../market/providers/pyth.ts";
import { loadRegistry, type RegistryToken } from "../../market/registry/registry.ts";
import { KEYED_PROVIDERS, keyedProviders, keySetting } from "../settings/providers.ts";

type Keys = ReadonlySet<ProviderName>;
type Feeds = Pick<Deployment, "registry">;

/** The provider of each price source over HTTP. */
const FEED_PROVIDERS = { "pyth-hermes": PYTH, "chainlink-streams": CHAINLINK_STREAMS, finnhub: FINNHUB };

/** What the log of a live start says where no price can be signed; null: a publisher is configured. */
export function unsignedWarning({ registry }: Feeds, keys: Keys): string | null {
  const sources = registry.assets.flatMap(({ priceSources }) => priceSources.filter(isSigned));
  const overHttp = sources.filter((source) => !isChainPrice(source));
  const publishers = [...new Set(overHttp.map(({ provider }) => FEED_PROVIDERS[provider]))];
  if (publishers.some(({ name }) => keys.has(name))) return null;
  const todo =
    publishers.length === 0
      ? "add pyth-hermes or chainlink-streams to `priceSources` of the assets in DEPLOYMENT_FILE, and set the publisher's key"
      : `set ${publishers.map(keySetting).join(" or ")}`;
  return `no publisher of signed prices is configured: STRICT_LIVE denies every trade, because it requires one signed reference price; ${todo} (docs/run/deployment-file.md#signed-prices)`;
}

/** Lines for people: what is available, what is not, and what each missing key costs. */
export function capabilityLines(
  deployment: Feeds,
  keys: Keys,
  tokens: readonly RegistryToken[] = loadRegistry(),
): string[] {
  const missing = KEYED_PROVIDERS.filter(({ name }) => !keys.has(name));
  return [
    ...premiumLines(tokens, keys),
    ...[...POLICIES.keys()].map((policyId) => policyLine(policyId, deployment, keys)),
    ...missing.map((provider) => costLine(provider, deployment, keys)),
  ];
}

/** Why a listed asset has no premium, by its key; null: it can have one. */
export function unpricedReasons(
  config: Parameters<typeof keyedProviders>[0],
  tokens: readonly RegistryToken[] = loadRegistry(),
): (asset: { readonly assetKey: string }) => string | null {
  const keys = keyedProviders(config);
  const byKey = new Map(tokens.map((token) => [token.assetKey, token]));
  return ({ assetKey }) => {
    const token = byKey.get(assetKey);
    return token ? whyUnpriced(token, keys.has(BINANCE_RWA.name)) : null;
  };
}

function premiumLines(tokens: readonly RegistryToken[], keys: Keys): string[] {
  const groups = new Map<string, { count: number; reason: string | null }>();
  for (const token of tokens) {
    const name = `${token.issuer} on ${token.chain}`;
    groups.set(name, {
      count: (groups.get(name)?.count ?? 0) + 1,
      reason: whyUnpriced(token, keys.has(BINANCE_RWA.name)),
    });
  }
  return [...groups].map(([name, { count, reason }]) =>
    reason === null
      ? `premium: ${count} tokens of ${name}`
      : `no premium: ${count} tokens of ${name}: ${reason}`,
  );
}

function policyLine(policyId: string, deployment: Feeds, keys: Keys) {
  const { met, all } = coverageOf(policyId, deployment, keys);
  const signed = POLICIES.get(policyId)?.definition.evidence.minSignedReferences ? "signed " : "";
  if (met === 0) return `${policyId} always denies: no token has enough ${signed}reference sources`;
  return `${policyId} has enough reference sources for ${met} of ${all} tokens`;
}

function costLine(provider: (typeof KEYED_PROVIDERS)[number], deployment: Feeds, keys: Keys): string {
  const withKey = new Set([...keys, provider.name]);
  const policies = [...POLICIES.keys()].flatMap((policyId) => {
    const { met } = coverageOf(policyId, deployment, keys);
    const gained = coverageOf(policyId, deployment, withKey).met - met;
    if (gained === 0) return [];
    return [met === 0 ? `${policyId} always denies` : `${policyId} denies ${gained} more tokens`];
  });
  return `without ${keySetting(provider)}: ${[...policies, provider.key?.lack].join("; ")}`;
}

/** Of how many stock tokens enough sources of the policy's kind could be read, enough signed prices, and of all sources enough. */
function coverageOf(policyId: string, { registry }: Feeds, keys: Keys) {
  const { reference, evidence } = POLICIES.get(policyId)?.definition ?? {};
  const stocks = registry.assets.filter(({ kind }) => kind === "stock");
  const met = stocks.filter(({ priceSources }) => {
    const asked = priceSources.filter(
      (source) => isChainPrice(source) || keys.has(FEED_PROVIDERS[source.provider].name),
    );
    const counted = asked.filter(({ kind }) => kind === reference?.kind);
    return (
      priceSources.length - asked.length <= (evidence?.maxFailedSources ?? 0) &&
      new Set(counted.map(providerOf)).size >= (reference?.minSources ?? Number.POSITIVE_INFINITY) &&
      counted.filter(isSigned).length >= (evidence?.minSignedReferences ?? 0)
    );
  });
  return { met: met.length, all: stocks.length };
}
