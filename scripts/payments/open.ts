/** `npm run payments`: what was paid for which report, and refunds, for operators; whether the service runs or not. */
import { existsSync, readFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { hostname, userInfo } from "node:os";
import { type Config, ConfigError, parseConfig } from "../../api/settings/config.ts";
import { environment } from "../../api/settings/environment.ts";
import type { Registry } from "../../attestor/registry.ts";
import { orElse } from "../../attestor/values/orElse.ts";
import { Deployment } from "../../chain/deployment.ts";
import { isPostgres, sqlitePath } from "../../database/open.ts";
import { readLocalFile } from "../../devnet/localFile.ts";
import { UsageError } from "../console.ts";
import { isToldPlainly, withTables } from "../withDatabase.ts";
import HELP_LINES from "../../cli/help/commands.json" with { type: "json" };
import { createNodes } from "./nodes.ts";
import { type Options, parseOptions } from "../../cli/payments/options.ts";
import { runPaymentsCommand } from "./run.ts";
import { createTokens } from "./tokens.ts";

const HELP = HELP_LINES.payments.join("\n");

async function main(args: readonly string[]): Promise<number> {
  if (args.includes("--help")) {
    console.log(HELP);
    return 0;
  }
  try {
    return await withEverything(parseOptions(args));
  } catch (error) {
    if (error instanceof UsageError) {
      console.error(error.message === "" ? HELP : `${error.message}\n\n${HELP}`);
      return 2;
    }
    if (!isToldPlainly(error)) throw error;
    console.error(error.message);
    return 1;
  }
}

async function withEverything(options: Options): Promise<number> {
  const config = await settings();
  const deployment = deploymentOf(config);
  assertThere(config.databaseUrl.reveal());
  const nodes = createNodes(urlsOf(config, deployment));
  const refunds = {
    confirmationsOf: (network: string) => confirmationsOf(config, network),
    actor: `${userInfo().username}@${hostname()}`,
    writeFile,
  };
  return await withTables(config.databaseUrl.reveal(), (db) =>
    runPaymentsCommand(options, {
      ...{ db, nodes, refunds },
      tokens: createTokens(deployment?.registry ?? null, nodes),
      now: Date.now,
      write: (text) => process.stdout.write(text),
      printError: (line) => console.error(line),
    }),
  ).finally(() => nodes.close());
}

/** A mistyped DATA_DIR would otherwise make an empty database, in which nobody has paid. */
function assertThere(url: string): void {
  if (!isPostgres(url) && !existsSync(sqlitePath(url)))
    throw new ConfigError([`there is no database at ${sqlitePath(url)}`]);
}

/** Of the service, as far as they matter here; in the local world its node is where local.json says. */
async function settings(): Promise<Config> {
  const { DATABASE_URL, DATA_DIR, DEPLOYMENT_FILE, RPC_URL, RPC_PORT, PAYMENT_OPTIONS_FILE } = environment();
  const given = { DATABASE_URL, DATA_DIR, DEPLOYMENT_FILE, PAYMENT_OPTIONS_FILE, PAYMENT_PHASE: "paid" };
  const nodeOf = RPC_PORT === "0" ? {} : { RPC_PORT };
  const config = parseConfig({ ...given, RPC_URL, ...nodeOf });
  if (RPC_URL) return config;
  const local = await readLocalFile(config.dataDir);
  return local === null ? config : parseConfig({ ...given, RPC_URL: local.rpcUrl });
}

function deploymentOf({ deploymentFile }: Config): { chainId: number; registry: Registry } | null {
  return orElse(() => Deployment.parse(JSON.parse(readFileSync(deploymentFile, "utf8"))), null);
}

function urlsOf(config: Config, deployment: { chainId: number } | null): Map<string, string> {
  const urls = new Map<string, string>();
  for (const { network, rpcUrl } of config.payments?.options ?? [])
    if (rpcUrl !== undefined) urls.set(network, rpcUrl);
  if (deployment !== null) {
    const own = `eip155:${deployment.chainId}`;
    if (!urls.has(own)) urls.set(own, config.rpcUrl.reveal());
  }
  return urls;
}

/**
 * Of a network the highest counts, as in the service.
 * @throws ConfigError where the number is not set: with one block a reorganization could undo a confirmed refund
 */
function confirmationsOf({ payments }: Config, network: string): number {
  const ofNetwork = (payments?.options ?? []).filter((option) => option.network === network);
  if (ofNetwork.length === 0 && network !== "eip155:31337")
    throw new ConfigError([`PAYMENT_OPTIONS_FILE must say how many confirmations count on ${network}`]);
  return Math.max(1, ...ofNetwork.map(({ confirmations }) => confirmations));
}

// The reader, such as `head`, has seen enough.
process.stdout.on("error", () => process.exit());
process.exitCode = await main(process.argv.slice(2));
