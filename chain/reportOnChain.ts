/**
 * What a node says about a report: chain, the guard's code, block, the guard's key then and now, and the event of its trade.
 * The guard is the one that the report names: whether to trust it is the reader's to say, before and elsewhere.
 */
import { keccak256 } from "ethers";
import { z } from "zod";
import type { Report } from "../attestor/report.ts";
import type { Fault } from "../attestor/values/fault.ts";
import type { ChainFindings, ExecutedTrade, KnownGuard, Standing } from "../attestor/verify/trust.ts";
import { type GuardKeys, keyAt, readKeys } from "./guardKey.ts";
import { type TradeQuestion, tradeOnChain } from "./guardTrade.ts";
import { nodeFault, type Rpc, RpcContradicts } from "./jsonRpc.ts";
import { hexBytes, Quantity, quantity } from "./logs.ts";

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
  readonly guardRecord?: Pick<KnownGuard, "codeHash" | "deployedAtBlock" | "record"> | undefined;
}

/** What the node has said so far. */
interface Saying {
  readonly faults: Fault[];
  readonly trusted: Fault[];
  hasBlock: boolean;
  executed: ExecutedTrade | null;
}

/** Never throws: what a node does not say, or refuses, is a fault that leaves the report UNVERIFIABLE. */
export async function askChain(question: ChainQuestion, rpc: Rpc): Promise<ChainFindings> {
  const saying: Saying = { faults: [], trusted: [], hasBlock: false, executed: null };
  let standing: Standing = { kind: "unsettled" };
  try {
    standing = await asked(question, rpc, saying);
  } catch (error) {
    saying.faults.push({ code: "node_failed", params: { reason: nodeFault(error) } });
  }
  return { ...saying, standing };
}

async function asked(question: ChainQuestion, rpc: Rpc, saying: Saying): Promise<Standing> {
  const { report, guardRecord } = question;
  const { chain, guard } = report.evidence;
  const unsettled: Standing = { kind: "unsettled" };
  if (!(await isOnChain(chain.chainId, rpc, saying))) return unsettled;
  await compareCode(question, rpc, saying);
  const keys = await readKeys(guard.address, guardRecord?.deployedAtBlock, rpc);
  if (keys === null) {
    saying.faults.push({ code: "no_guard", params: { guard: guard.address } });
    return unsettled;
  }
  saying.hasBlock = await hasBlock(report, keys.head, rpc, saying);
  const isKeyOfBlock = saying.hasBlock && (await namedKey(question, keys, rpc, saying));
  const trade = await tradeOnChain(question, keys.head, rpc);
  saying.faults.push(...trade.faults);
  saying.trusted.push(...trade.trusted);
  saying.executed = trade.executed;
  if (!isKeyOfBlock) return unsettled;
  if (keys.now === guard.signer) return { kind: "current" };
  return { kind: "former", executed: trade.executed !== null };
}

async function isOnChain(chainId: number, rpc: Rpc, { faults }: Saying): Promise<boolean> {
  const served = Number(Quantity.parse(await rpc("eth_chainId", [])));
  if (served !== chainId) faults.push({ code: "other_chain", params: { served, chainId } });
  return served === chainId;
}

/** The record's code hash is compared where there is one. */
async function compareCode(
  { report, guardRecord }: ChainQuestion,
  rpc: Rpc,
  { faults, trusted }: Saying,
): Promise<void> {
  const { address } = report.evidence.guard;
  const code = Code.parse(await rpc("eth_getCode", [address, "latest"]));
  // That there is no guard is told where its key is asked for.
  if (code === "0x") return;
  if (guardRecord?.codeHash === undefined) {
    trusted.push({ code: "code_not_recorded", params: { guard: address } });
    return;
  }
  const seen = keccak256(code);
  if (seen !== guardRecord.codeHash)
    faults.push({
      code: "code_other",
      params: { seen, recorded: guardRecord.codeHash, record: guardRecord.record },
    });
}

/** @returns whether the chain has the evidence's block */
async function hasBlock(
  { evidence: { chain } }: Report,
  head: number,
  rpc: Rpc,
  { faults }: Saying,
): Promise<boolean> {
  const { blockNumber, blockHash, blockTimestamp } = chain;
  const block = blockNumber > head ? null : await blockAt(blockNumber, rpc);
  if (block === null) {
    faults.push({ code: "block_missing", params: { blockNumber, head } });
    return false;
  }
  const isSame = block.hash === blockHash && block.timestamp === blockTimestamp;
  if (!isSame)
    faults.push({
      code: "block_other",
      params: { blockNumber, blockHash, blockTimestamp, seenHash: block.hash, seenTime: block.timestamp },
    });
  return isSame;
}

async function blockAt(number: number, rpc: Rpc) {
  const block = Block.parse(await rpc("eth_getBlockByNumber", [quantity(number), false]));
  if (block !== null && block.number !== number)
    throw new RpcContradicts(`asked for block ${number} it answers block ${block.number}`);
  return block;
}

/** @returns whether the guard named the evidence's signer at the evidence's block */
async function namedKey(
  { report }: ChainQuestion,
  keys: GuardKeys,
  rpc: Rpc,
  { faults }: Saying,
): Promise<boolean> {
  const { chain, guard } = report.evidence;
  const { blockNumber } = chain;
  const then = await keyAt(blockNumber, keys, rpc);
  if (then === guard.signer) return true;
  if (then === null) faults.push({ code: "no_guard_then", params: { guard: guard.address, blockNumber } });
  else faults.push({ code: "key_other_then", params: { blockNumber, then, claimed: guard.signer } });
  return false;
}
