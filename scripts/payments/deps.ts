/** What commands on payments work with: the database, the networks' nodes, and the tokens' names. */
import { readDeployment } from "../../api/opening/deploymentFile.ts";
import { type Config, ConfigError, parseConfig } from "../../api/settings/config.ts";
import type { Registry } from "../../attestor/registry.ts";
import { orElse } from "../../attestor/values/orElse.ts";
import type { Database } from "../../database/open.ts";
import { readLocalFile } from "../../devnet/localFile.ts";
import type { World } from "../console.ts";
import { withOwnTables } from "../database.ts";
import { createNodes, type Nodes } from "./nodes.ts";
import { createTokens, type Token, type Tokens } from "./tokens.ts";

export interface PaymentsDeps {
  readonly db: Database;
  readonly tokens: Tokens;
  readonly nodes: Nodes;
  /** Blocks until a transfer counts, of a network. */
  confirmationsOf(network: string): number;
}

export const PAYMENT_NOTES = [
  "Settings: DATABASE_URL or DATA_DIR, DEPLOYMENT_FILE for the names of tokens, RPC_URL and PAYMENT_OPTIONS_FILE for the",
  "networks' nodes. In the local world none is needed.",
];

/** What a test opened is open already. @throws ConfigError, PlainError */
export async function withPayments(
  world: World | (World & { readonly payments: PaymentsDeps }),
  work: (deps: PaymentsDeps) => Promise<number>,
): Promise<number> {
  if ("payments" in world) return await work(world.payments);
  const config = await settingsOf(world);
  const deployment = deploymentOf(config);
  const nodes = createNodes(urlsOf(config, deployment));
  const tokens = createTokens(deployment?.registry ?? null, nodes);
  const confirmationsOf = (network: string) => confirmationsIn(config, network);
  return await withOwnTables(config.databaseUrl.reveal(), world, (db) =>
    work({ db, nodes, tokens, confirmationsOf }),
  ).finally(() => nodes.close());
}

/** Of the service, as far as they matter here; in the local world its node is where local.json says. */
async function settingsOf({ env }: World): Promise<Config> {
  const { DATABASE_URL, DATA_DIR, DEPLOYMENT_FILE, RPC_URL, RPC_PORT, PAYMENT_OPTIONS_FILE } = env;
  const given = { DATABASE_URL, DATA_DIR, DEPLOYMENT_FILE, PAYMENT_OPTIONS_FILE, PAYMENT_PHASE: "paid" };
  const nodeOf = RPC_PORT === "0" ? {} : { RPC_PORT };
  const config = parseConfig({ ...given, RPC_URL, ...nodeOf });
  if (RPC_URL) return config;
  const local = await readLocalFile(config.dataDir);
  return local === null ? config : parseConfig({ ...given, RPC_URL: local.rpcUrl });
}

function deploymentOf({ deploymentFile }: Config): { chainId: number; registry: Registry } | null {
  return orElse(() => readDeployment(deploymentFile), null);
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
function confirmationsIn({ payments }: Config, network: string): number {
  const ofNetwork = (payments?.options ?? []).filter((option) => option.network === network);
  if (ofNetwork.length === 0 && network !== "eip155:31337")
    throw new ConfigError([`PAYMENT_OPTIONS_FILE must say how many confirmations count on ${network}`]);
  return Math.max(1, ...ofNetwork.map(({ confirmations }) => confirmations));
}

/** Each row with its token; null: nobody knows it. */
export const withTokens = <T extends { readonly network: string; readonly asset: string }>(
  { tokens }: Pick<PaymentsDeps, "tokens">,
  rows: readonly T[],
): Promise<(readonly [T, Token | null])[]> =>
  Promise.all(rows.map(async (row) => [row, await tokens.find(row.network, row.asset)] as const));
