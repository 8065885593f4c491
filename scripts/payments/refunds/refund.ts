/** The steps of `npm run payments -- refund <job id>` and `refunds`. */
import { Interface, type JsonRpcProvider } from "ethers";
import { chainIdOf } from "../../../api/settings/paymentOptions.ts";
import { safeFileOf, safeTransaction } from "../../../attestor/evm/safeFile.ts";
import { assertChain, upstream } from "../../../chain/rpc.ts";
import type { Database } from "../../../database/open.ts";
import { PlainError } from "../../console.ts";
import { type Nodes, noNode } from "../nodes.ts";
import type { Options } from "../../../cli/payments/options.ts";
import { allPayments } from "../report.ts";
import { amountText, type Tokens } from "../tokens.ts";
import { lookAtRefund, type Seen, transfersIn } from "./look.ts";
import { confirm, findRefund, listRefunds, propose, type RefundRow, withdraw } from "./rows.ts";

export interface RefundDeps {
  readonly db: Database;
  readonly tokens: Tokens;
  readonly nodes: Nodes;
  /** Blocks until a transfer counts, of a network. */
  readonly confirmationsOf: (network: string) => number;
  /** The operator. */
  readonly actor: string;
  /** Unix milliseconds. */
  readonly now: () => number;
  readonly writeFile: (path: string, text: string) => Promise<void>;
  readonly print: (line: string) => void;
}

export type RefundOptions = Options["refund"] & { readonly jobId: string };

const TOKEN = new Interface(["function transfer(address to, uint256 amount) returns (bool)"]);
const TRANSFER_METHOD = TOKEN.getFunction("transfer")!;
const SHALLOW = "Its transfer is on the chain and not deep enough yet: run this again.";

/**
 * @returns the exit code: 0 done, 1 not (yet)
 * @throws PlainError, UpstreamUnavailable, DatabaseUnavailable
 */
export async function refund(deps: RefundDeps, options: RefundOptions): Promise<number> {
  const found = await caseOf(deps, options.jobId);
  const row = await findRefund(deps.db, found.payment);
  const seen = row === null ? null : await look(deps, found, row);
  if (seen?.is === "confirmed" && !options.withdraw) return done(deps, seen.row);
  if (options.withdraw) return takeBack(deps, seen);
  if (options.confirm !== undefined) return confirmBy(deps, found, seen, options.confirm, options);
  const sender = options.from ?? seen?.row.sender ?? found.payment.payTo;
  const proposed = await writtenDown(deps, found, seen, sender, options.reason);
  await tell(deps, found, proposed);
  if (proposed.is === "shallow") {
    deps.print(SHALLOW);
    return 1;
  }
  if (options.safeFile !== undefined) await writeSafeFile(deps, found, proposed.row, options.safeFile);
  deps.print(
    `When it is sent, \`npm run payments -- refunds\` finds it on the chain; --withdraw where nobody will send it.`,
  );
  return 0;
}

/** Every refund, those that are open after a look at the chain. @returns also the networks that have no node here */
export async function refunds(deps: RefundDeps): Promise<{ rows: RefundRow[]; unseen: string[] }> {
  const rows: RefundRow[] = [];
  const unseen = new Set<string>();
  for (const row of await listRefunds(deps.db)) {
    const node = deps.nodes.of(row.network);
    if (node === null && row.state !== "confirmed") unseen.add(row.network);
    if (node !== null && row.state !== "confirmed") await assertChain(node, chainIdOf(row.network));
    rows.push(node === null ? row : (await lookAtRefund(lookDeps(deps, node, row.network), row)).row);
  }
  return { rows, unseen: [...unseen] };
}

/** A refund with everything around it. */
type Case = Awaited<ReturnType<typeof caseOf>>;

async function caseOf({ db, nodes }: RefundDeps, jobId: string) {
  const payments = await allPayments(db, { jobId });
  const payment = payments.find(({ state }) => state === "settled");
  if (payment === undefined) {
    if (payments.some(({ state }) => state === "settling"))
      throw new PlainError(
        "Its payment is not settled yet: whether there is anything to refund, the chain will say.",
      );
    throw new PlainError(`No settled payment is for ${JSON.stringify(jobId.slice(0, 64))}.`);
  }
  const node = nodes.of(payment.network);
  if (node === null) throw new PlainError(noNode(payment.network));
  const chainId = chainIdOf(payment.network);
  await assertChain(node, chainId);
  return { payment, node, chainId };
}

const lookDeps = ({ db, now, confirmationsOf }: RefundDeps, node: JsonRpcProvider, network: string) => ({
  db,
  node,
  now,
  confirmations: confirmationsOf(network),
});

