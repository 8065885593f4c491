/** What commands on payments work with: the database, the networks' nodes, and the tokens' names. */

import { Contract, type JsonRpcProvider } from "ethers";
import { readDeployment } from "../../api/opening/deploymentFile.ts";
import { type Config, ConfigError, parseConfig } from "../../api/settings/config.ts";
import { chainIdOf } from "../../api/settings/paymentOptions.ts";
import type { Registry } from "../../attestor/registry.ts";
import { orElse } from "../../attestor/values/orElse.ts";
import { connectRpc } from "../../chain/rpc.ts";
import type { Database } from "../../database/open.ts";
import { readLocalFile } from "../../devnet/localFile.ts";
import type { World } from "../console.ts";
import { withOwnTables } from "../database.ts";

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

/** What a test opened is open already. @throws ConfigError, Unusable */
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

const TIMEOUT_MS = 10_000;

export type Nodes = ReturnType<typeof createNodes>;

/** @param urls by network, CAIP-2 */
export function createNodes(urls: ReadonlyMap<string, string>) {
  const open = new Map<string, JsonRpcProvider>();
  return {
    /** @param network CAIP-2. @returns null where no node of it is known */
    of(network: string): JsonRpcProvider | null {
      const known = open.get(network);
      const url = urls.get(network);
      if (known !== undefined || url === undefined) return known ?? null;
      const node = connectRpc(url, chainIdOf(network), TIMEOUT_MS);
      open.set(network, node);
      return node;
    },
    close() {
      for (const node of open.values()) node.destroy();
    },
  };
}

export const noNode = (network: string): string =>
  `No node of ${network} is known: set RPC_URL, or rpcUrl in PAYMENT_OPTIONS_FILE.`;

export interface Token {
  readonly symbol: string;
  readonly decimals: number;
}

export type Tokens = ReturnType<typeof createTokens>;

const ABI = ["function symbol() view returns (string)", "function decimals() view returns (uint8)"];

/** The registry is believed first; a token that it does not list is asked itself, once. */
export function createTokens(registry: Registry | null, nodes: Nodes) {
  const asked = new Map<string, Promise<Token | null>>();

  async function look(network: string, asset: string): Promise<Token | null> {
    const listed = registry?.assets.find(({ assetKey }) => assetKey === `${network}:${asset}`);
    if (listed !== undefined) return { symbol: listed.symbol, decimals: listed.decimals };
    const node = nodes.of(network);
    if (node === null) return null;
    const token = new Contract(asset, ABI, node);
    const views = ["symbol", "decimals"].map((name) => token.getFunction(name).staticCall());
    const [symbol, decimals] = await Promise.all(views).catch(() => []);
    if (decimals === undefined) return null;
    // The token's own words end in a terminal and in a spreadsheet.
    const words = String(symbol).replace(/[^\p{L}\p{N}._-]/gu, "");
    return { symbol: words.slice(0, 20), decimals: Number(decimals) };
  }

  return {
    /** @returns null where neither the registry nor a node knows the token */
    find(network: string, asset: string): Promise<Token | null> {
      const name = `${network} ${asset}`;
      const known = asked.get(name) ?? look(network, asset);
      asked.set(name, known);
      return known;
    },
  };
}
