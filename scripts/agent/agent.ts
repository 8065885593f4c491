/** `assay agent`: a trade of the local world from intent to confirmation, by the client's `trade`. */
import { resolve } from "node:path";
import { rawUnits } from "../../attestor/values/wholeUnits.ts";
import { mandateContracts } from "../../chain/mandateContracts.ts";
import { type AskedTrade, createClient, type TradeCall, type Traded, walletAt } from "../../client/client.ts";
import { localAccounts } from "../../devnet/accounts.ts";
import { type LocalFile, readLocalFile } from "../../devnet/localFile.ts";
import { command, flag, type GivenBy, text, withDefault } from "../command.ts";
import type { World } from "../console.ts";
import { EXIT, Unusable, UsageError } from "../errors.ts";
import { writeJson } from "../files.ts";
import { address, guardName, oneOf, wholeNumber } from "../typed.ts";
import { failureOf, sendFrom, signerOfGuard, type Token, tellerOf } from "./steps.ts";

/** The account that trades within a mandate; the owner is another one. */
const AGENT = 9;
/** Without an amount: dollars when buying, stock tokens when selling. */
const AMOUNTS = { buy: "250", sell: "1" };
/** A payment takes a block, and somebody else's may be on its way. */
const PATIENCE = { retries: 6, patienceMs: 60_000 };

const OWNER_ONLY = 0o600;

const OPTIONS = {
  side: withDefault(text("SIDE", "buy or sell", oneOf(["buy", "sell"])), "buy"),
  symbol: withDefault(text("SYMBOL", "the stock token"), "AAPLx"),
  amount: text("NUMBER", "whole input tokens: dollars when buying, stock tokens when selling (250, or 1)"),
  policy: withDefault(text("ID", "STRICT_LIVE, EXTENDED_HOURS or LAST_CLOSE"), "STRICT_LIVE"),
  slippage: withDefault(text("BPS", "at most this many basis points", wholeNumber(0, 99_999)), 50),
  relay: flag("sign the trade and let another account send it"),
  mandate: text(
    "SAFE",
    "trade by account 9 within the mandate that this Safe granted it (assay mandate create)",
    address,
  ),
  pay: flag("buy the report where it costs something (x402)"),
  maxPrice: withDefault(text("NUMBER", "whole dollars that it may cost at most"), "0.10"),
  keyless: flag("go without the API key: one-shot verification, then the job's own token"),
  guard: text("CHAIN:ADDRESS", "the guard that the agent trusts (the one of DATA_DIR/local.json)", guardName),
  account: withDefault(text("NUMBER", "development account 1 to 9 that trades", wholeNumber(1, 9)), 1),
  save: text("FILE", "save the trade, for assay verify FILE"),
};

type AgentGiven = GivenBy<typeof OPTIONS>;

export const agent = command({
  summary: "Have a trade verified by a running service (npm start) and execute it through the guard",
  options: OPTIONS,
  notes: [
    "The wallet is the local world's; the service never sees a key. Where the service sells its reports",
    "(npm start -- --paid), --pay buys one with dollars of the same wallet.",
    "Settings: DATA_DIR (./data), where npm start writes local.json.",
  ],
  run: async (given, world) => {
    assertTogether(given);
    const dataDir = resolve(world.env.DATA_DIR ?? "./data");
    const local = await readLocalFile(dataDir);
    if (local === null) throw new Unusable(`There is no local.json in ${dataDir}. Is npm start running?`);
    try {
      const traded = await trade(given, local, world);
      if (given.save !== undefined) await writeJson(given.save, traded, OWNER_ONLY);
      for (const line of publicLines(local, traded)) world.out(line);
      return EXIT.ok;
    } catch (error) {
      const failure = failureOf(error, local.tokens);
      if (failure === null) throw error;
      world.err(failure.line);
      return failure.exit;
    }
  },
});

