/** Step `registry`: tokens, route and sources are those of a registry that the reader has a reason to take. */
import { tradeOf } from "../attest.ts";
import type { Evidence } from "../evidence/evidence.ts";
import type { QuoteFacts } from "../evidence/facts.ts";
import type { Logged } from "../log/verifyLog.ts";
import { poolAddress } from "../pools/create2.ts";
import { findAsset, type Registry, type Route, registryHash } from "../registry.ts";
import { canonicalHash } from "../values/canonical.ts";
import { sameJson } from "../values/json.ts";
import { orElse } from "../values/orElse.ts";
import { sourceFaults } from "./sources.ts";
import { type KnownGuard, knownGuard, type Reader } from "./trust.ts";
import type { Account } from "./verification.ts";

/** The reader's own, else of the guard's record and the service the first that the evidence names by its hash. */
export function registryFor(evidence: Evidence, reader: Reader): Registry | undefined {
  if (reader.registry !== undefined) return reader.registry;
  const others = [recordOf(evidence, reader)?.registry, reader.serviceRegistry];
  return others.find((one) => one !== undefined && registryHash(one) === evidence.registry.hash);
}

const recordOf = ({ chain, guard }: Evidence, reader: Reader): KnownGuard | undefined =>
  knownGuard(reader, { chainId: chain.chainId, address: guard.address });

/** @param logged where a log that the reader trusts has the report: its entry names the registry's hash */
export function registryStep(
  evidence: Evidence,
  reader: Reader,
  logged: Logged | null,
  account: Account,
): void {
  const registry = registryFor(evidence, reader);
  const { version, hash } = evidence.registry;
  const record = reader.registry === undefined ? recordOf(evidence, reader) : undefined;
  if (registry !== undefined) {
    account.ask("registry");
    comparison(evidence, registry, account);
  }
  if (record?.registry !== undefined && record.registry !== registry) {
    account.unknown("registry", "registry_not_of_record", {
      version,
      hash,
      record: record.record,
      recordVersion: record.registry.version,
      recordHash: registryHash(record.registry),
    });
    return;
  }
  if (registry === undefined) {
    account.trust("registry", "registry_missing", { version }, "registry");
    return;
  }
  if (registry !== reader.serviceRegistry) return;
  const isCommitted = logged !== null && (reader.logKeys !== undefined || !record?.isServices);
  if (!isCommitted) account.trust("registry", "registry_of_service", { version }, "registry");
}

function comparison(evidence: Evidence, registry: Registry, account: Account): void {
  const { version, hash } = evidence.registry;
  const { registry: _, intent, trade } = evidence;
  // The intent's assets may be no pair of this registry.
  const isItsTrade = orElse(() => canonicalHash(tradeOf(intent, registry)) === canonicalHash(trade), false);
  const isNamed = hash === registryHash(registry) && version === registry.version;
  if (!isNamed || !isItsTrade || !fitsRegistry(evidence, registry)) {
    account.wrong("registry", "registry_other", { version, given: registry.version });
    return;
  }
  const faults = sourceFaults(evidence, registry);
  if (faults.length > 0) account.wrong("registry", "sources_other", { version, faults: faults.join("; ") });
}

/** Whether quote, route and the layout of the token's multiplier are those of a registry. */
function fitsRegistry(
  { quote, token, trade }: Pick<Evidence, "quote" | "token" | "trade">,
  registry: Registry,
): boolean {
  const { routes } = registry;
  const named = findAsset(registry, trade.stockAssetKey)?.multiplierLayout;
  if (token.layout !== null && !sameJson(token.layout, named)) return false;
  if (quote === null) return true;
  const route = routes.find(
    ({ address, selector }) => address === quote.route && selector === quote.selector,
  );
  if (route === undefined || route.name !== quote.routeName) return false;
  if (!arePoolsOfRoute(quote, route)) return false;
  return route.kind === "uniswap-v2" || quote.fees.every((fee) => route.feeTiers.includes(fee));
}

/** Whether these pools are those that a registry's route goes through: the address follows from the tokens. */
export function arePoolsOfRoute(
  { path, fees, pools }: Pick<QuoteFacts, "path" | "fees" | "pools">,
  route: Route,
): boolean {
  if (pools === null) return true;
  return pools.every((pool, hop) => {
    const isV3 = pool.kind === "uniswap-v3";
    const { pools: layout } = route;
    if (layout === undefined || layout.layout !== pool.kind) return false;
    if (layout.layout === "uniswap-v2" && !isV3 && layout.feeBps !== pool.feeBps) return false;
    const [input, output] = [path[hop], path[hop + 1]];
    if (input === undefined || output === undefined) return false;
    return pool.address === poolAddress(route, input, output, isV3 ? (fees[hop] ?? null) : null);
  });
}
