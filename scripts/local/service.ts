/** Makes a freshly started service usable at once: key, liquidity history, local.json. */
import type { Config } from "../../api/config.ts";
import type { RunningServer } from "../../api/server.ts";
import { LARGE_USD, SMALL_USD } from "../../market/collect.ts";
import { backfillImpacts, hasHistory, type MeasuredImpact } from "../../market/simulated.ts";
import { type LocalFile, readLocalFile, writeLocalFile } from "./localFile.ts";
import { randomStream } from "./random.ts";

const HISTORY_SEED = 1;

interface LocalService {
  readonly config: Config;
  readonly server: RunningServer;
  readonly log: (line: string) => void;
}

/** @returns what was written to local.json */
export async function prepareLocal({ config, server, log }: LocalService): Promise<LocalFile> {
  const { deployment } = server.parts;
  await fillHistory(server, log);
  const local: LocalFile = {
    baseUrl: server.url,
    rpcUrl: config.rpcUrl.reveal(),
    chainId: deployment.chainId,
    apiKey: await localKey(config, server),
    guard: deployment.guard,
    executor: deployment.executor,
    tokens: Object.fromEntries(deployment.registry.assets.map(({ symbol, address }) => [symbol, address])),
  };
  await writeLocalFile(config.dataDir, local);
  return local;
}

/** The key of the last start while the database still knows it, else a new one. */
async function localKey({ dataDir }: Config, { keys }: RunningServer): Promise<string> {
  const known = await readLocalFile(dataDir);
  if (known !== null && (await isActive(keys, known.apiKey))) return known.apiKey;
  const application = {
    name: "local",
    email: "local@localhost.invalid",
    purpose: "made by npm start for local use",
  };
  return (await keys.create(application, "npm start")).key;
}

async function isActive(keys: RunningServer["keys"], key: string): Promise<boolean> {
  try {
    await keys.authenticate(key);
    return true;
  } catch (error) {
    // Whatever the service would refuse is replaced; a database that is away is another matter.
    if (error instanceof Error && "code" in error && String(error.code).includes("api_key")) return false;
    throw error;
  }
}

async function fillHistory(server: RunningServer, log: (line: string) => void): Promise<void> {
  const { db, parts } = server;
  const now = Math.floor(Date.now() / 1000);
  const stocks = parts.deployment.registry.assets.filter(({ kind }) => kind === "stock");
  const without: typeof stocks = [];
  for (const stock of stocks) if (!(await hasHistory(db, stock.assetKey, now))) without.push(stock);
  if (without.length === 0) return;
  log(
    `Filling 90 days of simulated liquidity history for ${without.map(({ symbol }) => symbol).join(", ")}…`,
  );
  const measured: MeasuredImpact[] = [];
  for (const { assetKey } of without)
    measured.push({
      assetKey,
      impact1kBps: await parts.chain.impactOf(assetKey, SMALL_USD),
      impact10kBps: await parts.chain.impactOf(assetKey, LARGE_USD),
    });
  const random = randomStream(HISTORY_SEED, "liquidity");
  await backfillImpacts({ db, measured, now, random, sessionAt: () => "regular" });
}