/** @throws UsageError for options that do not go together */
function assertTogether({ mandate, relay, pay, keyless, account }: AgentGiven): void {
  if (mandate !== undefined && (relay || pay || keyless))
    throw new UsageError("--mandate goes with neither --relay nor --pay nor --keyless.");
  if (mandate !== undefined && account === AGENT)
    throw new UsageError(`--mandate: account ${AGENT} is the agent.`);
}

async function trade(given: AgentGiven, local: LocalFile, world: World): Promise<Traded> {
  const { users, relayer } = localAccounts();
  const wallet = walletAt(local.rpcUrl);
  const guard = given.guard ?? { chainId: local.chainId, address: local.guard };
  const signer = await signerOfGuard(wallet, guard.address);
  const client = createClient({
    baseUrl: local.baseUrl,
    ...(given.keyless ? {} : { apiKey: local.apiKey }),
    ...PATIENCE,
  });
  const { side, symbol, policy: policyId, slippage: maxSlippageBps, amount = AMOUNTS[side] } = given;
  const { input, output } = pairOf(local, given);
  const amountInRaw = rawFrom(amount, input.decimals);
  const what = side === "buy" ? `buy ${symbol} with ${amount} ${input.symbol}` : `sell ${amount} ${symbol}`;
  world.out(`intent     ${what}, ${policyId}, slippage at most ${maxSlippageBps} bps`);
  const owner = given.mandate ?? users[given.account - 1]!.address;
  const asked: AskedTrade = {
    ownerAddress: owner,
    recipientAddress: owner,
    inputAssetKey: input.assetKey,
    outputAssetKey: output.assetKey,
    amountInRaw,
    policyId,
    maxSlippageBps,
  };
  const options = { wallet, guard, signer, on: tellerOf(world, input, output) };
  const { module } = mandateContracts(guard.address);
  const agentAddress = users[AGENT - 1]!.address;
  if (given.mandate !== undefined) {
    const send = (call: TradeCall) => sendFrom(wallet, agentAddress, call);
    return await client.trade(asked, { ...options, mandate: { module: module.address, send } });
  }
  const relay = given.relay ? (call: TradeCall) => sendFrom(wallet, relayer.address, call) : undefined;
  const pay = given.pay ? purseOf(local, given.maxPrice) : undefined;
  return await client.trade(asked, { ...options, relay, pay });
}

/** The settlement token and the stock, in the order of the trade. @throws Unusable */
function pairOf({ tokens }: LocalFile, { side, symbol }: AgentGiven): { input: Token; output: Token } {
  const all: Token[] = Object.entries(tokens).map(([name, token]) => ({ ...token, symbol: name }));
  const stock = all.find((token) => token.kind === "stock" && token.symbol === symbol);
  const dollar = all.find(({ kind }) => kind === "settlement");
  if (stock === undefined || dollar === undefined) {
    const known = all.filter(({ kind }) => kind === "stock").map((token) => token.symbol);
    throw new Unusable(`The service does not know ${symbol}; it knows ${known.join(", ")}.`);
  }
  return side === "buy" ? { input: dollar, output: stock } : { input: stock, output: dollar };
}

/** @throws UsageError for what is no amount */
function rawFrom(whole: string, decimals: number): string {
  const raw = rawUnits(whole, decimals);
  if (raw === null) throw new UsageError(`"${whole}" is not an amount with up to ${decimals} decimals.`);
  return raw;
}

/** The local dollar, up to so many of it. @throws UsageError */
function purseOf({ chainId, tokens }: LocalFile, maxPrice: string) {
  const { address, decimals } = tokens.USDL!;
  return { network: `eip155:${chainId}`, asset: address, maxAmount: rawFrom(maxPrice, decimals) };
}

function publicLines({ baseUrl, rpcUrl }: LocalFile, { report, transactionHash }: Traded): string[] {
  const hash = report.evidenceHash;
  return [
    `public     once its block is final: ${baseUrl}/evidence/${hash}`,
    `           to look at, judged in your browser: ${baseUrl}/reports/${hash}`,
    `           npm run assay -- verify --tx ${transactionHash} --rpc ${rpcUrl} --service ${baseUrl}`,
  ];
}
