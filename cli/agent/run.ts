/** The whole way of an agent, step by step: job, report, prepare, check, approve, send, submit, confirmed. */
import type { Wallet } from "ethers";
import type { Execution, Hint } from "../../api/jobs/schemas.ts";
import type { Unit } from "../../attestor/checks/measure.ts";
import { countsText } from "../../attestor/factKinds.ts";
import type { Intent } from "../../attestor/intent.ts";
import type { Report } from "../../attestor/report.ts";
import { rawUnits } from "../../attestor/values/wholeUnits.ts";
import { valueText } from "../../attestor/view/findingWords.ts";
import { type TokenUnit, tokensOf } from "../../attestor/view/reportView.ts";
import type { Client, PreparedExecution, ReportDocument } from "../../client/client.ts";
import { TradeGuard__factory } from "../../types/contracts/factories/contracts/TradeGuard__factory.ts";
import { checkPrepared, checkReport, type Expectation, Mistrust } from "./checks.ts";
import { firstReport, type Purchase, type Tradable } from "./first.ts";
import { approve, balanceOf, eventEvidenceHash, ownCall, relayedCall, send } from "./wallet.ts";

export interface AgentDeps {
  readonly client: Pick<Client, "assets" | "createJob" | "job" | "report" | "prepare" | "submit">;
  /** For services that sell their reports, and for agents without a key. */
  readonly purchase?: Purchase;
  readonly owner: Wallet;
  /** Sends the owner's signed trade; null: the owner sends it. */
  readonly relayer: Wallet | null;
  readonly chainId: number;
  /** The guard that the agent trusts, known from elsewhere than the service's answers. */
  readonly guard: string;
  readonly log: (line: string) => void;
}

export interface Wish {
  readonly side: "buy" | "sell";
  readonly symbol: string;
  /** In whole input tokens: dollars when buying, stock tokens when selling. */
  readonly amount: string;
  readonly policyId: string;
  readonly maxSlippageBps: number;
  readonly clientRequestId: string;
}

/** As it is saved, it verifies. */
export interface PreparedTrade extends ReportDocument {
  readonly intent: Intent;
  readonly execution: PreparedExecution;
  /** Opens the job to an agent without a key; null: the key does. */
  readonly jobToken: string | null;
}

export class Denied extends Error {
  override name = "Denied";
}

const CONFIRM_SECONDS = 120;
const WAIT_SECONDS = 30;

/** @throws Denied, Mistrust, ServiceError, Unpaid */
export async function prepareTrade(deps: AgentDeps, wish: Wish): Promise<PreparedTrade> {
  const { client, purchase, log, owner } = deps;
  const assets = purchase?.keyless ? await purchase.keyless() : (await client.assets()).assets;
  const { input, output } = pairOf(assets, wish);
  const intent: Intent = {
    ownerAddress: owner.address,
    recipientAddress: owner.address,
    inputAssetKey: input.assetKey,
    outputAssetKey: output.assetKey,
    amountInRaw: rawAmount(wish.amount, input.decimals),
    policyId: wish.policyId,
    maxSlippageBps: wish.maxSlippageBps,
  };
  const trade =
    wish.side === "buy"
      ? `buy ${output.symbol} with ${wish.amount} ${input.symbol}`
      : `sell ${wish.amount} ${input.symbol} for ${output.symbol}`;
  log(`1. intent     ${trade}, ${wish.policyId}, slippage at most ${wish.maxSlippageBps} bps`);

  const { jobId, report, hints, jobToken } = await firstReport(deps, intent, wish.clientRequestId);
  const hash = checkReport(report);
  log(`3. report     version 1: ${report.decision}, evidence ${hash} (recomputed, same)`);
  restsOn(report, log);
  explain(report, hints, log);

  const { hints: anew, ...prepared } = await clientFor(deps, jobToken).prepare(jobId);
  const { execution } = prepared;
  log(`4. prepared   version ${prepared.reportVersion}: ${prepared.report.decision}`);
  if (execution === null) {
    explain(prepared.report, anew, log);
    throw new Denied(`The trade was denied: ${failedChecks(prepared.report).join(", ")}.`);
  }
  checkPrepared(prepared, await expectation(deps, intent));
  log(
    `5. checked    evidence hash, judgement, certificate of ${execution.certificate.signer}, trade intent, guard call`,
  );
  restsOn(prepared.report, log);
  return { intent, ...prepared, execution, jobToken };
}

function clientFor({ client, purchase }: AgentDeps, jobToken: string | null): AgentDeps["client"] {
  return jobToken === null || purchase === undefined ? client : purchase.clientOf({ jobToken });
}

/**
 * @returns the confirmed execution
 * @throws Mistrust, ServiceError, Error when the transaction fails or is not confirmed in time
 */
