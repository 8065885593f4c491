/** `assay payments check`: the ledger and the chain, which must say the same. */

import { getAddress, type JsonRpcProvider, type Log } from "ethers";
import { AUTHORIZATION_USED, rangesOf, TRANSFER, topicOf } from "../../api/payments/chainEvents.ts";
import { methodOfNonce } from "../../api/payments/payload.ts";
import { transfersByProxy } from "../../api/payments/permit2.ts";
import { upstream } from "../../chain/rpc.ts";
import { command, text } from "../command.ts";
import type { World } from "../console.ts";
import { EXIT } from "../errors.ts";
import { JSON_OPTION, show } from "../json.ts";
import { progressOf } from "../progress.ts";
import { day } from "../typed.ts";
import { allPayments, type PaymentRecord, paidNetworks } from "./ledger.ts";
import { noNode, PAYMENT_NOTES, type PaymentsDeps, withPayments, withTokens } from "./open.ts";
import { isStillThere, listRefunds, type RefundRow } from "./refunds.ts";
import { amountText, paymentJson, paymentLine, refundLine } from "./view.ts";

export const checkCommand = command({
  summary: "Compare settled payments and refunds with the transfers on the chain",
  options: { since: text("DAY", "UTC, such as 2026-11-20", day), ...JSON_OPTION },
  notes: ["Exit code 1 where they differ, or a network's node is not known.", ...PAYMENT_NOTES],
  run: ({ since, json }, world) => withPayments(world, (deps) => check(deps, since, json, world)),
});

async function check(
  deps: PaymentsDeps,
  since: number | undefined,
  isJson: boolean,
  world: World,
): Promise<number> {
  const heads = await headsOf(deps);
  const results: Checked[] = [];
  const unseen = new Set<string>();
  const accounts = [...byAccount(await allPayments(deps.db, {})).values()];
  const tell = progressOf(world, "Comparing,", "accounts");
  for (const [index, payments] of accounts.entries()) {
    tell(index, accounts.length);
    const [{ network, asset, payTo }] = payments as [PaymentRecord];
    const [node, head] = [deps.nodes.of(network), heads.get(network)];
    if (node === null || head === undefined) {
      unseen.add(network);
      continue;
    }
    const checked = await checkAccount(node, head, { network, asset, payTo }, payments, since);
    if (checked !== null) results.push(checked);
  }
  const rows = await Promise.all(results.map((result) => checkedJson(deps, result)));
  const lines = (await Promise.all(results.map((result) => checkedLines(deps, result)))).flat();
  show(world, isJson, rows, results.length + unseen.size === 0 ? ["No payments to check."] : lines);
  for (const network of unseen) world.err(noNode(network));
  // JSON is of the accounts alone.
  const lost = await lostRefunds(deps, heads, isJson ? world.err : world.out);
  const isSound = unseen.size + lost.length === 0 && results.every(agrees);
  return isSound ? EXIT.ok : EXIT.failed;
}

/** Confirmed refunds whose transfer the chain does not have, or no longer has. */
async function lostRefunds(
  { db, nodes, tokens }: PaymentsDeps,
  heads: ReadonlyMap<string, number>,
  say: (line: string) => void,
): Promise<RefundRow[]> {
  const lost: RefundRow[] = [];
  const confirmed = (await listRefunds(db)).filter(({ state }) => state === "confirmed");
  for (const row of confirmed) {
    const node = nodes.of(row.network);
    if (node === null || !heads.has(row.network) || (await isStillThere(node, row))) continue;
    lost.push(row);
    say(`  no refund     ${refundLine(row, await tokens.find(row.network, row.asset))}`);
  }
  if (confirmed.length > 0) say(`refunds       ${confirmed.length}, ${lost.length} not on the chain`);
  return lost;
}

/** The newest block of every network that was paid on, as far as a node of it is known. */
async function headsOf({ db, nodes }: PaymentsDeps): Promise<Map<string, number>> {
  const heads = new Map<string, number>();
  for (const network of await paidNetworks(db)) {
    const node = nodes.of(network);
    if (node !== null) heads.set(network, await upstream("block", () => node.getBlockNumber()));
  }
  return heads;
}

