/** The market that commands collect for, whichever profile it is. */
import { listedAssets } from "../../api/data/listing.ts";
import { readDeployment } from "../../api/opening/deploymentFile.ts";
import { openLiveMarket } from "../../api/opening/liveMarket.ts";
import { type Config, parseConfig } from "../../api/settings/config.ts";
import { sessionAt } from "../../attestor/calendar.ts";
import { connectRpc } from "../../chain/rpc.ts";
import { createDatabaseClock, type DatabaseClock } from "../../database/clock.ts";
import type { Database } from "../../database/open.ts";
import { backfillLocalMarket, localMarket } from "../../devnet/market/sources.ts";
import { backfillFunding } from "../../market/collect/backfill.ts";
import { DEFAULT_RETENTION, SIMULATED_RETENTION } from "../../market/collect/retention.ts";
import type { MarketDeps } from "../../market/collect/types.ts";
import { createLimits } from "../../market/providers/limits.ts";
import type { World } from "../console.ts";
import { withTables } from "../database.ts";

export const MARKET_NOTES = [
  "It works beside a running service: samples that arrive twice or late change nothing else.",
  "Settings: the same as for npm start; ASSAY_PROFILE=live asks the public providers.",
];

const HISTORY_DAYS = 90;
const RPC_TIMEOUT_MS = 10_000;

export interface OpenMarket {
  readonly market: MarketDeps;
  /** Prints a line per subject. @returns false when something failed */
  backfill(): Promise<boolean>;
}

/** A market that a test made is open already. @throws ConfigError */
export async function withMarket<T>(
  world: World | (World & { readonly openMarket: OpenMarket }),
  work: (open: OpenMarket) => Promise<T>,
): Promise<T> {
  if ("openMarket" in world) return await work(world.openMarket);
  const config = parseConfig(world.env);
  return await withTables(config.databaseUrl.reveal(), async (db) => {
    const clock = createDatabaseClock({ db, machine: world.now, monotonic: world.monotonic });
    await clock.look();
    const { close, ...open } = openMarket(config, db, clock, world);
    return await work(open).finally(close);
  });
}

function openMarket(
  config: Config,
  db: Database,
  clock: DatabaseClock,
  world: World,
): OpenMarket & { close(): void } {
  const deployment = readDeployment(config.deploymentFile);
  const assets = listedAssets(deployment);
  const provider = connectRpc(config.rpcUrl.reveal(), deployment.chainId, RPC_TIMEOUT_MS);
  const close = () => provider.destroy();
  // The table says what failed; the reasons are for who looks closer.
  const log = {
    warn: (_fields: object, message: string) => world.err(message),
    error: (fields: object, message: string) => {
      if ("err" in fields) world.err(`${message}: ${String(fields.err)}`);
    },
  };
  const { retention, platformFeeBps } = config.market;
  const common = {
    db,
    assets,
    now: clock.now,
    log,
    platformFeeBps,
    retention: { ...DEFAULT_RETENTION, ...retention },
  };
  if (deployment.source === "simulated") {
    const local = { deployment, provider, assets, now: clock.now };
    return {
      market: {
        ...common,
        market: localMarket(local),
        sessionAt: () => "regular",
        retention: { ...SIMULATED_RETENTION, ...retention },
      },
      backfill: async () => {
        const filled = await backfillLocalMarket(db, local);
        world.out(filled.length > 0 ? `Filled: ${filled.join(", ")}` : "The history is already there.");
        return true;
      },
      close,
    };
  }
  const live = openLiveMarket(config, {
    deployment,
    provider,
    now: clock.now,
    limits: createLimits(),
  });
  const market = { ...common, market: live, sessionAt: (at: number) => sessionAt(at).state };
  return {
    market,
    backfill: async () => {
      let isWhole = true;
      await backfillFunding(market, live, HISTORY_DAYS, ({ underlying, stored, error }) => {
        if (error !== null) isWhole = false;
        const found = error === null ? stored : `failed: ${String(error)}`;
        world.out(`funding ${underlying.padEnd(10)} ${found}`);
      });
      return isWhole;
    },
    close,
  };
}
