/** The local world as one thing: chain, contracts and a moving market. */
import type { Deployment } from "../chain/deployment.ts";
import { startChain } from "./chain/start.ts";
import type { Clock } from "./clock.ts";
import { createSimulation, startSimulation } from "./simulation.ts";
import { deployWorld, WORLD_NOTE } from "./world.ts";

/**
 * STRICT_LIVE calls a reference price or a quote stale after 60 s; this leaves room for a missed tick. Faster would
 * cost at every start: a day of ticks (2,880 blocks) is replayed in about six seconds and takes 330 MB of
 * memory.
 */
const TICK_MS = 30_000;
const DEFAULT_SEED = 1;

export interface LocalWorld {
  /** JSON-RPC. */
  readonly url: string;
  readonly chainId: number;
  readonly deployment: Deployment;
  stop(): Promise<void>;
}

/**
 * Starts the chain (or goes on with the one in `dataDir`), deploys what is missing and lets the market move.
 * @throws ChainStartError when directory or port are taken, or the journal does not fit
 */
export async function startLocalWorld(options: {
  dataDir: string;
  /** JSON-RPC port on 127.0.0.1; 0 takes a free one. */
  port: number;
  clock: Clock;
  log: (line: string) => void;
  seed?: number;
  tickMs?: number;
}): Promise<LocalWorld> {
  const { dataDir, port, clock, log, seed = DEFAULT_SEED, tickMs = TICK_MS } = options;
  const chain = await startChain({ dataDir, port, clock, log, requiredNote: WORLD_NOTE });
  try {
    const world = await deployWorld({ chain, clock, dataDir, log });
    const market = startSimulation({
      simulation: await createSimulation({ chain, world, clock, seed }),
      intervalMs: tickMs,
      log,
    });
    return {
      url: chain.url,
      chainId: chain.chainId,
      deployment: world.deployment,
      async stop() {
        await market.stop();
        await chain.stop();
      },
    };
  } catch (error) {
    await chain.stop();
    throw error;
  }
}
