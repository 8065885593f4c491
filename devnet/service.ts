/** Makes a freshly started service usable at once: key, market history, local.json. */

import type { RunningServer } from "../api/server.ts";
import type { Service } from "../api/service.ts";
import type { Config } from "../api/settings/config.ts";
import { assetKeyOf } from "../attestor/values/primitives.ts";
import type { Deployment } from "../chain/deployment.ts";
import { localAccounts } from "./accounts.ts";
import { type LocalFile, readLocalFile, writeLocalFile } from "./localFile.ts";
import { backfillLocalMarket } from "./market/sources.ts";
import { SECOND_DOLLAR, secondDollar } from "./secondDollar.ts";

interface LocalService {
  readonly config: Config;
  readonly server: RunningServer;
  readonly log: (line: string) => void;
}

/** @returns what was written to local.json */
export async function prepareLocal({ config, server, log }: LocalService): Promise<LocalFile> {
  const { deployment } = server.service;
  await fillHistory(server, log);
  const local = localFileOf(deployment, {
    baseUrl: server.url,
    rpcUrl: config.rpcUrl.reveal(),
    apiKey: await localKey(config, server),
    signer: await server.service.chain.guardSigner(),
  });
  await writeLocalFile(config.dataDir, local);
  return local;
}

/** @param places what a deployment does not say */
export function localFileOf(
  { chainId, guard, executor, registry }: Deployment,
  places: Pick<LocalFile, "baseUrl" | "rpcUrl" | "apiKey" | "signer">,
): LocalFile {
  const { agent, payee } = localAccounts();
  const second = { ...SECOND_DOLLAR, address: secondDollar(), kind: "payment" as const };
  const tokens = [...registry.assets, second].map(({ symbol, address, decimals, kind }) => [
    symbol,
    { assetKey: assetKeyOf(chainId, address), address, decimals, kind },
  ]);
  return {
    ...places,
    chainId,
    guard,
    executor,
    payee: payee.address,
    owner: agent.address,
    tokens: Object.fromEntries(tokens),
  };
}

/** The key of the last start while the database still knows it, else a new one. */
async function localKey({ dataDir }: Config, { service: { keys } }: RunningServer): Promise<string> {
  const lastStart = await readLocalFile(dataDir);
  if (lastStart !== null && (await isActive(keys, lastStart.apiKey))) return lastStart.apiKey;
  const application = {
    name: "local",
    email: "local@localhost.invalid",
    purpose: "made by npm start for local use",
  };
  return (await keys.create(application, "npm start")).key;
}

async function isActive(keys: Service["keys"], key: string): Promise<boolean> {
  try {
    await keys.authenticate(key);
    return true;
  } catch (error) {
    // A key that the service refuses is replaced; an unavailable database is an error.
    if (error instanceof Error && "code" in error && String(error.code).includes("api_key")) return false;
    throw error;
  }
}

async function fillHistory({ service }: RunningServer, log: (line: string) => void): Promise<void> {
  log("Looking for the simulated market's 90 days of history, and filling what is missing…");
  const filled = await backfillLocalMarket(service.db, { ...service, now: Date.now });
  if (filled.length > 0) log(`Filled ${filled.length} series.`);
}
