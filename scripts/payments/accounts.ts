/**
 * Compares the ledger with the chain. Every settled payment must be a transfer there, and every transfer by a buyer's
 * authorization to the payee must be a settled payment.
 */
import { getAddress, id, type JsonRpcProvider, type Log, zeroPadValue } from "ethers";
import { rangesOf, TRANSFER } from "../../api/payments/chainEvents.ts";
import { paymentsIn } from "../../api/payments/permit2.ts";
import { upstream } from "../../chain/rpc.ts";
import type { PaymentRecord } from "./ledger.ts";

const USED = id("AuthorizationUsed(address,bytes32)");

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
  const older = new Set(
    payments.filter(({ createdAt }) => createdAt < since).map(({ payer, nonce }) => keyOf(payer, nonce)),
  );
  const from = Math.min(...counted.map(({ unusedAtBlock }) => unusedAtBlock));
  const transfers = (await transfersTo(node, account, from, head)).filter(
    ({ payer, nonce }) => !older.has(keyOf(payer, nonce)),
  );
  const found = new Map(transfers.map((transfer) => [keyOf(transfer.payer, transfer.nonce), transfer]));
  const isPaid = ({ payer, nonce, amount }: PaymentRecord) =>
    found.get(keyOf(payer, nonce))?.amount === BigInt(amount);
  const sum = (of: readonly PaymentRecord[]) => of.reduce((total, { amount }) => total + BigInt(amount), 0n);

  const settled = counted.filter(
    ({ state, blockNumber }) => state === "settled" && (blockNumber ?? 0) <= head,
  );
  const known = new Set(counted.map(({ payer, nonce }) => keyOf(payer, nonce)));
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
    unknown: transfers.filter(({ payer, nonce }) => !known.has(keyOf(payer, nonce))),
  };
}

type Transfer = NonNullable<ReturnType<typeof byEip3009>>;

const keyOf = (payer: string, nonce: string) => `${payer} ${nonce}`.toLowerCase();

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
      upstream("events", () => node.getLogs({ ...range, topics: [USED] })),
      upstream("events", () => node.getLogs({ ...range, topics: [TRANSFER, null, zeroPadValue(payTo, 32)] })),
    ]);
    const authorizations = Map.groupBy(used, ({ transactionHash }) => transactionHash);
    const others: Log[] = [];
    for (const log of moved) {
      const transfer = byEip3009(log, authorizations.get(log.transactionHash) ?? []);
      if (transfer === null) others.push(log);
      else transfers.push(transfer);
    }
    transfers.push(...(await byPermit2(node, { asset, payTo }, others)));
  }
  return transfers;
}

const payerOf = ({ topics }: Log): string => getAddress(`0x${topics[1]?.slice(26)}`);

/** An authorization of the token's, and the transfer that it made: the next event of the token in the same transaction. */
function byEip3009(moved: Log, used: readonly Log[]) {
  const { transactionHash, index, topics, data } = moved;
  const before = used
    .filter((log) => log.index < index && log.topics[1] === topics[1])
    .sort((a, b) => b.index - a.index)[0];
  if (before === undefined) return null;
  const nonce = before.topics[2] ?? "";
  return { payer: payerOf(moved), nonce, amount: BigInt(data), transaction: transactionHash };
}

/** Transfers by x402's proxy for Permit2. One whose nonce no transaction tells has none here: nobody's payment. */
async function byPermit2(
  node: JsonRpcProvider,
  { asset, payTo }: Pick<Account, "asset" | "payTo">,
  moved: readonly Log[],
): Promise<Transfer[]> {
  const alike = Map.groupBy(moved, (log) => `${log.transactionHash} ${payerOf(log)} ${BigInt(log.data)}`);
  const transfers: Transfer[] = [];
  for (const [first] of alike.values()) {
    if (first === undefined) continue;
    const { transactionHash: transaction, data } = first;
    const [payer, amount] = [payerOf(first), BigInt(data)];
    const seen = await paymentsIn(node, transaction, { asset, payer, payTo, amount: String(amount) });
    const nonces = [...(seen?.nonces ?? [])];
    for (let n = 0; n < (seen?.made ?? 0); n++)
      transfers.push({ payer, nonce: nonces[n] ?? "", amount, transaction });
  }
  return transfers;
}
