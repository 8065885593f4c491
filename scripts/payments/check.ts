/** `assay payments check`: the ledger and the chain, which must say the same. */
import { upstream } from "../../chain/rpc.ts";
import { command, flag } from "../command.ts";
import type { World } from "../console.ts";
import { EXIT } from "../errors.ts";
import { progressOf } from "../progress.ts";
import { agrees, byAccount, type Checked, checkAccount } from "./accounts.ts";
import { PAYMENT_NOTES, type PaymentsDeps, withPayments, withTokens } from "./deps.ts";
import { FILTER_OPTIONS, filterFrom } from "./filter.ts";
import { allPayments, type PaymentRecord, paidNetworks } from "./ledger.ts";
import { noNode } from "./nodes.ts";
import { isStillThere } from "./refunds/look.ts";
import { listRefunds, type RefundRow } from "./refunds/rows.ts";
import { amountText } from "./tokens.ts";
import { paymentJson, paymentLine, refundLine } from "./view.ts";

export const checkCommand = command({
  summary: "Compare settled payments and refunds with the transfers on the chain",
  options: { since: FILTER_OPTIONS.since, json: flag("print JSON") },
  notes: ["Exit code 1 where they differ, or a network's node is not known.", ...PAYMENT_NOTES],
  run: (given, world) => {
    const { since } = filterFrom({ since: given.since });
    return withPayments(world, (deps) => check(deps, since, given.json, world));
  },
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
  if (isJson)
    world.out(JSON.stringify(await Promise.all(results.map((result) => checkedJson(deps, result))), null, 2));
  else for (const result of results) for (const line of await checkedLines(deps, result)) world.out(line);
  if (results.length + unseen.size === 0 && !isJson) world.out("No payments to check.");
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
    booked: checked.booked.toString(),
    onChain: checked.onChain.toString(),
    pending: checked.pending.toString(),
    missing: await jsonOf(checked.missing),
    denied: await jsonOf(checked.denied),
    unknown: checked.unknown.map(({ transaction, amount }) => ({ transaction, amount: amount.toString() })),
  };
}
