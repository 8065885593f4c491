/**
 * `npm run agent -- --mandate`: trades for a Safe, by a key that is not the owner's and can do nothing else. Where no Safe is
 * named, the local owner makes one with a mandate first.
 */
import { randomInt } from "node:crypto";
import { Contract, type JsonRpcProvider, type Wallet, ZeroAddress } from "ethers";
import { type MandateContracts, newSafeOf } from "../../attestor/mandates/calls.ts";
import type { Mandate } from "../../attestor/mandates/mandate.ts";
import { policyById } from "../../attestor/policies/policy.ts";
import { addressOf } from "../../attestor/values/primitives.ts";
import { wholeUnits } from "../../attestor/values/wholeUnits.ts";
import { leftOf, readMandate } from "../../chain/guard/mandates.ts";
import { mandateContracts } from "../../chain/mandateContracts.ts";
import {
  type Client,
  type Traded,
  type TradeEvent,
  TradeRefused,
  type WalletProvider,
} from "../../client/client.ts";
import { TradeGuard__factory } from "../../types/contracts/factories/contracts/TradeGuard__factory.ts";
import { Mistrust } from "./checks.ts";
import type { Tradable } from "./first.ts";
import { Denied, pairOf, rawAmount, tellFinding, type Wish } from "./run.ts";

export interface MandateDeps {
  readonly client: Pick<Client, "trade">;
  /** Of the Safe. */
  readonly owner: Wallet;
  /** Sends the trades. */
  readonly agent: Wallet;
  readonly tokens: readonly Tradable[];
  readonly chainId: number;
  /** The guard that the agent trusts. */
  readonly guard: string;
  /** Its module and setup; by default where today's code stands. */
  readonly mandates?: MandateContracts | undefined;
  readonly log: (line: string) => void;
}

/** What the owner grants and pays in, whole dollars. */
const GRANTED = { perDay: "500", budget: "5000", funds: "1000" };
/** Of each stock, whole tokens. */
const SELLABLE = "10";
const DAYS = 30;

/**
 * @param safe null: the owner makes one
 * @returns the trade, to be saved
 * @throws Denied, Mistrust, TradeFailed, ServiceError
 */
export async function tradeWithinMandate(
  deps: MandateDeps,
  wish: Wish,
  safe: string | null,
): Promise<Traded> {
  const { client, agent, log, guard: address, chainId, tokens } = deps;
  const { module } = contractsOf(deps);
  const at = safe ?? (await makeSafe(deps, wish.policyId));
  const dollar = tokens.find(({ kind }) => kind === "settlement")!;
  const left = async () => {
    const granted = await readMandate(agent.provider!, { module, safe: at, agent: agent.address });
    const units = (raw: bigint | string) => `${wholeUnits(raw, dollar.decimals)} ${dollar.symbol}`;
    if (granted.mandate === null) return "no mandate: it was revoked, or never granted";
    return `${units(leftOf(granted))} now, ${units(granted.mandate.budget)} in all; ${units(granted.spent)} spent within 24 hours`;
  };
  log(`1. mandate    Safe ${at}, agent ${agent.address}`);
  log(`              left: ${await left()}`);
  const { input, output } = pairOf(tokens, wish);
  const asked = {
    ...{ ownerAddress: at, inputAssetKey: input.assetKey, outputAssetKey: output.assetKey },
    amountInRaw: rawAmount(wish.amount, input.decimals),
    ...{ policyId: wish.policyId, maxSlippageBps: wish.maxSlippageBps },
    mandate: { safe: at, agent: agent.address },
  };
  const signer = await TradeGuard__factory.connect(address, agent).getFunction("signer")();
  const trust = { wallet: providerOf(agent), guard: { chainId, address }, module, signer };
  try {
    const traded = await client.trade(asked, { ...trust, on: (event) => tell(event, log) });
    log(
      `              the Safe got ${wholeUnits(traded.confirmed.amountOutRaw, output.decimals)} ${output.symbol}`,
    );
    log(`              left: ${await left()}`);
    return traded;
  } catch (error) {
    if (!(error instanceof TradeRefused)) throw error;
    throw error.code === "denied" ? new Denied(error.message) : new Mistrust(error.message);
  }
}

function tell(event: TradeEvent, log: (line: string) => void): void {
  if (event.step === "job") log(`2. job        ${event.jobId}`);
  if (event.step === "prepared") {
    const { report, hints } = event.prepared;
    const { decision, findings } = report;
    log(`3. prepared   ${decision}`);
    for (const finding of findings)
      if (finding.check === "mandate" || finding.outcome !== "pass") tellFinding(finding, hints, log);
  }
  if (event.step === "checked")
    log(`4. checked    ${event.verification.verdict}, evidence ${event.verification.evidenceHash}`);
  if (event.step === "sent") log(`5. sent       ${event.transactionHash} by the agent, to the module`);
  if (event.step === "confirmed") log(`6. confirmed  block ${event.execution.confirmed?.blockNumber}`);
}

function contractsOf({ guard, mandates }: MandateDeps): MandateContracts {
  const { module, setup } = mandateContracts(guard);
  return mandates ?? { module: module.address, setup: setup.address };
}

/** Made, granted and paid in by the owner, in two transactions. */
async function makeSafe(deps: MandateDeps, policyId: string): Promise<string> {
  const { owner, agent, tokens, log } = deps;
  const dollar = tokens.find(({ kind }) => kind === "settlement")!;
  const raw = (whole: string) => rawAmount(whole, dollar.decimals);
  const { timestamp } = (await owner.provider!.getBlock("latest"))!;
  const mandate: Mandate = {
    settlementToken: addressOf(dollar.assetKey),
    expiresAt: timestamp + DAYS * 86_400,
    revoker: ZeroAddress,
    ...{ perTrade: raw(GRANTED.perDay), perDay: raw(GRANTED.perDay), budget: raw(GRANTED.budget) },
    stocks: tokens
      .filter(({ kind }) => kind === "stock")
      .map(({ assetKey, decimals }) => ({
        token: addressOf(assetKey),
        sellable: rawAmount(SELLABLE, decimals),
      })),
    policies: [policyById(policyId).definitionHash],
  };
  const { safe, call } = newSafeOf({
    contracts: contractsOf(deps),
    ...{ owners: [owner.address], threshold: 1, agent: agent.address, mandate },
    saltNonce: String(randomInt(2 ** 47)),
  });
  const made = await (await owner.sendTransaction(call)).wait();
  log(
    `0. granted    ${GRANTED.perDay} ${dollar.symbol} a day of ${GRANTED.budget}, by the owner ${owner.address} in ${made?.hash}`,
  );
  const token = new Contract(
    mandate.settlementToken,
    ["function transfer(address,uint256) returns (bool)"],
    owner,
  );
  await (await token.getFunction("transfer").send(safe, raw(GRANTED.funds))).wait();
  log(`              paid in ${GRANTED.funds} ${dollar.symbol}`);
  return safe;
}

function providerOf(wallet: Wallet): WalletProvider {
  const provider = wallet.provider as JsonRpcProvider;
  return {
    async request({ method, params = [] }) {
      if (method !== "eth_sendTransaction") return await provider.send(method, [...params]);
      const { to, data } = params[0] as { to: string; data: string };
      return (await wallet.sendTransaction({ to, data })).hash;
    },
  };
}