export async function executeTrade(deps: AgentDeps, trade: PreparedTrade): Promise<Execution> {
  const { owner, log } = deps;
  const { execution, jobId, jobToken } = trade;
  const { evidenceHash } = trade.report;
  const client = clientFor(deps, jobToken);
  const before = await balanceOf(owner, execution.tradeIntent.message.outputToken);
  const { input, output } = tokensOf(trade.report.evidence.trade);
  const sent = await sendAfterApproval(deps, execution, input);

  const { executionId } = await client.submit(jobId, sent.hash);
  log(`8. submitted  ${executionId}`);

  const receipt = await sent.wait();
  const seen = receipt === null ? null : eventEvidenceHash(receipt, deps.guard);
  if (seen !== evidenceHash)
    throw new Mistrust(`The guard's event names evidence ${seen}, not ${evidenceHash}.`);

  const confirmed = await waitForConfirmation(client, jobId, sent.hash);
  const after = await balanceOf(owner, execution.tradeIntent.message.outputToken);
  log(
    `9. confirmed  block ${confirmed.confirmed?.blockNumber}, received ${amount(after - before, output)}, at least ${amount(execution.tradeIntent.message.minAmountOut, output)} was due`,
  );
  log(`              the event's evidence hash equals the recomputed one: ${seen}`);
  return confirmed;
}

async function sendAfterApproval(
  { owner, relayer, log }: AgentDeps,
  execution: PreparedExecution,
  input: TokenUnit,
) {
  const approval = await approve(owner, execution.approval.calls);
  const exactly = `exactly ${amount(execution.approval.amount, input)}`;
  log(
    `6. approved   ${approval === null ? "the guard may already take the amount" : `${exactly}, in ${approval.hash}`}`,
  );
  const sent =
    relayer === null
      ? await send(owner, ownCall(execution))
      : await send(relayer, await relayedCall(owner, execution));
  log(`7. sent       ${sent.hash} by ${relayer === null ? "the owner" : `the relayer ${relayer.address}`}`);
  return sent;
}

export async function waitForConfirmation(
  client: Pick<AgentDeps["client"], "job">,
  jobId: string,
  hash: string,
): Promise<Execution> {
  for (let waited = 0; waited < CONFIRM_SECONDS; waited += WAIT_SECONDS) {
    const { executions } = await client.job(jobId, { wait: WAIT_SECONDS });
    const execution = executions.find(({ transactionHash }) => transactionHash === hash);
    if (execution?.state === "confirmed") return execution;
    if (execution !== undefined && execution.state !== "submitted")
      throw new Error(`The execution is ${execution.state}: ${execution.reason ?? "no reason given"}`);
  }
  throw new Error(
    `The service did not confirm ${hash} within ${CONFIRM_SECONDS} s; check again with GET /v1/jobs/${jobId}.`,
  );
}

export async function expectation(
  { owner, chainId, guard }: Pick<AgentDeps, "owner" | "chainId" | "guard">,
  intent: Intent,
): Promise<Expectation> {
  if ((await owner.provider!.getCode(guard)) === "0x")
    throw new Mistrust(`There is no guard at ${guard}, which you named, on the chain of your node.`);
  const contract = TradeGuard__factory.connect(guard, owner);
  const [signer, block] = await Promise.all([
    contract.getFunction("signer")(),
    owner.provider!.getBlock("latest"),
  ]);
  return { intent, chainId, guard, signer, now: block?.timestamp ?? 0 };
}

export function pairOf(
  assets: readonly Tradable[],
  { side, symbol }: Wish,
): { input: Tradable; output: Tradable } {
  const stock = assets.find((asset) => asset.kind === "stock" && asset.symbol === symbol);
  const settlement = assets.find((asset) => asset.kind === "settlement");
  if (!stock || !settlement) {
    const symbols = assets.filter((asset) => asset.kind === "stock").map((asset) => asset.symbol);
    throw new Error(`The service does not know ${symbol}; it knows ${symbols.join(", ")}.`);
  }
  return side === "buy" ? { input: settlement, output: stock } : { input: stock, output: settlement };
}

/** @throws Error for what is no amount. */
export function rawAmount(whole: string, decimals: number): string {
  const raw = rawUnits(whole, decimals);
  if (raw === null) throw new Error(`"${whole}" is not an amount with up to ${decimals} decimals.`);
  return raw;
}

export const failedChecks = (report: Report): string[] =>
  report.findings.filter(({ outcome }) => outcome !== "pass").map(({ check }) => check);

/** `0.9254 AAPLx`. */
const amount = (raw: bigint | string, token: TokenUnit): string => valueText(String(raw), "raw", token);

function restsOn({ facts, evidence, proofs }: Report, log: (line: string) => void): void {
  if (facts === undefined) return;
  const condition =
    proofs === undefined ? "" : ` (proved, if block ${evidence.chain.blockHash} is the chain's)`;
  log(`              ${countsText(facts)}${condition}`);
}

function explain(report: Report, hints: readonly Hint[], log: (line: string) => void): void {
  const { figures, chain } = report.evidence;
  const told = (value: string | null, unit: Unit) => (value === null ? "not known" : valueText(value, unit));
  log(
    `              block ${chain.blockNumber}, premium ${told(figures.premiumBps, "bps")}, impact ${told(figures.impactBps, "bps")}, worth ${told(figures.notionalUsd, "USD")}`,
  );
  for (const finding of report.findings) if (finding.outcome !== "pass") tellFinding(finding, hints, log);
}

/** A finding, and what the service says would let it pass. */
export function tellFinding(
  { check, outcome, message }: Report["findings"][number],
  hints: readonly Hint[],
  log: (line: string) => void,
): void {
  log(`              ${outcome.toUpperCase()} ${check}: ${message}`);
  const hint = hints.find((one) => one.check === check);
  if (hint !== undefined) log(`                ${hint.text}`);
}
