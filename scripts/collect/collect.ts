/** `npm run collect`: one round of the collectors by hand, or the history that providers have. */

import { readFileSync } from "node:fs";
import { userInfo } from "node:os";
import { parseArgs } from "node:util";
import { listedAssets } from "../../api/data/listing.ts";
import { openLiveMarket } from "../../api/services/liveMarket.ts";
import { type Config, parseConfig } from "../../api/settings/config.ts";
import { environment } from "../../api/settings/environment.ts";
import { sessionAt } from "../../attestor/calendar.ts";
import { orElse } from "../../attestor/values/orElse.ts";
import { Deployment } from "../../chain/deployment.ts";
import { connectRpc } from "../../chain/rpc.ts";
import { createDatabaseClock, type DatabaseClock } from "../../database/clock.ts";
import type { Database } from "../../database/open.ts";
import { backfillLocalMarket, localMarket } from "../../devnet/market/sources.ts";
import { backfillFunding } from "../../market/collect/backfill.ts";
import { collectRound } from "../../market/collect/collect.ts";
import { DEFAULT_RETENTION, SIMULATED_RETENTION } from "../../market/collect/retention.ts";
import { createMemory } from "../../market/collect/round.ts";
import type { MarketDeps, StepReport } from "../../market/collect/types.ts";
import { createLimits } from "../../market/providers/limits.ts";
import { marketStatus } from "../../market/status.ts";
import { runRepair } from "./repair.ts";
import { statusLines } from "./statusLines.ts";
import { isToldPlainly, withTables } from "../withDatabase.ts";
import HELP_LINES from "../../cli/help/commands.json" with { type: "json" };

export const HELP = HELP_LINES.collect.join("\n");

const HISTORY_DAYS = 90;
const RPC_TIMEOUT_MS = 10_000;

/** What the command works on, whichever profile it is. */
export interface CollectCommandDeps {
  readonly market: MarketDeps;
  /** @param print takes a line per subject @returns false when something failed */
  backfill(print: (line: string) => void): Promise<boolean>;
  /** The operator, who is kept with a retraction. */
  readonly actor: string;
  print(line: string): void;
  printError(line: string): void;
}

/** @returns the exit code: 0 done, 1 something failed, 2 not understood */
export async function runCollectCommand(args: readonly string[], deps: CollectCommandDeps): Promise<number> {
  const options = optionsOf(args);
  const code = options && (await carryOut(options, deps));
  if (code !== undefined) return code;
  deps.printError(HELP);
  return 2;
}

/** @returns undefined where the options do not fit together */
async function carryOut(options: Options, deps: CollectCommandDeps): Promise<number | undefined> {
  if (COMMANDS.filter((name) => options[name] !== undefined).length !== 1) return undefined;
  if (options.once) return once(deps);
  if (options.status) return status(deps);
  if (options.backfill) return (await deps.backfill(deps.print)) ? 0 : 1;
  return runRepair(options, deps);
}

const COMMANDS = ["once", "backfill", "status", "recompute", "retract"] as const;
type Options = NonNullable<ReturnType<typeof optionsOf>>;

function optionsOf(args: readonly string[]) {
  const text = { type: "string" } as const;
  const flag = { type: "boolean" } as const;
  const options = {
    once: flag,
    backfill: flag,
    status: flag,
    recompute: text,
    retract: text,
    from: text,
    to: text,
    at: text,
    reason: text,
  };
  return orElse(() => parseArgs({ args: [...args], options }).values, undefined);
}

async function once({ market, print }: CollectCommandDeps): Promise<number> {
  print(rowOf(["", "stored", "failed", "rejected"]));
  const onProgress = (step: StepReport) => {
    if (step.finished) print(rowOf([step.kind, step.done, step.failed.length, step.rejected]));
  };
  const { steps } = await collectRound({ ...market, onProgress }, createMemory());
  const failed = steps.flatMap((step) => step.failed.map((subject) => `${step.kind}: ${subject}`));
  for (const line of failed) print(`Missing: ${line}`);
  return failed.length === 0 ? 0 : 1;
}

async function status({ market: { db, assets, now }, print }: CollectCommandDeps): Promise<number> {
  const at = Math.floor(now() / 1_000);
  for (const line of statusLines(await marketStatus(db, assets, at))) print(line);
  return 0;
}

function rowOf([name, ...figures]: readonly (string | number)[]): string {
  return String(name).padEnd(12) + figures.map((figure) => String(figure).padStart(10)).join("");
}

function openMarket(
  config: Config,
  db: Database,
  clock: DatabaseClock,
): Pick<CollectCommandDeps, "market" | "backfill"> & { close(): void } {
  const deployment = Deployment.parse(JSON.parse(readFileSync(config.deploymentFile, "utf8")));
  const assets = listedAssets(deployment);
  const provider = connectRpc(config.rpcUrl.reveal(), deployment.chainId, RPC_TIMEOUT_MS);
  const close = () => provider.destroy();
  // The table says what failed; the reasons are for who looks closer.
  const log = {
    warn: (_fields: object, message: string) => console.error(message),
    error: (fields: object, message: string) => {
      if ("err" in fields) console.error(`${message}: ${String(fields.err)}`);
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
      backfill: async (print) => {
        const filled = await backfillLocalMarket(db, local);
        print(filled.length > 0 ? `Filled: ${filled.join(", ")}` : "The history is already there.");
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
    backfill: async (print) => {
      let whole = true;
      await backfillFunding(market, live, HISTORY_DAYS, ({ underlying, stored, error }) => {
        if (error !== null) whole = false;
        print(`funding ${underlying.padEnd(10)} ${error === null ? stored : `failed: ${String(error)}`}`);
      });
      return whole;
    },
    close,
  };
}

async function main(): Promise<number> {
  const args = process.argv.slice(2);
  if (args.length === 0 || args.includes("--help")) {
    console.log(HELP);
    return args.length === 0 ? 2 : 0;
  }
  const config = parseConfig(environment());
  return await withTables(config.databaseUrl.reveal(), async (db) => {
    const clock = createDatabaseClock({ db, machine: Date.now, monotonic: () => performance.now() });
    await clock.look();
    const { close, ...deps } = openMarket(config, db, clock);
    const { log: print, error: printError } = console;
    const { username: actor } = userInfo();
    return await runCollectCommand(args, { ...deps, actor, print, printError }).finally(close);
  });
}

if (import.meta.main)
  process.exitCode = await main().catch((error: unknown) => {
    const missing = error instanceof Error && "code" in error && error.code === "ENOENT";
    if (missing) console.error("There is no deployment yet: start the service first (npm start).");
    else if (isToldPlainly(error)) console.error(error.message);
    else throw error;
    return 1;
  });
