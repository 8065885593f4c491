/** `npm run agent`: an agent with a wallet of its own against a running service. See `--help`. */
import { randomUUID } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { resolve } from "node:path";
import { environment } from "../api/settings/environment.ts";
import { Address } from "../attestor/values/primitives.ts";
import { createClient, PaymentRequired, ServiceError } from "../client/client.ts";
import { localAccounts } from "../devnet/accounts.ts";
import { type LocalFile, readLocalFile } from "../devnet/localFile.ts";
import { Mistrust } from "./agent/checks.ts";
import type { Purchase, Tradable } from "./agent/first.ts";
import { tradeWithinMandate } from "./agent/mandate.ts";
import { createPayer, type Purse, Unpaid } from "./agent/pay.ts";
import { type AgentDeps, Denied, executeTrade, prepareTrade, rawAmount, type Wish } from "./agent/run.ts";
import { connectWallet } from "./agent/wallet.ts";
import { parseTyped, UsageError } from "./console.ts";
import HELP_LINES from "./help/commands.json" with { type: "json" };
import { guardOf } from "./typed.ts";

const HELP = HELP_LINES.agent.join("\n");

/** A payment takes a block, and somebody else's may be on its way. */
const PATIENCE = { retries: 6, patienceMs: 60_000 };

/** The account that trades within a mandate; the owner is another one. */
const AGENT = "9";

function options() {
  const { values, positionals } = parseTyped({
    allowPositionals: true,
    options: {
      mandate: { type: "boolean", default: false },
      relay: { type: "boolean", default: false },
      side: { type: "string", default: "buy" },
      symbol: { type: "string", default: "AAPLx" },
      amount: { type: "string" },
      policy: { type: "string", default: "STRICT_LIVE" },
      slippage: { type: "string", default: "50" },
      guard: { type: "string" },
      account: { type: "string", default: "1" },
      pay: { type: "boolean", default: false },
      "max-price": { type: "string", default: "0.10" },
      "no-key": { type: "boolean", default: false },
      save: { type: "string" },
      help: { type: "boolean", default: false },
    },
  });
  const safe = Address.safeParse(positionals[0]);
  if (positionals.length > (values.mandate ? 1 : 0) || (positionals.length > 0 && !safe.success))
    throw new UsageError(`${positionals.join(" ")} is not the address of a Safe after --mandate.`);
  return { ...values, safe: safe.data ?? null };
}

/** @throws UsageError for options that do not go together, or have a value that they cannot have */
function sideOf({
  side,
  relay,
  account,
  slippage,
  mandate,
  pay,
  "no-key": keyless,
}: ReturnType<typeof options>): "buy" | "sell" {
  if (side !== "buy" && side !== "sell") throw new UsageError("--side must be buy or sell.");
  if (mandate && (relay || pay || keyless))
    throw new UsageError(
      "--mandate goes with side, symbol, amount, policy, slippage, guard, account and save.",
    );
  if (mandate && account === AGENT) throw new UsageError(`--mandate: account ${AGENT} is the agent.`);
  if (!/^[1-9]$/.test(account)) throw new UsageError("--account must be a number from 1 to 9.");
  if (!/^[0-9]{1,5}$/.test(slippage))
    throw new UsageError("--slippage must be a whole number of basis points.");
  return side;
}

