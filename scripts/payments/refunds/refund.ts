/** The steps of a refund: proposed, found on the chain or confirmed by its hash, or withdrawn. */
import { Interface, type JsonRpcProvider } from "ethers";
import { chainIdOf } from "../../../api/settings/paymentOptions.ts";
import { safeFileOf, safeTransaction } from "../../../attestor/evm/safeFile.ts";
import { assertChain, upstream } from "../../../chain/rpc.ts";
import { actorHere } from "../../admin/world.ts";
import type { World } from "../../console.ts";
import { CommandError } from "../../errors.ts";
import { writeJson } from "../../files.ts";
import type { PaymentsDeps } from "../deps.ts";
import { allPayments } from "../ledger.ts";
import { noNode } from "../nodes.ts";
import { amountText } from "../tokens.ts";
import { lookAtRefund, type Seen, transfersIn } from "./look.ts";
import { confirm, findRefund, listRefunds, propose, type RefundRow, withdraw } from "./rows.ts";

export interface RefundGiven {
  readonly from?: string | undefined;
  readonly reason?: string | undefined;
  readonly safe?: string | undefined;
  /** Transaction that is said to be the refund. */
  readonly confirm?: string | undefined;
  readonly withdraw: boolean;
}

/** Everything that the steps of one refund need. */
interface Desk extends PaymentsDeps {
  readonly world: World;
}

const TOKEN = new Interface(["function transfer(address to, uint256 amount) returns (bool)"]);
const TRANSFER_METHOD = TOKEN.getFunction("transfer")!;
const SHALLOW = "Its transfer is on the chain and not deep enough yet: run this again.";

/**
 * @returns the exit code: 0 done, 1 not (yet)
 * @throws CommandError `refused`, UpstreamUnavailable, DatabaseUnavailable
 */
export async function refund(
  payments: PaymentsDeps,
  world: World,
  jobId: string,
  options: RefundGiven,
): Promise<number> {
  const deps: Desk = { ...payments, world };
  const found = await caseOf(deps, jobId);
  const row = await findRefund(deps.db, found.payment);
  const seen = row === null ? null : await look(deps, found, row);
  if (seen?.is === "confirmed" && !options.withdraw) return done(deps, seen.row);
  if (options.withdraw) return takeBack(deps, seen);
  if (options.confirm !== undefined) return confirmBy(deps, found, seen, options.confirm, options);
  const sender = options.from ?? seen?.row.sender ?? found.payment.payTo;
  const proposed = await writtenDown(deps, found, seen, sender, options.reason);
  await tell(deps, found, proposed);
  if (proposed.is === "shallow") {
    deps.world.out(SHALLOW);
    return 1;
  }
  if (options.safe !== undefined) await writeSafeFile(deps, found, proposed.row, options.safe);
  deps.world.out(
    "When it is sent, the same command finds it on the chain; --withdraw where nobody will send it.",
  );
  return 0;
}

