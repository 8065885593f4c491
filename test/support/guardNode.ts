/** A node as far as the verifier looks at one: blocks of a second each, a guard with its keys over time, and trades. */
import { id } from "ethers";
import { encodeAbiParameters, toEventSelector } from "viem";
import { jobIdHash } from "../../attestor/certificate/certificate.ts";
import { type Rpc, RpcRefused } from "../../chain/jsonRpc.ts";
import { TradeGuard__factory } from "../../types/contracts/factories/contracts/TradeGuard__factory.ts";
import { CHAIN_ID, GUARD, NOW, OWNER, prepared, SIGNER, soundReport } from "../attestor/fixtures.ts";

export interface GuardNode {
  chainId?: number;
  /** Who the guard named from which block on; it is deployed at the first. */
  keys?: { from: number; address: string }[];
  head?: number;
  /** More blocks than this in one search are refused; 0: every search is. */
  span?: number;
  /** State of earlier blocks than this is refused. */
  stateFrom?: number;
  trades?: {
    block: number;
    jobId?: string;
    evidenceHash: string;
    intentHash?: string;
    version?: number;
    relayed?: boolean;
    /** Which contract the transaction calls; the guard where it is not said, none for null. */
    through?: string | null;
    address?: string;
    /** Which other trade's transaction it is in. */
    sharing?: number;
  }[];
  /** What differs of a block; null: the node does not have it. */
  blocks?: Record<number, { hash?: string; timestamp?: number } | null>;
  code?: string;
  guardMissing?: boolean;
}

/** A transaction that failed. */
export const REVERTED = id("reverted");
/** Of a trade by its place among the node's. */
export const transactionOf = (index: number): string => id(`transaction ${index}`);

/** The block that the fixtures' evidence was read at. */
export const EVIDENCE_BLOCK = 4_200;

const EXECUTED = toEventSelector("TradeExecuted(bytes32,address,bytes32,bytes32,uint256,uint256)");
const ROTATED = toEventSelector("SignerRotated(address,address,uint256)");
const ABI = TradeGuard__factory.createInterface();
const asViem = (value: unknown): any => value;
const hexNumber = (value: number) => `0x${value.toString(16)}`;
const word = (address: string) => `0x${address.slice(2).toLowerCase().padStart(64, "0")}`;
const ZERO = `0x${"00".repeat(20)}`;

/** @param asked takes each call, as `method block` where it names one */
export function guardNode(node: GuardNode = {}, asked: string[] = []): Rpc {
  const { chainId = CHAIN_ID, keys = [{ from: 1, address: SIGNER.address }], head = 9_000 } = node;
  const { span = 1e9, stateFrom = 0, trades = [], blocks = {}, code = "0x6001" } = node;
  const numberOf = (tag: string) => (tag === "latest" ? head : Number(tag));

  function block(number: number) {
    if (number > head || blocks[number] === null) return null;
    const { hash = id(`block ${number}`), timestamp = NOW - 2 + (number - EVIDENCE_BLOCK) } =
      blocks[number] ?? {};
    return { number: hexNumber(number), hash, timestamp: hexNumber(timestamp) };
  }

  /** Everything in range, filtered or not: the verifier must not lean on the filter. */
  function logs(from: number, to: number) {
    if (to - from + 1 > span) throw new RpcRefused("block range is too large");
    const rotations = keys.map(({ from: at, address }, index) => ({
      address: GUARD.toLowerCase(),
      topics: [ROTATED, word(keys[index - 1]?.address ?? ZERO), word(address)],
      data: `0x${"00".repeat(32)}`,
      blockNumber: hexNumber(at),
      transactionHash: id(`rotation ${index}`),
    }));
    return [...rotations, ...executed()].filter(({ blockNumber }) => {
      const number = Number(blockNumber);
      return number >= from && number <= to;
    });
  }

  function executed() {
    return trades.map((trade, index) => ({
      address: (trade.address ?? GUARD).toLowerCase(),
      topics: [EXECUTED, jobIdHash(trade.jobId ?? "job_9f2c"), word(OWNER), trade.evidenceHash],
      data: encodeAbiParameters(
        [{ type: "bytes32" }, { type: "uint256" }, { type: "uint256" }],
        [asViem(trade.intentHash ?? id("intent")), 999_000_000n, 3_980_000_000_000_000_000n],
      ),
      blockNumber: hexNumber(trade.block),
      transactionHash: id(`transaction ${trade.sharing ?? index}`),
    }));
  }

  /** Blocks are a second each; a transaction that is not there has none. */
  function receipt(hash: string) {
    const logs = executed().filter(({ transactionHash }) => transactionHash === hash);
    const [first] = logs;
    if (first === undefined && hash !== REVERTED) return null;
    const blockNumber = first?.blockNumber ?? hexNumber(head);
    return { transactionHash: hash, status: hash === REVERTED ? "0x0" : "0x1", blockNumber, logs };
  }

  function signerAt(number: number): string {
    if (number < stateFrom) throw new RpcRefused("missing trie node");
    const key = keys.findLast(({ from }) => from <= number);
    return key === undefined ? "0x" : word(key.address);
  }

  return async (method, params: any[]) => {
    asked.push(method);
    switch (method) {
      case "eth_chainId":
        return hexNumber(chainId);
      case "eth_blockNumber":
        return hexNumber(head);
      case "eth_getBlockByNumber":
        return block(Number(params[0]));
      case "eth_getCode":
        return params[0] === GUARD && !node.guardMissing ? code : "0x";
      case "eth_call": {
        const [{ to, data }, tag] = params;
        // By hash (EIP-1898): what a report observed is asked for so, and this node has forgotten it.
        if (typeof tag === "object") throw new RpcRefused("missing trie node");
        if (to !== GUARD || node.guardMissing || data !== id("signer()").slice(0, 10)) return "0x";
        return signerAt(numberOf(tag));
      }
      case "eth_getLogs":
        return logs(numberOf(params[0].fromBlock), numberOf(params[0].toBlock));
      case "eth_getTransactionReceipt":
        return receipt(params[0]);
      case "eth_getTransactionByHash":
        return transaction(params[0]);
      default:
        throw new RpcRefused(`no method ${method}`);
    }
  };

  async function transaction(hash: string) {
    const trade = trades.find((_, index) => id(`transaction ${index}`) === hash);
    const to = trade?.through === undefined ? GUARD.toLowerCase() : trade.through;
    if (trade?.version === undefined) return { to, input: "0xdeadbeef" };
    const { execution } = await prepared(soundReport());
    const certificate = {
      ...execution.certificate.message,
      evidenceHash: trade.evidenceHash,
      reportVersion: String(trade.version),
    };
    const args = [execution.tradeIntent.message, certificate, "0x11", "0x22"];
    const input = trade.relayed
      ? ABI.encodeFunctionData("executeFor", [...args, "0x33"] as any)
      : ABI.encodeFunctionData("execute", args as any);
    return { to, input };
  }
}
