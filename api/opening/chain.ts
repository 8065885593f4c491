/** The chain as the service reads it: with what providers state, and the sessions of the stock exchange. */
import { sessionAt } from "../../attestor/calendar.ts";
import type { PublisherKeys } from "../../attestor/publishers/publisherKeys.ts";
import { isSigned } from "../../attestor/sources.ts";
import { type Chain, createChain } from "../../chain/chain.ts";
import type { Deployment } from "../../chain/deployment.ts";
import type { OffchainSources } from "../../chain/facts/offchain.ts";
import { createOffchainSources } from "../../market/facts/offchainFacts.ts";
import { type ProviderLimits, UNLIMITED } from "../../market/providers/limits.ts";
import { readCursor, writeCursors } from "../jobs/guardEvents.ts";
import type { Service } from "../service.ts";
import { revealed } from "../settings/providers.ts";

/** What is open before the chain. */
type Opened = Pick<
  Service,
  "caches" | "now" | "config" | "db" | "deployment" | "logger" | "provider" | "watches"
>;

interface ChainSetup {
  readonly publisherKeys: PublisherKeys;
  readonly attestorFor: Parameters<typeof createChain>[0]["attestorFor"];
  /** By which providers are asked. */
  readonly limits: ProviderLimits;
  readonly fetch: typeof fetch;
}

export function openChain(opened: Opened, setup: ChainSetup): Chain {
  const { db, deployment, logger } = opened;
  // From which block on events of the guard's manager have to be read.
  const scheduleCursor = `schedule/${deployment.chainId}/${deployment.guard}`;
  return createChain({
    caches: opened.caches,
    scheduleStart: {
      read: () => readCursor(db, scheduleCursor),
      write: (block) => writeCursors(db, { [scheduleCursor]: block }),
    },
    provider: opened.provider,
    deployment,
    attestorFor: setup.attestorFor,
    sessionAt: (seconds) => ({
      source: deployment.source === "simulated" ? deployment.source : "nyse-calendar",
      state: sessionOf(deployment, seconds),
    }),
    offchain: offchainOf(opened, setup),
    warn: (line) => logger.warn(line),
  });
}

/** @param seconds unix */
export function sessionOf({ source }: Pick<Deployment, "source">, seconds: number) {
  // The simulated market never closes.
  return source === "simulated" ? "regular" : sessionAt(seconds).state;
}

/** null: the local world states all that there is. */
function offchainOf(opened: Opened, setup: ChainSetup): OffchainSources | null {
  const { config, deployment, watches, now, logger } = opened;
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
    publisherKeys: setup.publisherKeys,
    ...(simulated ? { source: deployment.source } : {}),
    fetch: setup.fetch,
    // The local world's prices come from its own node.
    limits: simulated ? UNLIMITED : setup.limits,
    watch: watches.provider,
    now,
    log: logger,
  });
}