async function checkedLines({ tokens }: PaymentsDeps, checked: Checked): Promise<string[]> {
  const { network, asset, payTo, settled, booked, onChain, pending, missing, denied, unknown } = checked;
  const token = await tokens.find(network, asset);
  const amount = (raw: bigint) => amountText(raw, asset, token);
  return [
    `${network}  ${asset}  to ${payTo}`,
    `  settled here  ${amount(booked)} in ${settled} ${settled === 1 ? "payment" : "payments"}`,
    ...(pending > 0n ? [`  settling      ${amount(pending)}`] : []),
    `  on the chain  ${amount(onChain)}  ${agrees(checked) ? "the same" : "NOT THE SAME"}`,
    ...missing.map((payment) => `  no transfer   ${paymentLine(payment, token)}`),
    ...denied.map((payment) => `  paid after all ${paymentLine(payment, token)}`),
    ...unknown.map((transfer) => `  not ours      ${amount(transfer.amount)} in ${transfer.transaction}`),
  ];
}

async function checkedJson(deps: PaymentsDeps, checked: Checked) {
  const jsonOf = async (payments: readonly PaymentRecord[]) =>
    (await withTokens(deps, payments)).map(([payment, token]) => paymentJson(payment, token));
  return {
    ...checked,
    agrees: agrees(checked),
    missing: await jsonOf(checked.missing),
    denied: await jsonOf(checked.denied),
    unknown: checked.unknown.map(({ transaction, amount }) => ({ transaction, amount })),
  };
}

/** One token of one network, as one payee gets it. */
export type Account = Pick<PaymentRecord, "network" | "asset" | "payTo">;

/** Amounts in raw units. */
export type Checked = NonNullable<Awaited<ReturnType<typeof checkAccount>>>;

export const agrees = ({ booked, onChain, pending, missing, denied, unknown }: Checked): boolean =>
  booked + pending === onChain && missing.length + denied.length + unknown.length === 0;

export function byAccount(payments: readonly PaymentRecord[]): Map<string, PaymentRecord[]> {
  return Map.groupBy(payments, ({ network, asset, payTo }) => `${network} ${asset} ${payTo}`);
}

/**
 * @param head the newest block that counts. To be read before the payments: every payment is written down before its
 *   transfer is sent, so up to this block none can be unknown only because it is new
 * @param payments all of the account's, in every state
 * @param since unix seconds: older payments are left out, with their transfers
 * @returns null where there is none since then
 * @throws UpstreamUnavailable
 */
export async function checkAccount(
  node: JsonRpcProvider,
  head: number,
  account: Account,
  payments: readonly PaymentRecord[],
  since = 0,
) {
  const counted = payments.filter(({ createdAt }) => createdAt >= since);
  if (counted.length === 0) return null;
  const from = Math.min(...counted.map(({ unusedAtBlock }) => unusedAtBlock));
  const all = await transfersTo(node, account, from, head);
  const paidBy = matched(all, payments);
  const transfers = all.filter((transfer) => (paidBy.get(transfer)?.createdAt ?? since) >= since);
  const found = new Map([...paidBy].map(([transfer, payment]) => [payment, transfer]));
  const isPaid = (payment: PaymentRecord) => found.get(payment)?.amount === BigInt(payment.amount);
  const sum = (of: readonly PaymentRecord[]) => of.reduce((total, { amount }) => total + BigInt(amount), 0n);

  const settled = counted.filter(
    ({ state, blockNumber }) => state === "settled" && (blockNumber ?? 0) <= head,
  );
  return {
    ...account,
    settled: settled.length,
    /** Of the settled payments. */
    booked: sum(settled),
    /** That buyers' authorizations moved to the payee on the chain. */
    onChain: transfers.reduce((total, { amount }) => total + amount, 0n),
    /** Of these, payments that are not deep enough or not noted yet: they are `settling`. */
    pending: sum(counted.filter((payment) => payment.state === "settling" && isPaid(payment))),
    /** Settled payments that the chain has no transfer of. */
    missing: settled.filter((payment) => !isPaid(payment)),
    /** Payments that the chain has a transfer of, and that count as never made. */
    denied: counted.filter((payment) => payment.state === "expired" && isPaid(payment)),
    /** Transfers by an authorization that no payment here knows; somebody else may use the same payee. */
    unknown: transfers.filter((transfer) => !paidBy.has(transfer)),
  };
}

