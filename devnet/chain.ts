/**
 * `npm run chain`: the local chain and its market alone. Ctrl-C or SIGTERM ends it, and with it the chain: a second start
 * begins a new one.
 */
import { resolve } from "node:path";
import { type Environment, environment } from "../api/settings/environment.ts";
import { endOnSignals } from "../api/shutdown.ts";
import { describeAccounts } from "./accounts.ts";
import { openFront } from "./chain/front.ts";
import { startNode } from "./chain/node.ts";
import { type Clock, systemClock } from "./clock.ts";
import { createLocalHermes } from "./hermes/server.ts";
import { writeDeployment } from "./localFile.ts";
import { WORLD_SEED } from "./random.ts";
import { createSimulation, startSimulation } from "./simulation.ts";
import { deployWorld } from "./world.ts";

/** STRICT_LIVE calls a reference price or a quote stale after 60 s; this leaves room for a missed tick. */
const TICK_MS = 30_000;

/**
 * Begins a chain, deploys the world on it and serves it. The market stands still between calls of `simulation.tick`.
 * @param dataDir gets `chain/deployment.json`
 * @param port of JSON-RPC on 127.0.0.1; 0 takes a free one
 * @throws Error in words for people when the port is taken
 */
export async function startWorld(dataDir: string, port: number, clock: Clock, seed: number) {
  const front = await openFront(port);
  try {
    const node = await startNode(clock);
    const world = await deployWorld(node, clock, seed);
    await writeDeployment(dataDir, world.deployment);
    front.serve({ node, onGet: createLocalHermes(node, world.deployment, clock) });
    const stop = async () => {
      await front.close();
      await node.close();
    };
    const simulation = createSimulation({ node, world, clock, seed });
    return { url: front.url, node, world, simulation, stop };
  } catch (error) {
    await front.close();
    throw error;
  }
}

/** With a market that moves by itself. @throws Error in words for people for a setting that will not do, or a taken port */
export async function startLocalChain(env: Environment) {
  const log = (line: string) => console.log(line);
  const dataDir = resolve(env.DATA_DIR ?? "./data");
  const world = await startWorld(dataDir, portFrom(env.RPC_PORT), systemClock, WORLD_SEED);
  const market = startSimulation({ simulation: world.simulation, intervalMs: TICK_MS, log });
  log(
    `Local chain ${world.node.chainId} on ${world.url}. Its market is a simulation, and it ends with this process.`,
  );
  return {
    url: world.url,
    async stop() {
      await market.stop();
      await world.stop();
    },
  };
}

function portFrom(text: string | undefined): number {
  const port = Number(text ?? 8545);
  if (Number.isInteger(port) && port >= 0 && port <= 65_535) return port;
  throw new Error(`RPC_PORT must be a port number, not "${text}".`);
}

async function main(): Promise<void> {
  const chain = await startLocalChain(environment());
  endOnSignals(chain.stop);
  console.log("Accounts of the development mnemonic:");
  for (const line of describeAccounts()) console.log(line);
  process.send?.({ type: "ready", url: chain.url });
}

if (import.meta.main)
  await main().catch((error: unknown) => {
    console.error(error instanceof Error ? error.message : error);
    process.exit(1);
  });