const look = (deps: RefundDeps, { node, payment }: Case, row: RefundRow): Promise<Seen> =>
  lookAtRefund(lookDeps(deps, node, payment.network), row);

/** The row, written now or before. @throws PlainError where another account may be sending it */
async function writtenDown(
  deps: RefundDeps,
  { payment, node }: Case,
  seen: Seen | null,
  sender: string,
  reason: string | undefined,
): Promise<Seen> {
  if (sender === payment.payer) throw new PlainError("The payer cannot refund itself.");
  const row =
    seen?.row ??
    (await propose(deps.db, payment, {
      sender,
      fromBlock: (await upstream("block", () => node.getBlockNumber())) + 1,
      actor: deps.actor,
      reason: reason ?? null,
      now: Math.floor(deps.now() / 1_000),
    }));
  if (row.sender !== sender)
    throw new PlainError(
      `It was proposed to ${row.sender}, who may be sending it. Where that will not happen: --withdraw, then again.`,
    );
  return seen ?? { row, is: "proposed" };
}

async function confirmBy(
  deps: RefundDeps,
  found: Case,
  seen: Seen | null,
  hash: string,
  { reason }: RefundOptions,
): Promise<number> {
  const { node, payment } = found;
  const head = await upstream("block", () => node.getBlockNumber());
  const transfers = await transfersIn(node, payment, hash);
  const after = transfers.filter(({ blockNumber }) => blockNumber >= (payment.blockNumber ?? 0));
  const [first] = after;
  if (first === undefined)
    throw new PlainError(
      `${hash} holds no transfer of exactly this amount to the payer, made after the payment.`,
    );
  if (head - first.blockNumber + 1 < deps.confirmationsOf(payment.network)) {
    deps.print(SHALLOW);
    return 1;
  }
  const { row } = await writtenDown(deps, found, seen, seen?.row.sender ?? first.from, reason);
  for (const transfer of after)
    if (await confirm(deps.db, row, transfer, Math.floor(deps.now() / 1_000)))
      return done(deps, (await findRefund(deps.db, row)) ?? row);
  // Another command may have confirmed it meanwhile.
  const stored = await findRefund(deps.db, row);
  if (stored?.state === "confirmed") return done(deps, stored);
  throw new PlainError(`The transfer in ${hash} is another payment's refund.`);
}

async function takeBack(deps: RefundDeps, seen: Seen | null): Promise<number> {
  if (seen === null) throw new PlainError("No refund of it is proposed.");
  if (seen.is !== "proposed" || !(await withdraw(deps.db, seen.row)))
    throw new PlainError("It is on the chain: there is nothing to take back.");
  deps.print(`withdrawn   ${seen.row.job_id}: nothing is refunded. The Safe file must not be used.`);
  return 0;
}

async function tell(deps: RefundDeps, { payment, chainId }: Case, { row }: Seen): Promise<void> {
  const token = await deps.tokens.find(row.network, row.asset);
  deps.print(
    `refund      ${amountText(row.amount, row.asset, token)} for ${row.job_id}, paid in ${payment.transaction}`,
  );
  deps.print(`chain       ${chainId}`);
  deps.print(`token       ${row.asset}`);
  deps.print(`from        ${row.sender}`);
  deps.print(`to          ${row.payer}`);
  deps.print(`amount      ${row.amount} raw units`);
  deps.print(`call data   ${TOKEN.encodeFunctionData(TRANSFER_METHOD, [row.payer, row.amount])}`);
  if (row.reason !== null) deps.print(`reason      ${row.reason}`);
}

async function writeSafeFile(deps: RefundDeps, { node, chainId }: Case, row: RefundRow, path: string) {
  const token = await deps.tokens.find(row.network, row.asset);
  const file = safeFileOf({
    chainId,
    safe: row.sender,
    transactions: [safeTransaction(row.asset, TRANSFER_METHOD, [row.payer, row.amount])],
    name: `refund ${row.job_id}`,
    description: `Refund ${amountText(row.amount, row.asset, token)} to ${row.payer} for ${row.job_id}`,
    now: deps.now(),
  });
  await deps.writeFile(path, `${JSON.stringify(file, null, 2)}\n`);
  if ((await upstream("code", () => node.getCode(row.sender))) === "0x")
    deps.print(`WARNING     ${row.sender} is no contract, so no Safe (yet): name yours by --from.`);
  deps.print(
    `Wrote ${path} for the Safe ${row.sender}, checksum ${file.meta.checksum}. Have it signed once.`,
  );
}

function done(deps: RefundDeps, { job_id, transaction_hash, block_number }: RefundRow): number {
  deps.print(`refunded    ${job_id} in ${transaction_hash}, block ${block_number}`);
  return 0;
}
