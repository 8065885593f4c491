/** The chain as the service reads it: with what providers state, and the sessions of the stock exchange. */
import type { JsonRpcProvider } from "ethers";
import { sessionAt } from "../../attestor/calendar.ts";
import type { PublisherKeys } from "../../attestor/publishers/publisherKeys.ts";
import { isSigned } from "../../attestor/sources.ts";
import type { UnixMs } from "../../attestor/values/time.ts";
import { type Chain, type ChainDeps, createChain } from "../../chain/chain.ts";
import type { Deployment } from "../../chain/deployment.ts";
import type { OffchainSources } from "../../chain/facts/offchain.ts";
import type { Database } from "../../database/open.ts";
import { createOffchainSources } from "../../market/facts/offchainFacts.ts";
import { type ProviderLimits, UNLIMITED } from "../../market/providers/limits.ts";
import { readCursor, writeCursor } from "../jobs/followTrades.ts";
import type { RawAnswers } from "../jobs/rawAnswers.ts";
import type { Logger } from "../metrics/logger.ts";
import type { Watches } from "../metrics/watches.ts";
import type { Config } from "../settings/config.ts";
import { revealed } from "../settings/providers.ts";

export interface OpenChainDeps {
  readonly config: Pick<Config, "providers" | "rpcUrl">;
  readonly deployment: Deployment;
  readonly publisherKeys: PublisherKeys;
  readonly provider: JsonRpcProvider;
  readonly attestorFor: ChainDeps["attestorFor"];
  /** By which providers are asked. */
  readonly limits: ProviderLimits;
  /** Keeps from which block on events of the guard's manager have to be read. */
  readonly db: Database;
  /** Keeps the raw answers behind the facts. */
  readonly keepRaw: RawAnswers["keep"];
  readonly fetch: typeof fetch;
  readonly clock: () => UnixMs;
  readonly watches: Pick<Watches, "caches" | "provider">;
  readonly logger: Logger;
}

export function openChain(deps: OpenChainDeps): Chain {
  const { deployment } = deps;
  const scheduleCursor = `schedule/${deployment.chainId}/${deployment.guard}`;
  return createChain({
    caches: deps.watches.caches,
    keepRaw: deps.keepRaw,
    scheduleStart: {
      read: () => readCursor(deps.db, scheduleCursor),
      write: (block) => writeCursor(deps.db, scheduleCursor, block),
    },
    provider: deps.provider,
    deployment,
    attestorFor: deps.attestorFor,
    sessionAt: (seconds) => ({
      source: deployment.source === "simulated" ? deployment.source : "nyse-calendar",
      state: sessionOf(deployment, seconds),
    }),
    offchain: offchainOf(deps),
    warn: (line) => deps.logger.warn(line),
  });
}

/** @param seconds unix */
export function sessionOf({ source }: Pick<Deployment, "source">, seconds: number) {
  // The simulated market never closes.
  return source === "simulated" ? "regular" : sessionAt(seconds).state;
}

/** null: the local world states all that there is. */
function offchainOf(deps: OpenChainDeps): OffchainSources | null {
  const { config, deployment } = deps;
  const simulated = deployment.source === "simulated";
  if (simulated && !deployment.registry.assets.some(({ priceSources }) => priceSources.some(isSigned)))
    return null;
  return createOffchainSources({
    keys: revealed(config.providers.keys),
    baseUrls: {
      // The local world's prices are signed where its chain is.
      ...(simulated ? { pyth: config.rpcUrl.reveal() } : {}),
      ...config.providers.baseUrls,
    },
    requestLimits: config.providers.limits,
    chainId: deployment.chainId,
    publisherKeys: deps.publisherKeys,
    ...(simulated ? { source: deployment.source } : {}),
    fetch: deps.fetch,
    // The local world's prices come from its own node.
    limits: simulated ? UNLIMITED : deps.limits,
    watch: deps.watches.provider,
    keepRaw: (raw) => void deps.keepRaw(raw),
    now: deps.clock,
    log: deps.logger,
  });
}
