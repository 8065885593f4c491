/** `npm run chain`: the local chain and its market alone. Ctrl-C or SIGTERM ends it; a second start goes on. */
import { resolve } from "node:path";
import { environment } from "../api/settings/environment.ts";
import { describeAccounts } from "./accounts.ts";
import { ChainStartError } from "./chain/errors.ts";
import { startChain } from "./chain/start.ts";
import { systemClock as clock } from "./clock.ts";
import { createSimulation, startSimulation } from "./simulation.ts";
import { deployWorld, WORLD_NOTE } from "./world.ts";

/**
 * STRICT_LIVE calls a reference price or a quote stale after 60 s; this leaves room for a missed tick. Faster would
 * cost at every start: a day of ticks (2,880 blocks) is replayed in about six seconds and takes 330 MB of
 * memory.
 */
const TICK_MS = 30_000;
const SEED = 1;

const log = (line: string) => console.log(line);

/**
 * Starts the chain (or goes on with the one in `dataDir`), deploys what is missing and lets the market move.
 * @param port of JSON-RPC on 127.0.0.1; 0 takes a free one
 * @throws ChainStartError when directory or port are taken, or the journal does not fit
 */
async function startLocalWorld(dataDir: string, port: number) {
  const chain = await startChain({ dataDir, port, clock, log, requiredNote: WORLD_NOTE });
  try {
    const world = await deployWorld({ chain, clock, dataDir, log });
    const simulation = createSimulation({ chain, world, clock, seed: SEED });
    const market = startSimulation({ simulation, intervalMs: TICK_MS, log });
    const stop = async () => {
      await market.stop();
      await chain.stop();
    };
    return { url: chain.url, chainId: chain.chainId, stop };
  } catch (error) {
    await chain.stop();
    throw error;
  }
}

class SettingError extends Error {}

function portFrom(text: string | undefined): number {
  const port = Number(text ?? 8545);
  if (Number.isInteger(port) && port >= 0 && port <= 65_535) return port;
  throw new SettingError(`RPC_PORT must be a port number, not "${text}".`);
}

async function main(): Promise<void> {
  const env = environment();
  const world = await startLocalWorld(resolve(env.DATA_DIR ?? "./data"), portFrom(env.RPC_PORT));
  log(`Local chain ${world.chainId} on ${world.url}. Its market is a simulation.`);
  log("Accounts of the development mnemonic:");
  for (const line of describeAccounts()) log(line);
  process.send?.({ type: "ready", url: world.url });

  let ending = false;
  const end = async () => {
    if (ending) return;
    ending = true;
    log("Stopping the local chain…");
    await world.stop();
    process.exit(0);
  };
  // Ctrl-C reaches a parent too, and it may want the chain a little longer: then SIGTERM is its word.
  process.on("SIGINT", () => process.send === undefined && end());
  process.on("SIGTERM", end);
  // A parent that is gone cannot stop us any more.
  process.on("disconnect", end);
}

main().catch((error: unknown) => {
  console.error(error instanceof ChainStartError || error instanceof SettingError ? error.message : error);
  process.exit(1);
});
