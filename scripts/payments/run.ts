/** The commands of `npm run payments`, over an existing database. All but the refunds only read. */
import { upstream } from "../../chain/rpc.ts";
import type { Database } from "../../database/open.ts";
import { PlainError } from "../console.ts";
import { agrees, byAccount, type Checked, checkAccount } from "./check.ts";
import { type Nodes, noNode } from "./nodes.ts";
import type { Options } from "../../cli/payments/options.ts";
import { isStillThere } from "./refunds/look.ts";
import { type RefundDeps, refund, refunds } from "./refunds/refund.ts";
import { listRefunds, type RefundRow } from "./refunds/rows.ts";
import {
  allPayments,
  listPayments,
  type PaymentRecord,
  paidNetworks,
  soldReports,
  totals,
} from "./report.ts";
import { amountText, type Tokens } from "./tokens.ts";
import {
  CSV_COLUMNS,
  csvLine,
  openLine,
  paymentCsv,
  paymentJson,
  paymentLine,
  refundJson,
  refundLine,
  soldLines,
  timeText,
  totalJson,
  totalLine,
} from "./view.ts";

export interface PaymentsCommandDeps {
  readonly db: Database;
  readonly tokens: Tokens;
  readonly nodes: Nodes;
  /** Unix milliseconds. */
  readonly now: () => number;
  /** Text as it is, with its line ends. */
  readonly write: (text: string) => void;
  readonly printError: (line: string) => void;
  /** What only refunds need. */
  readonly refunds: Pick<RefundDeps, "confirmationsOf" | "actor" | "writeFile">;
}

/** As the help says. */
const DEFAULT_LIST = 50;
const SECOND = 1_000;

/**
 * @returns the exit code: 0 done, 1 nothing found or something wrong found
 * @throws UpstreamUnavailable, DatabaseUnavailable
 */
export async function runPaymentsCommand(options: Options, deps: PaymentsCommandDeps): Promise<number> {
  const commands = {
    list,
    totals: sums,
    open,
    export: exportAll,
    report,
    check,
    refund: refundOne,
    refunds: allRefunds,
  };
  return commands[options.command](options, deps);
}

async function list({ filter, limit = DEFAULT_LIST, json }: Options, deps: PaymentsCommandDeps) {
  const found = await allPayments(deps.db, filter, limit);
  if (json) return printJson(deps, await jsonOf(deps, found));
  for (const payment of found) print(deps, paymentLine(payment, await tokenOf(deps, payment)));
  if (found.length === 0) print(deps, "No payments.");
  if (found.length === limit) print(deps, `(the newest ${limit}; --limit shows more, export all of them)`);
  return 0;
}

async function sums({ filter, json }: Options, deps: PaymentsCommandDeps) {
  const named = await withTokens(deps, await totals(deps.db, filter));
  const listed = named.map(([total, token]) => totalJson(total, token));
  if (json) return printJson(deps, listed);
  if (named.length === 0) print(deps, "Nothing was settled.");
  else print(deps, ["day (UTC)  ", "payments", "amount".padStart(18), "", "token"].join(" "));
  for (const [total, token] of named) print(deps, totalLine(total, token));
  return 0;
}

async function open({ alarm, json }: Options, deps: PaymentsCommandDeps) {
  const now = Math.floor(deps.now() / SECOND);
  const found = (await allPayments(deps.db, { state: "settling" })).reverse();
  const old = alarm === undefined ? [] : found.filter(({ createdAt }) => now - createdAt > alarm);
  const named = await withTokens(deps, found);
  const listed = named.map(([each, token]) => ({
    ...paymentJson(each, token),
    ageSeconds: now - each.createdAt,
  }));
  if (json) printJson(deps, listed);
  else for (const [payment, token] of named) print(deps, openLine(payment, token, now));
  if (found.length === 0 && !json) print(deps, "No payment is being settled.");
  if (old.length > 0) deps.printError(`${old.length} open for more than ${alarm} s.`);
  return old.length > 0 ? 1 : 0;
}

async function exportAll({ filter, json }: Options, deps: PaymentsCommandDeps) {
  if (!json) deps.write(csvLine(CSV_COLUMNS));
  else deps.write("[");
  let count = 0;
  for await (const payment of listPayments(deps.db, filter)) {
    const token = await tokenOf(deps, payment);
    if (json) deps.write(`${count === 0 ? "" : ","}\n${JSON.stringify(paymentJson(payment, token))}`);
    else deps.write(paymentCsv(payment, token));
    count++;
  }
  if (json) deps.write("\n]\n");
  return 0;
}

async function report({ jobId, json }: Options, deps: PaymentsCommandDeps) {
  const sold = await soldReports(deps.db, jobId);
  if (sold === null) {
    deps.printError(`There is no job ${JSON.stringify(jobId.slice(0, 64))}.`);
    return 1;
  }
  if (json)
    return printJson(deps, {
      ...sold,
      createdAt: timeText(sold.createdAt),
      expiresAt: timeText(sold.expiresAt),
      versions: sold.versions.map((version) => ({ ...version, createdAt: timeText(version.createdAt) })),
      payments: await jsonOf(deps, sold.payments),
    });
  const lines = (await withTokens(deps, sold.payments)).map(([payment, token]) =>
    paymentLine(payment, token),
  );
  for (const line of soldLines(sold, lines)) print(deps, line);
  if (sold.payment === "required")
    for (const terms of sold.terms ?? [])
      print(
        deps,
        `costs    ${amountText(terms.amount, terms.asset, await tokenOf(deps, terms))} on ${terms.network}`,
      );
  return 0;
}

