/**
 * `npm run api`: the API alone. In the local profile it prepares what a newcomer needs on top of the chain of
 * `npm run chain`: the development attestation key, an API key, a history of liquidity, and local.json.
 * In the live profile it is `api/server.ts` and nothing more.
 */
import { existsSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { pricesOf } from "../api/discovery/prices.ts";
import { readDeployment } from "../api/opening/deploymentFile.ts";
import { liveMarket } from "../api/opening/liveMarket.ts";
import { type RunningServer, startServer } from "../api/server.ts";
import type { MarketContext, MarketSetup } from "../api/service.ts";
import { type Config, parseConfig } from "../api/settings/config.ts";
import { environment } from "../api/settings/environment.ts";
import { endOnSignals } from "../api/shutdown.ts";
import { wholeUnits } from "../attestor/values/wholeUnits.ts";
import { UpstreamUnavailable } from "../chain/chainErrors.ts";
import { assertChain, connectRpc, upstream } from "../chain/rpc.ts";
import type { Database } from "../database/open.ts";
import { SIMULATED_RETENTION } from "../market/collect/retention.ts";
import { localAccounts } from "./accounts.ts";
import { banner } from "./banner.ts";
import { endEarlierChain } from "./earlierChain.ts";
import { localPayments } from "./facilitator.ts";
import { localMarket } from "./market/sources.ts";
import { SECOND_DOLLAR, secondDollar } from "./secondDollar.ts";
import { prepareLocal } from "./service.ts";

const RPC_TIMEOUT_MS = 2_000;
const TRY_EVERY_MS = 500;
/** Logs one of so many tries. */
const TELL_EVERY = 20;

export interface StartedApi {
  readonly config: Config;
  readonly server: RunningServer;
}

/** The API, serving; `announce` makes it usable for a newcomer. */
export async function startApi(env: Record<string, string | undefined>): Promise<StartedApi> {
  const local = env.ASSAY_PROFILE !== "live";
  // The local world's own key, unless another is set. The live profile refuses it.
  if (local && !env.ATTESTOR_KEYSTORE && !env.ATTESTOR_PRIVATE_KEY)
    env.ATTESTOR_PRIVATE_KEY = localAccounts().attestation.privateKey;
  // A terminal is for people; the requests' log is there with LOG_LEVEL=info.
  if (local) env.LOG_LEVEL ??= "warn";

  const config = parseConfig(env);
  if (!local) return { config, server: await startServer(config, { market: liveMarket(config) }) };
  await mkdir(config.dataDir, { recursive: true, mode: 0o700 });
  const { chainId, genesisHash } = await whenChainIsThere(() => localChainOf(config));
  const server = await startServer(config, {
    market: simulated,
    payments: localPayments,
    prepareDatabase: (db) => leaveEarlierChain(db, chainId, genesisHash),
  });
  return { config, server };
}

/** Tries until the local chain is there, and tells what it waits for: a first start takes a while. */
async function whenChainIsThere<T>(work: () => Promise<T>): Promise<T> {
  for (let failures = 0; ; failures++) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof UpstreamUnavailable)) throw error;
      if (failures % TELL_EVERY === 0)
        console.log(`Waiting for the local chain (npm run chain). ${error.message}`);
      await sleep(TRY_EVERY_MS);
    }
  }
}

/** @throws UpstreamUnavailable while the chain is not there, or has no guard */
async function localChainOf({ deploymentFile, rpcUrl }: Config) {
  if (!existsSync(deploymentFile))
    throw new UpstreamUnavailable(
      `It writes ${deploymentFile}; if its data are elsewhere, set DATA_DIR to that folder.`,
    );
  const { chainId, guard } = readDeployment(deploymentFile);
  const provider = connectRpc(rpcUrl.reveal(), chainId, RPC_TIMEOUT_MS);
  try {
    await assertChain(provider, chainId);
    const [code, genesis] = await upstream("guard", () =>
      Promise.all([provider.getCode(guard), provider.getBlock(0)]),
    );
    if (code === "0x" || !genesis?.hash)
      throw new UpstreamUnavailable(`It has no guard at ${guard}, which ${deploymentFile} names.`);
    return { chainId, genesisHash: genesis.hash };
  } finally {
    provider.destroy();
  }
}

async function leaveEarlierChain(db: Database, chainId: number, genesisHash: string): Promise<void> {
  const ended = await endEarlierChain(db, chainId, genesisHash);
  if (ended === null || ended.payments + ended.transactions === 0) return;
  const { payments, transactions } = ended;
  console.log(
    "An earlier local chain is gone. " +
      `Payments that failed with it: ${payments}. Transactions that were dropped: ${transactions}.`,
  );
}

/** Every minute: a newcomer who comes back after a week should not wait long for a liquidity grade. */
const simulated = (context: MarketContext): MarketSetup => ({
  market: localMarket({ ...context, now: Date.now }),
  retention: SIMULATED_RETENTION,
  pattern: "* * * * *",
});

/** Fills in what a newcomer needs, and says where the service is. */
export async function announce({ config, server }: StartedApi): Promise<void> {
  if (config.profile === "live") return console.log(`Assay serves on ${server.url}`);
  // A background process has nothing to show to a newcomer.
  if (config.role === "worker")
    return console.log(`Assay works in the background, and says how at ${server.url}`);
  const local = await whenChainIsThere(() =>
    prepareLocal({ config, server, log: (line) => console.log(line) }),
  );
  for (const line of banner(local, { ...server, price: priceIn(server) })) console.log(line);
}

/** Of a report, by each way to pay; null in the free phase. */
function priceIn({ service }: RunningServer): string | null {
  const prices = pricesOf(service.payments) ?? [];
  const assets = [...service.deployment.registry.assets, { ...SECOND_DOLLAR, address: secondDollar() }];
  const texts = prices.map(({ asset, amount, token: name }) => {
    const token = assets.find(({ address }) => address === asset);
    return token === undefined
      ? `${amount} raw units of ${name}`
      : `${wholeUnits(amount, token.decimals)} ${token.symbol}`;
  });
  return texts.length === 0 ? null : texts.join(" or ");
}

async function main(): Promise<void> {
  const api = await startApi(environment());
  endOnSignals(() => api.server.stop(), api.config.drainMs);
  await announce(api);
  process.send?.({ type: "ready", url: api.server.url });
}

if (import.meta.main)
  await main().catch((error: unknown) => {
    console.error(error instanceof Error ? error.message : error);
    process.exit(1);
  });