/** Every refund, those that are open after a look at the chain. @returns also the networks that have no node here */
export async function refunds(
  payments: PaymentsDeps,
  world: World,
): Promise<{ rows: RefundRow[]; unseen: string[] }> {
  const deps: Desk = { ...payments, world };
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

async function caseOf({ db, nodes }: Desk, jobId: string) {
  const payments = await allPayments(db, { jobId });
  const payment = payments.find(({ state }) => state === "settled");
  if (payment === undefined) {
    if (payments.some(({ state }) => state === "settling"))
      throw new CommandError(
        "refused",
        "Its payment is not settled yet: whether there is anything to refund, the chain will say.",
      );
    throw new CommandError("refused", `No settled payment is for ${JSON.stringify(jobId.slice(0, 64))}.`);
  }
  const node = nodes.of(payment.network);
  if (node === null) throw new CommandError("refused", noNode(payment.network));
  const chainId = chainIdOf(payment.network);
  await assertChain(node, chainId);
  return { payment, node, chainId };
}

const lookDeps = ({ db, world, confirmationsOf }: Desk, node: JsonRpcProvider, network: string) => ({
  db,
  node,
  now: world.now,
  confirmations: confirmationsOf(network),
});

const look = (deps: Desk, { node, payment }: Case, row: RefundRow): Promise<Seen> =>
  lookAtRefund(lookDeps(deps, node, payment.network), row);

/** The row, written now or before. @throws CommandError `refused` where another account may be sending it */
async function writtenDown(
  deps: Desk,
  { payment, node }: Case,
  seen: Seen | null,
  sender: string,
  reason: string | undefined,
): Promise<Seen> {
  if (sender === payment.payer) throw new CommandError("refused", "The payer cannot refund itself.");
  const row =
    seen?.row ??
    (await propose(deps.db, payment, {
      sender,
      fromBlock: (await upstream("block", () => node.getBlockNumber())) + 1,
      actor: actorHere(),
      reason: reason ?? null,
      now: Math.floor(deps.world.now() / 1_000),
    }));
  if (row.sender !== sender)
    throw new CommandError(
      "refused",
      `It was proposed to ${row.sender}, who may be sending it. Where that will not happen: --withdraw, then again.`,
    );
  return seen ?? { row, is: "proposed" };
}

async function confirmBy(
  deps: Desk,
  found: Case,
  seen: Seen | null,
  hash: string,
  { reason }: RefundGiven,
): Promise<number> {
  const { node, payment } = found;
  const head = await upstream("block", () => node.getBlockNumber());
  const transfers = await transfersIn(node, payment, hash);
  const after = transfers.filter(({ blockNumber }) => blockNumber >= (payment.blockNumber ?? 0));
  const [first] = after;
  if (first === undefined)
    throw new CommandError(
      "refused",
      `${hash} holds no transfer of exactly this amount to the payer, made after the payment.`,
    );
  if (head - first.blockNumber + 1 < deps.confirmationsOf(payment.network)) {
    deps.world.out(SHALLOW);
    return 1;
  }
  const { row } = await writtenDown(deps, found, seen, seen?.row.sender ?? first.from, reason);
  for (const transfer of after)
    if (await confirm(deps.db, row, transfer, Math.floor(deps.world.now() / 1_000)))
      return done(deps, (await findRefund(deps.db, row)) ?? row);
  // Another command may have confirmed it meanwhile.
  const stored = await findRefund(deps.db, row);
  if (stored?.state === "confirmed") return done(deps, stored);
  throw new CommandError("refused", `The transfer in ${hash} is another payment's refund.`);
}

async function takeBack(deps: Desk, seen: Seen | null): Promise<number> {
  if (seen === null) throw new CommandError("refused", "No refund of it is proposed.");
  if (seen.is !== "proposed" || !(await withdraw(deps.db, seen.row)))
    throw new CommandError("refused", "It is on the chain: there is nothing to take back.");
  deps.world.out(`withdrawn   ${seen.row.job_id}: nothing is refunded. The Safe file must not be used.`);
  return 0;
}

async function tell(deps: Desk, { payment, chainId }: Case, { row }: Seen): Promise<void> {
  const token = await deps.tokens.find(row.network, row.asset);
  deps.world.out(
    `refund      ${amountText(row.amount, row.asset, token)} for ${row.job_id}, paid in ${payment.transaction}`,
  );
  deps.world.out(`chain       ${chainId}`);
  deps.world.out(`token       ${row.asset}`);
  deps.world.out(`from        ${row.sender}`);
  deps.world.out(`to          ${row.payer}`);
  deps.world.out(`amount      ${row.amount} raw units`);
  deps.world.out(`call data   ${TOKEN.encodeFunctionData(TRANSFER_METHOD, [row.payer, row.amount])}`);
  if (row.reason !== null) deps.world.out(`reason      ${row.reason}`);
}

async function writeSafeFile(deps: Desk, { node, chainId }: Case, row: RefundRow, path: string) {
  const token = await deps.tokens.find(row.network, row.asset);
  const file = safeFileOf({
    chainId,
    safe: row.sender,
    transactions: [safeTransaction(row.asset, TRANSFER_METHOD, [row.payer, row.amount])],
    name: `refund ${row.job_id}`,
    description: `Refund ${amountText(row.amount, row.asset, token)} to ${row.payer} for ${row.job_id}`,
    now: deps.world.now(),
  });
  await writeJson(path, file);
  if ((await upstream("code", () => node.getCode(row.sender))) === "0x")
    deps.world.out(`WARNING     ${row.sender} is no contract, so no Safe (yet): name yours by --from.`);
  deps.world.out(
    `Wrote ${path} for the Safe ${row.sender}, checksum ${file.meta.checksum}. Have it signed once.`,
  );
}

function done(deps: Desk, { job_id, transaction_hash, block_number }: RefundRow): number {
  deps.world.out(`refunded    ${job_id} in ${transaction_hash}, block ${block_number}`);
  return 0;
}