const refundDeps = (deps: PaymentsCommandDeps): RefundDeps => ({
  ...deps,
  ...deps.refunds,
  print: (line) => print(deps, line),
});

async function refundOne({ jobId, refund: options }: Options, deps: PaymentsCommandDeps) {
  try {
    return await refund(refundDeps(deps), { jobId, ...options });
  } catch (error) {
    if (!(error instanceof PlainError)) throw error;
    deps.printError(error.message);
    return 1;
  }
}

async function allRefunds({ json }: Options, deps: PaymentsCommandDeps) {
  const { rows, unseen } = await refunds(refundDeps(deps));
  const named = await withTokens(deps, rows);
  const listed = named.map(([row, token]) => refundJson(row, token));
  if (json) printJson(deps, listed);
  else for (const [row, token] of named) print(deps, refundLine(row, token));
  if (rows.length === 0 && !json) print(deps, "No refunds.");
  for (const network of unseen) deps.printError(noNode(network));
  return unseen.length > 0 ? 1 : 0;
}

async function check({ filter, json }: Options, deps: PaymentsCommandDeps) {
  const known = await headsOf(deps);
  const results: Checked[] = [];
  const unseen = new Set<string>();
  for (const payments of byAccount(await allPayments(deps.db, {})).values()) {
    const [{ network, asset, payTo }] = payments as [PaymentRecord];
    const [node, head] = [deps.nodes.of(network), known.get(network)];
    if (node === null || head === undefined) {
      unseen.add(network);
      continue;
    }
    const checked = await checkAccount(node, head, { network, asset, payTo }, payments, filter.since);
    if (checked !== null) results.push(checked);
  }
  if (json) printJson(deps, await Promise.all(results.map((result) => checkedJson(deps, result))));
  else for (const result of results) await printChecked(deps, result);
  if (results.length + unseen.size === 0 && !json) print(deps, "No payments to check.");
  for (const network of unseen) deps.printError(noNode(network));
  // JSON is of the accounts alone.
  const lost = await lostRefunds(deps, known, json ? deps.printError : (line) => print(deps, line));
  return unseen.size + lost.length === 0 && results.every(agrees) ? 0 : 1;
}

/** Confirmed refunds whose transfer the chain does not have, or no longer has. */
async function lostRefunds(
  deps: PaymentsCommandDeps,
  heads: ReadonlyMap<string, number>,
  say: (line: string) => void,
) {
  const lost: RefundRow[] = [];
  const confirmed = (await listRefunds(deps.db)).filter(({ state }) => state === "confirmed");
  for (const row of confirmed) {
    const node = deps.nodes.of(row.network);
    if (node === null || !heads.has(row.network) || (await isStillThere(node, row))) continue;
    lost.push(row);
    say(`  no refund     ${refundLine(row, await tokenOf(deps, row))}`);
  }
  if (confirmed.length > 0) say(`refunds       ${confirmed.length}, ${lost.length} not on the chain`);
  return lost;
}

/** The newest block of every network that was paid on, as far as a node of it is known. */
async function headsOf({ db, nodes }: PaymentsCommandDeps): Promise<Map<string, number>> {
  const heads = new Map<string, number>();
  for (const network of await paidNetworks(db)) {
    const node = nodes.of(network);
    if (node !== null) heads.set(network, await upstream("block", () => node.getBlockNumber()));
  }
  return heads;
}

async function printChecked(deps: PaymentsCommandDeps, checked: Checked): Promise<void> {
  const { network, asset, payTo, settled, booked, onChain, pending, missing, denied, unknown } = checked;
  const token = await tokenOf(deps, checked);
  const text = (raw: bigint) => amountText(raw, asset, token);
  print(deps, `${network}  ${asset}  to ${payTo}`);
  print(deps, `  settled here  ${text(booked)} in ${settled} ${settled === 1 ? "payment" : "payments"}`);
  if (pending > 0n) print(deps, `  settling      ${text(pending)}`);
  print(deps, `  on the chain  ${text(onChain)}  ${agrees(checked) ? "the same" : "NOT THE SAME"}`);
  for (const payment of missing) print(deps, `  no transfer   ${paymentLine(payment, token)}`);
  for (const payment of denied) print(deps, `  paid after all ${paymentLine(payment, token)}`);
  for (const { transaction, amount } of unknown)
    print(deps, `  not ours      ${text(amount)} in ${transaction}`);
}

async function checkedJson(deps: PaymentsCommandDeps, checked: Checked) {
  return {
    ...checked,
    agrees: agrees(checked),
    booked: checked.booked.toString(),
    onChain: checked.onChain.toString(),
    pending: checked.pending.toString(),
    missing: await jsonOf(deps, checked.missing),
    denied: await jsonOf(deps, checked.denied),
    unknown: checked.unknown.map(({ transaction, amount }) => ({ transaction, amount: amount.toString() })),
  };
}

const tokenOf = (deps: PaymentsCommandDeps, { network, asset }: Pick<PaymentRecord, "network" | "asset">) =>
  deps.tokens.find(network, asset);

const withTokens = <T extends Parameters<typeof tokenOf>[1]>(deps: PaymentsCommandDeps, rows: readonly T[]) =>
  Promise.all(rows.map(async (row) => [row, await tokenOf(deps, row)] as const));

const jsonOf = async (deps: PaymentsCommandDeps, payments: readonly PaymentRecord[]) =>
  (await withTokens(deps, payments)).map(([payment, token]) => paymentJson(payment, token));

const print = ({ write }: PaymentsCommandDeps, line: string): void => write(`${line}\n`);

function printJson({ write }: PaymentsCommandDeps, value: unknown): number {
  write(`${JSON.stringify(value, null, 2)}\n`);
  return 0;
}
