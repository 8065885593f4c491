/**
 * What a node says about a report: chain, block, the guard's code, its key then and now, and the event of its trade.
 * The guard is the one that the report names: whether to trust it is the reader's to say, before and elsewhere. What a
 * node says against a document is `unknown`, never `wrong`: it may be the node that lies.
 */
import { keccak256 } from "ethers";
import { z } from "zod";
import type { Report } from "../attestor/report.ts";
import { type Step, Steps } from "../attestor/steps.ts";
import type { KnownGuard, Standing } from "../attestor/verify/issuer.ts";
import { type GuardKeys, keyAt, readKeys } from "./guardKey.ts";
import { hexBytes, Quantity, quantity } from "./guardLogs.ts";
import { type TradeQuestion, tradeStep } from "./guardTrade.ts";
import { nodeFault, type Rpc, RpcContradicts } from "./jsonRpc.ts";

const Block = z
  .looseObject({ number: Quantity, hash: hexBytes(32), timestamp: Quantity })
  .transform(({ number, hash, timestamp }) => ({
    number: Number(number),
    hash,
    timestamp: Number(timestamp),
  }))
  .nullable();
const Code = z.string().regex(/^0x([0-9a-f]{2})*$/);

export interface ChainQuestion extends TradeQuestion {
  /** What the reader's program knows of the guard. */
  readonly known?: Pick<KnownGuard, "codeHash" | "deployedAtBlock" | "record"> | undefined;
}

export interface ChainAnswer {
  /** To go with those of the offline verification. */
  readonly steps: readonly Step[];
  readonly standing: Standing;
}

/** Never throws: what a node does not say, or refuses, is a step that leaves the report UNVERIFIABLE. */
export async function askChain(question: ChainQuestion, rpc: Rpc): Promise<ChainAnswer> {
  const steps = new Steps();
  let standing: Standing = { kind: "unsettled" };
  try {
    standing = await stepsOnChain(question, rpc, steps);
  } catch (error) {
    steps.add("rpc", "unknown", nodeFault(error));
  }
  return { steps: steps.conclude().steps, standing };
}

async function stepsOnChain(question: ChainQuestion, rpc: Rpc, steps: Steps): Promise<Standing> {
  const { report } = question;
  const { chain, guard } = report.evidence;
  if (!(await chainStep(chain.chainId, rpc, steps))) return { kind: "unsettled" };
  await codeStep(question, rpc, steps);
  const keys = await readKeys(guard.address, question.known?.deployedAtBlock, rpc);
  if (keys === null) {
    steps.add("guard", "unknown", `There is no guard at ${guard.address} on this chain.`);
    return { kind: "unsettled" };
  }
  const isBlockThere = await blockStep(report, keys.head, rpc, steps);
  const held = isBlockThere && (await keySteps(question, keys, rpc, steps));
  const executed = await tradeStep(question, keys.head, rpc, steps);
  if (!held) return { kind: "unsettled" };
  return keys.now === guard.signer ? { kind: "current" } : { kind: "former", executed };
}

async function chainStep(chainId: number, rpc: Rpc, steps: Steps): Promise<boolean> {
  const seen = Number(Quantity.parse(await rpc("eth_chainId", [])));
  const fits = seen === chainId;
  steps.add(
    "chain",
    fits ? "ok" : "unknown",
    fits
      ? `The RPC serves chain ${seen}.`
      : `The RPC serves chain ${seen}, the report is about chain ${chainId}: name a node of that chain with --rpc.`,
  );
  return fits;
}

/** The record's code hash is compared where there is one; else that there is code at all. */
async function codeStep({ report, known }: ChainQuestion, rpc: Rpc, steps: Steps): Promise<void> {
  const { address } = report.evidence.guard;
  const code = Code.parse(await rpc("eth_getCode", [address, "latest"]));
  // Said by the step that finds no guard there.
  if (code === "0x") return;
  if (known?.codeHash === undefined) {
    steps.add(
      "code",
      "absent",
      "There is code at the guard's address, and no record here of what it should be.",
    );
    return;
  }
  const seen = keccak256(code);
  steps.add(
    "code",
    seen === known.codeHash ? "ok" : "unknown",
    seen === known.codeHash
      ? `The guard's code is that of ${known.record}.`
      : `The guard's code hashes to ${seen} on this chain, and to ${known.codeHash} by ${known.record}: one of the two is not the guard's.`,
  );
}

/** @returns whether the chain has the evidence's block */
async function blockStep(
  { evidence: { chain } }: Report,
  head: number,
  rpc: Rpc,
  steps: Steps,
): Promise<boolean> {
  const { blockNumber, blockHash, blockTimestamp } = chain;
  const block = blockNumber > head ? null : await blockAt(blockNumber, rpc);
  if (block === null) {
    steps.add(
      "block",
      "unknown",
      `The RPC does not have block ${blockNumber}, which the evidence was read at; its newest is ${head}.`,
    );
    return false;
  }
  const fits = block.hash === blockHash && block.timestamp === blockTimestamp;
  steps.add(
    "block",
    fits ? "ok" : "unknown",
    fits
      ? `Block ${blockNumber} has the hash and the time that the evidence states.`
      : `Block ${blockNumber} of this chain has the hash ${block.hash} and the time ${block.timestamp}, and the evidence states ${blockHash} and ${blockTimestamp}. Either it was not read from this chain, its block was reorganized away, or the RPC is unreliable.`,
  );
  return fits;
}

async function blockAt(number: number, rpc: Rpc) {
  const block = Block.parse(await rpc("eth_getBlockByNumber", [quantity(number), false]));
  if (block !== null && block.number !== number)
    throw new RpcContradicts(`asked for block ${number} it answers block ${block.number}`);
  return block;
}

/** @returns whether the guard named the evidence's signer at the evidence's block */
async function keySteps(
  { report }: ChainQuestion,
  keys: GuardKeys,
  rpc: Rpc,
  steps: Steps,
): Promise<boolean> {
  const { chain, guard } = report.evidence;
  const then = await keyAt(chain.blockNumber, keys, rpc);
  const replaced = keys.now === then ? "" : ` It is ${keys.now} now.`;
  const fits = then === guard.signer;
  steps.add(
    "guard",
    fits ? "ok" : "unknown",
    then === null
      ? `There was no guard at ${guard.address} at block ${chain.blockNumber}, by the RPC.`
      : `The guard's signer at block ${chain.blockNumber} was ${then}, ${fits ? "as" : `and not ${guard.signer} as`} in the evidence.${replaced}`,
  );
  return fits;
}
