/** `assay payments refund`: pays a settled payment back, all of it, once. A Safe or another wallet sends it, never this command. */
import { Interface } from "ethers";
import { chainIdOf } from "../../api/settings/paymentOptions.ts";
import { safeTransaction } from "../../attestor/evm/safeFile.ts";
import { assertChain, upstream } from "../../chain/rpc.ts";
import { actorHere } from "../admin/world.ts";
import { command, flag, type GivenBy, optionalArgument, text } from "../command.ts";
import type { World } from "../console.ts";
import { EXIT, Refused, UsageError } from "../errors.ts";
import { show } from "../json.ts";
import { writeSafeFile } from "../plan/safeFile.ts";
import { address, hash } from "../typed.ts";
import { allPayments } from "./ledger.ts";
import { noNode, PAYMENT_NOTES, type PaymentsDeps, withPayments, withTokens } from "./open.ts";
import {
  confirm,
  findRefund,
  listRefunds,
  lookAtRefund,
  propose,
  type RefundRow,
  type Seen,
  transfersIn,
  withdraw,
} from "./refunds.ts";
import { amountText, refundJson, refundLine } from "./view.ts";

const LONGEST_REASON = 200;

function reasonTyped(typed: string): string {
  if (typed.length > LONGEST_REASON) throw new UsageError(`must have ${LONGEST_REASON} characters at most`);
  return typed;
}

const OPTIONS = {
  from: text("ADDRESS", "who sends it; the payee by default", address),
  reason: text("TEXT", "goes into the ledger", reasonTyped),
  safe: text("FILE", "write it for the Safe Transaction Builder; --from is the Safe"),
  confirm: text("HASH", "this transaction made it, whoever sent it", hash),
  withdraw: flag("nobody will send what was proposed"),
};
type Given = GivenBy<typeof OPTIONS>;

export const refundCommand = command({
  summary: "Propose the refund of a job's payment, and find it on the chain; without a job: list all refunds",
  positionals: { job: optionalArgument("the job whose payment is refunded") },
  options: { ...OPTIONS, json: flag("of the list: print JSON") },
  notes: [
    "It records the refund and prints the transfer for its sender. Run it again when that was sent: the chain shows it.",
    "Exit code 1 where it is not on the chain, or not deep enough yet, and was said to be.",
    ...PAYMENT_NOTES,
  ],
  run: ({ job, json, ...given }, world) => {
    const ways = (["safe", "confirm", "withdraw"] as const).filter((way) => given[way]);
    if (ways.length > 1) throw new UsageError(`--${ways.join(" and --")} do not go together.`);
    if (job === undefined && (ways.length > 0 || given.from !== undefined || given.reason !== undefined))
      throw new UsageError("refund needs the job for these options.");
    return withPayments(world, (deps) =>
      job === undefined ? showRefunds(deps, json, world) : refund(deps, world, job, given),
    );
  },
});

/** Every refund, those that are open after a look at the chain. */
async function showRefunds(deps: PaymentsDeps, isJson: boolean, world: World): Promise<number> {
  const rows: RefundRow[] = [];
  const unseen = new Set<string>();
  for (const row of await listRefunds(deps.db)) {
    const node = deps.nodes.of(row.network);
    if (row.state === "confirmed" || node === null) {
      rows.push(row);
      if (row.state !== "confirmed") unseen.add(row.network);
      continue;
    }
    await assertChain(node, chainIdOf(row.network));
    rows.push((await lookAtRefund(deps, node, world.now, row)).row);
  }
  const named = await withTokens(deps, rows);
  const lines = rows.length === 0 ? ["No refunds."] : named.map(([row, token]) => refundLine(row, token));
  show(
    world,
    isJson,
    named.map(([row, token]) => refundJson(row, token)),
    lines,
  );
  for (const network of unseen) world.err(noNode(network));
  return unseen.size > 0 ? EXIT.failed : EXIT.ok;
}

const SHALLOW = "Its transfer is on the chain and not deep enough yet: run this again.";

/**
 * One refund: found on the chain, withdrawn, confirmed by its hash, or proposed.
 * @returns the exit code
 * @throws Refused, UpstreamUnavailable, DatabaseUnavailable
 */
async function refund(deps: PaymentsDeps, world: World, jobId: string, given: Given): Promise<number> {
  const sold = await saleOf(deps, jobId);
  const row = await findRefund(deps.db, sold.payment);
  const seen = row === null ? null : await lookAtRefund(deps, sold.node, world.now, row);
  if (given.withdraw) return await takeBack(deps, world, seen);
  if (seen?.is === "confirmed") return done(world, seen.row);
  if (given.confirm !== undefined) return await confirmBy(deps, world, sold, seen, given.confirm, given);
  const sender = given.from ?? seen?.row.sender ?? sold.payment.payTo;
  const proposed = await writtenDown(deps, world, sold, seen, sender, given.reason);
  for (const line of await proposalLines(deps, sold, proposed)) world.out(line);
  if (seen?.is === "shallow") {
    world.out(SHALLOW);
    return EXIT.failed;
  }
  if (given.safe !== undefined) {
    await writeSafeFile(given.safe, await safeContent(deps, sold, proposed), sold.node, world);
    world.out("Have it signed once.");
  }
  world.out("When it is sent, the same command finds it on the chain; --withdraw where nobody will send it.");
  return EXIT.ok;
}

