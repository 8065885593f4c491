/**
 * `npm run agent -- --mandate`: trades for a Safe, by a key that is not the owner's and can do nothing else. Where no Safe is
 * named, the local owner makes one with a mandate first.
 */
import { randomInt } from "node:crypto";
import { Contract, type TransactionResponse, type Wallet, ZeroAddress } from "ethers";
import type { Confirmed } from "../../api/jobs/schemas.ts";
import { policyById } from "../../attestor/policies/policy.ts";
import { addressOf } from "../../attestor/values/primitives.ts";
import { wholeUnits } from "../../attestor/values/wholeUnits.ts";
import { describeRevert, revertDataOf } from "../../chain/guard/events.ts";
import { leftOf, readMandate } from "../../chain/guard/mandates.ts";
import { mandateContracts } from "../../chain/mandateContracts.ts";
import { newSafeOf } from "../../chain/mandates/calls.ts";
import type { Mandate } from "../../chain/mandates/mandate.ts";
import { type Client, mandateCall, type ReportDocument, type TradeCall } from "../../client/client.ts";
import { checkPrepared, Mistrust } from "./checks.ts";
import type { Tradable } from "./first.ts";
import {
  Denied,
  expectation,
  failedChecks,
  pairOf,
  rawAmount,
  tellFinding,
  type Wish,
  waitForConfirmation,
} from "./run.ts";
import { eventEvidenceHash } from "./wallet.ts";

export interface MandateDeps {
  readonly client: Pick<Client, "createJob" | "prepare" | "submit" | "job">;
  /** Of the Safe. */
  readonly owner: Wallet;
  /** Sends the trades. */
  readonly agent: Wallet;
  readonly tokens: readonly Tradable[];
  readonly chainId: number;
  /** The guard that the agent trusts. */
  readonly guard: string;
  readonly log: (line: string) => void;
}

/** A trade as it is saved: it verifies. */
interface MandateTrade extends ReportDocument {
  readonly transactionHash: string;
  readonly confirmed: Confirmed | null;
}

/** What the owner grants and pays in, whole dollars. */
const GRANTED = { perDay: "500", budget: "5000", funds: "1000" };
/** Of each stock, whole tokens. */
const SELLABLE = "10";
const DAYS = 30;

/**
 * @param safe null: the owner makes one
 * @throws Denied, also where the module refuses the trade; Mistrust, ServiceError, Error when it is not confirmed in time
 */
export async function tradeWithinMandate(
  deps: MandateDeps,
  wish: Wish,
  safe: string | null,
): Promise<MandateTrade> {
  const { client, agent, log, guard, chainId, tokens } = deps;
  const module = mandateContracts(guard).module.address;
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
  const intent = {
    ownerAddress: at,
    recipientAddress: at,
    inputAssetKey: input.assetKey,
    outputAssetKey: output.assetKey,
    amountInRaw: rawAmount(wish.amount, input.decimals),
    policyId: wish.policyId,
    maxSlippageBps: wish.maxSlippageBps,
  };
  const { jobId } = await client.createJob({ clientRequestId: wish.clientRequestId, ...intent });
  log(`2. job        ${jobId}`);
  const { hints, ...prepared } = await client.prepare(jobId);
  const { report, execution } = prepared;
  log(`3. prepared   ${report.decision}`);
  if (execution === null) {
    for (const finding of report.findings) if (finding.outcome !== "pass") tellFinding(finding, hints, log);
    throw new Denied(`The trade was denied: ${failedChecks(report).join(", ")}.`);
  }
  const evidenceHash = checkPrepared(prepared, await expectation({ owner: agent, chainId, guard }, intent));
  log(`4. checked    evidence ${evidenceHash}, certificate of ${execution.certificate.signer}`);

  const sent = await send(agent, mandateCall(execution, module));
  log(`5. sent       ${sent.hash} by the agent, to the module`);
  await client.submit(jobId, sent.hash);
  const receipt = await sent.wait();
  const seen = receipt === null ? null : eventEvidenceHash(receipt, guard);
  if (seen !== evidenceHash)
    throw new Mistrust(`The guard's event names evidence ${seen}, not ${evidenceHash}.`);
  const { confirmed } = await waitForConfirmation(client, jobId, sent.hash);
  log(`6. confirmed  block ${confirmed?.blockNumber}`);
  log(
    `              the Safe got ${wholeUnits(confirmed?.amountOutRaw ?? "0", output.decimals)} ${output.symbol}`,
  );
  log(`              left: ${await left()}`);
  return { ...prepared, transactionHash: sent.hash, confirmed };
}

/** Tried on the node first, so that a refusal costs nothing and has a name. */
async function send(agent: Wallet, call: TradeCall): Promise<TransactionResponse> {
  try {
    await agent.call(call);
  } catch (error) {
    const data = revertDataOf(error);
    if (data === undefined) throw error;
    throw new Denied(`The module refuses the trade: ${describeRevert(data)}.`);
  }
  return await agent.sendTransaction(call);
}

/** Made, granted and paid in by the owner, in two transactions. */
async function makeSafe(deps: MandateDeps, policyId: string): Promise<string> {
  const { owner, agent, tokens, guard, log } = deps;
  const { module, setup } = mandateContracts(guard);
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
    contracts: { module: module.address, setup: setup.address },
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