/** A transfer to the payee by a buyer's authorization. */
interface Transfer {
  readonly payer: string;
  readonly amount: bigint;
  readonly transaction: string;
  readonly logIndex: number;
  /** Of EIP-3009, whose events name it; null: by Permit2. */
  readonly nonce: string | null;
}

const keyOf = (...parts: readonly (string | number)[]) => parts.join(" ").toLowerCase();

/**
 * Whose payment each transfer is. A settled payment has claimed its own, and an event of EIP-3009 names one; what
 * Permit2 moved besides is of a payment of the same payer and amount that has claimed none.
 */
function matched(
  transfers: readonly Transfer[],
  payments: readonly PaymentRecord[],
): Map<Transfer, PaymentRecord> {
  const claims = new Map<string, PaymentRecord>();
  const unclaiming = new Map<string, PaymentRecord[]>();
  for (const payment of payments) {
    const { payer, nonce, amount, state, transaction, logIndex } = payment;
    claims.set(keyOf(payer, nonce), payment);
    if (state === "settled" && transaction !== null && logIndex !== null)
      claims.set(keyOf(transaction, logIndex), payment);
    else if (methodOfNonce(nonce) === "permit2") {
      const alike = keyOf(payer, amount);
      unclaiming.set(alike, [...(unclaiming.get(alike) ?? []), payment]);
    }
  }
  const owners = new Map<Transfer, PaymentRecord>();
  for (const transfer of transfers) {
    const { payer, amount, nonce, transaction, logIndex } = transfer;
    const claimed =
      nonce === null ? claims.get(keyOf(transaction, logIndex)) : claims.get(keyOf(payer, nonce));
    const owner =
      claimed ?? (nonce === null ? unclaiming.get(keyOf(payer, String(amount)))?.shift() : undefined);
    if (owner !== undefined) owners.set(transfer, owner);
  }
  return owners;
}

/** Transfers to the payee by an authorization of either method; a plain transfer is no purchase. */
async function transfersTo(
  node: JsonRpcProvider,
  { asset, payTo }: Account,
  fromBlock: number,
  head: number,
): Promise<Transfer[]> {
  const transfers: Transfer[] = [];
  for (const blocks of rangesOf(fromBlock, head)) {
    const range = { address: asset, ...blocks };
    const [used, moved] = await Promise.all([
      upstream("events", () => node.getLogs({ ...range, topics: [AUTHORIZATION_USED] })),
      upstream("events", () => node.getLogs({ ...range, topics: [TRANSFER, null, topicOf(payTo)] })),
    ]);
    const authorizations = Map.groupBy(used, ({ transactionHash }) => transactionHash);
    const others = new Set<string>();
    for (const log of moved) {
      const nonce = nonceBefore(log, authorizations.get(log.transactionHash) ?? []);
      if (nonce === null) others.add(log.transactionHash);
      else transfers.push(transferOf(log, nonce));
    }
    for (const transaction of others) transfers.push(...(await byPermit2(node, transaction, asset, payTo)));
  }
  return transfers;
}

const transferOf = ({ topics, data, transactionHash, index }: Log, nonce: string | null): Transfer => ({
  payer: getAddress(`0x${topics[1]?.slice(26)}`),
  amount: BigInt(data),
  transaction: transactionHash,
  logIndex: index,
  nonce,
});

/** Of the payer's authorization that made a transfer: the event before it in the same transaction; null: there is none. */
function nonceBefore(moved: Log, used: readonly Log[]): string | null {
  const before = used
    .filter((log) => log.index < moved.index && log.topics[1] === moved.topics[1])
    .sort((a, b) => b.index - a.index)[0];
  return before?.topics[2] ?? null;
}

/** The transfers to the payee that x402's proxy for Permit2 made in a transaction. */
async function byPermit2(
  node: JsonRpcProvider,
  transaction: string,
  asset: string,
  payTo: string,
): Promise<Transfer[]> {
  const receipt = await upstream("receipt", () => node.getTransactionReceipt(transaction));
  return transfersByProxy(receipt?.logs ?? [], asset)
    .filter(({ topics }) => topics[2] === topicOf(payTo))
    .map((log) => transferOf(log, null));
}