/** A job's settled payment, and the node of its chain. */
type Sale = Awaited<ReturnType<typeof saleOf>>;

async function saleOf({ db, nodes }: PaymentsDeps, jobId: string) {
  const payments = await allPayments(db, { jobId });
  const payment = payments.find(({ state }) => state === "settled");
  if (payment === undefined) {
    if (payments.some(({ state }) => state === "settling"))
      throw new Refused(
        "Its payment is not settled yet: whether there is anything to refund, the chain will say.",
      );
    throw new Refused(`No settled payment is for ${JSON.stringify(jobId.slice(0, 64))}.`);
  }
  const node = nodes.of(payment.network);
  if (node === null) throw new Refused(noNode(payment.network));
  const chainId = chainIdOf(payment.network);
  await assertChain(node, chainId);
  return { payment, node, chainId };
}

/** The row, written now or before. @throws Refused where another account may be sending it */
async function writtenDown(
  deps: PaymentsDeps,
  world: World,
  { payment, node }: Sale,
  seen: Seen | null,
  sender: string,
  reason: string | undefined,
): Promise<RefundRow> {
  if (sender === payment.payer) throw new Refused("The payer cannot refund itself.");
  const row =
    seen?.row ??
    (await propose(deps.db, payment, {
      sender,
      fromBlock: (await upstream("block", () => node.getBlockNumber())) + 1,
      actor: actorHere(),
      reason: reason ?? null,
      now: Math.floor(world.now() / 1_000),
    }));
  if (row.sender === sender) return row;
  throw new Refused(
    `It was proposed to ${row.sender}, who may be sending it. Where that will not happen: --withdraw, then again.`,
  );
}

async function confirmBy(
  deps: PaymentsDeps,
  world: World,
  sold: Sale,
  seen: Seen | null,
  hash: string,
  { reason }: Given,
): Promise<number> {
  const { node, payment } = sold;
  const head = await upstream("block", () => node.getBlockNumber());
  const transfers = await transfersIn(node, payment, hash);
  const after = transfers.filter(({ blockNumber }) => blockNumber >= (payment.blockNumber ?? 0));
  const [first] = after;
  if (first === undefined)
    throw new Refused(
      `${hash} holds no transfer of exactly this amount to the payer, made after the payment.`,
    );
  if (head - first.blockNumber + 1 < deps.confirmationsOf(payment.network)) {
    world.out(SHALLOW);
    return EXIT.failed;
  }
  const row = await writtenDown(deps, world, sold, seen, seen?.row.sender ?? first.from, reason);
  for (const transfer of after)
    if (await confirm(deps.db, row, transfer, Math.floor(world.now() / 1_000))) break;
  // By this command, or by another one meanwhile.
  const stored = await findRefund(deps.db, row);
  if (stored?.state === "confirmed") return done(world, stored);
  throw new Refused(`The transfer in ${hash} is another payment's refund.`);
}

async function takeBack({ db }: PaymentsDeps, world: World, seen: Seen | null): Promise<number> {
  if (seen === null) throw new Refused("No refund of it is proposed.");
  if (seen.is !== "proposed" || !(await withdraw(db, seen.row)))
    throw new Refused("It is on the chain: there is nothing to take back.");
  world.out(`withdrawn   ${seen.row.job_id}: nothing is refunded. The Safe file must not be used.`);
  return EXIT.ok;
}

const TOKEN = new Interface(["function transfer(address to, uint256 amount) returns (bool)"]);
const TRANSFER_METHOD = TOKEN.getFunction("transfer")!;

async function proposalLines(
  { tokens }: PaymentsDeps,
  { payment, chainId }: Sale,
  row: RefundRow,
): Promise<string[]> {
  const token = await tokens.find(row.network, row.asset);
  const lines = [
    `refund      ${amountText(row.amount, row.asset, token)} for ${row.job_id}, paid in ${payment.transaction}`,
    `chain       ${chainId}`,
    `token       ${row.asset}`,
    `from        ${row.sender}`,
    `to          ${row.payer}`,
    `amount      ${row.amount} raw units`,
    `call data   ${TOKEN.encodeFunctionData(TRANSFER_METHOD, [row.payer, row.amount])}`,
  ];
  return row.reason === null ? lines : [...lines, `reason      ${row.reason}`];
}

/** In the words of the file, for those who sign it. */
async function safeContent({ tokens }: PaymentsDeps, { chainId }: Sale, row: RefundRow) {
  const token = await tokens.find(row.network, row.asset);
  return {
    chainId,
    safe: row.sender,
    transactions: [safeTransaction(row.asset, TRANSFER_METHOD, [row.payer, row.amount])],
    name: `refund ${row.job_id}`,
    description: `Refund ${amountText(row.amount, row.asset, token)} to ${row.payer} for ${row.job_id}`,
  };
}

function done({ out }: World, { job_id, transaction_hash, block_number }: RefundRow): number {
  out(`refunded    ${job_id} in ${transaction_hash}, block ${block_number}`);
  return EXIT.ok;
}