async function main(): Promise<void> {
  const given = options();
  if (given.help) return console.log(HELP);
  const side = sideOf(given);

  const dataDir = resolve(environment().DATA_DIR ?? "./data");
  const local = await readLocalFile(dataDir);
  if (local === null) throw new Error(`There is no local.json in ${dataDir}. Is \`npm start\` running?`);

  const accounts = localAccounts();
  const wallet = (key: string) => connectWallet(local.rpcUrl, key);
  const owner = wallet(accounts.users[Number(given.account) - 1]!.privateKey);
  const log = (line: string) => console.log(line);
  const { baseUrl, apiKey } = local;
  const keyless = given["no-key"];
  const clientOf: Purchase["clientOf"] = (own = {}) =>
    createClient({ baseUrl, ...(keyless ? {} : { apiKey }), ...PATIENCE, ...own });
  const tokens = tokensOf(local);
  const wish = wishOf(given, side);
  if (given.mandate) {
    const agent = wallet(accounts.users[Number(AGENT) - 1]!.privateKey);
    const trusted = trustedGuard(given.guard, local);
    const within = { client: clientOf(), owner, agent, tokens, ...trusted, log };
    const traded = await tradeWithinMandate(within, wish, given.safe);
    return given.save === undefined ? undefined : await save(given.save, traded);
  }
  const payer = createPayer({
    wallet: owner,
    purse: purseOf(local, given["max-price"]),
    allowed: given.pay,
    log,
  });
  const deps: AgentDeps = {
    client: clientOf(),
    purchase: { clientOf, payer, keyless: keyless ? async () => tokens : null },
    owner,
    relayer: given.relay ? wallet(accounts.relayer.privateKey) : null,
    ...trustedGuard(given.guard, local),
    log,
  };

  const trade = await prepareTrade(deps, wish);
  if (given.save !== undefined) await save(given.save, { ...trade, jobToken: undefined });
  const { confirmed, transactionHash } = await executeTrade(deps, trade);
  if (confirmed === null) return;
  for (const line of published(local, confirmed.evidenceHash, transactionHash)) log(line);
}

/** Known without asking the service. */
const tokensOf = ({ tokens }: LocalFile): Tradable[] =>
  Object.entries(tokens).flatMap(([symbol, { assetKey, kind, decimals }]) =>
    kind === "payment" ? [] : [{ assetKey, symbol, kind, decimals }],
  );

const wishOf = (given: ReturnType<typeof options>, side: Wish["side"]): Wish => ({
  ...{ side, symbol: given.symbol, policyId: given.policy, maxSlippageBps: Number(given.slippage) },
  amount: given.amount ?? (side === "buy" ? "250" : "1"),
  clientRequestId: `agent:${randomUUID()}`,
});

const published = ({ baseUrl, rpcUrl }: LocalFile, evidenceHash: string, transactionHash: string) => [
  `10. public     once its block is final: ${baseUrl}/evidence/${evidenceHash}`,
  `              to look at, judged in your browser: ${baseUrl}/reports/${evidenceHash}`,
  `              npm run assay -- verify --tx ${transactionHash} --rpc ${rpcUrl} --service ${baseUrl}`,
];

async function save(path: string, content: unknown): Promise<void> {
  await writeFile(path, `${JSON.stringify(content, null, 2)}\n`, { mode: 0o600 });
}

/** The guard that the user named, else the one that the local world was deployed with. Never one of the service's answers. */
function trustedGuard(text: string | undefined, local: LocalFile): { chainId: number; guard: string } {
  if (text === undefined) return { chainId: local.chainId, guard: local.guard };
  const { chainId, address } = guardOf(text);
  return { chainId, guard: address };
}

/** The local dollar, up to so many of it. */
function purseOf({ chainId, tokens }: LocalFile, maxPrice: string): Purse {
  if (!/^[0-9]{1,9}(\.[0-9]{1,6})?$/.test(maxPrice))
    throw new UsageError("--max-price must be a number of dollars such as 0.10.");
  const symbol = "USDL";
  const { address: asset, decimals } = tokens[symbol]!;
  const limit = BigInt(rawAmount(maxPrice, decimals));
  return { network: `eip155:${chainId}`, asset, symbol, decimals, maxPrice: limit };
}

function exitCodeOf(error: unknown): number {
  if (error instanceof UsageError) return 2;
  if (error instanceof Denied) return 3;
  return error instanceof Unpaid || error instanceof PaymentRequired ? 4 : 1;
}

// A closed output must not end a trade that is under way.
process.stdout.on("error", () => {});
main().then(
  // The provider's timers would keep the process alive.
  () => process.exit(0),
  (error: unknown) => {
    const known = error instanceof Error;
    console.error(known ? error.message : error);
    if (exitCodeOf(error) === 2) console.error(`\n${HELP}`);
    if (error instanceof Mistrust) console.error("Nothing more was signed or sent.");
    if (error instanceof ServiceError && error.status === 403)
      console.error("The key in local.json is not this service's; start it again.");
    if (error instanceof ServiceError && error.code === "unreachable")
      console.error("Is `npm start` running?");
    process.exit(exitCodeOf(error));
  },
);
