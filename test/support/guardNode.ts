/** A node as far as the verifier looks at one: twenty blocks a second, a guard with its keys over time, and trades. */
import { RLP } from "@ethereumjs/rlp";
import { id, keccak256 } from "ethers";
import { encodeAbiParameters } from "viem";
import { jobIdHash } from "../../attestor/certificate/certificate.ts";
import { receiptsRoot } from "../../attestor/proofs/receipts.ts";
import { type Rpc, RpcRefused } from "../../chain/jsonRpc.ts";
import { TradeGuard__factory } from "../../types/contracts/factories/contracts/TradeGuard__factory.ts";
import { CHAIN_ID, GUARD, NOW, OWNER, prepared, SIGNER, soundReport } from "../attestor/fixtures.ts";

export interface GuardNode {
  chainId?: number;
  /** The signers that the guard named, each with its first block; it is deployed at the first. */
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
    owner?: string;
    spent?: bigint;
    received?: bigint;
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

const ABI = TradeGuard__factory.createInterface();
const EXECUTED = ABI.getEvent("TradeExecuted").topicHash;
const ROTATED = ABI.getEvent("SignerRotated").topicHash;
const asViem = (value: unknown): any => value;
const hexNumber = (value: number) => `0x${value.toString(16)}`;
const word = (address: string) => `0x${address.slice(2).toLowerCase().padStart(64, "0")}`;
const zeros = (bytes: number) => `0x${"00".repeat(bytes)}`;
const ZERO = zeros(20);

/** A header as of Frontier with nothing in it, its members in the order of its RLP. */
const BARE_HEADER: Record<string, string> = {
  parentHash: zeros(32),
  sha3Uncles: zeros(32),
  miner: ZERO,
  stateRoot: zeros(32),
  transactionsRoot: zeros(32),
  receiptsRoot: zeros(32),
  logsBloom: zeros(256),
  difficulty: "0x0",
  number: "0x0",
  gasLimit: "0x0",
  gasUsed: "0x0",
  timestamp: "0x0",
  extraData: "0x",
  mixHash: zeros(32),
  nonce: zeros(8),
};

/** @param asked takes each call, as `method block` where it names one */
export function guardNode(node: GuardNode = {}, asked: string[] = []): Rpc {
  const { chainId = CHAIN_ID, keys = [{ from: 1, address: SIGNER.address }], head = 9_000 } = node;
  const { span = 1e9, stateFrom = 0, trades = [], blocks = {}, code = "0x6001" } = node;
  const numberOf = (tag: string) => (tag === "latest" ? head : Number(tag));

  /** With a header that hashes to its hash where it has transactions. */
  async function block(number: number) {
    if (number > head || blocks[number] === null) return null;
    const { hash = id(`block ${number}`), timestamp = NOW - 2 + Math.floor((number - EVIDENCE_BLOCK) / 20) } =
      blocks[number] ?? {};
    const named = { number: hexNumber(number), hash, timestamp: hexNumber(timestamp) };
    const receipts = receiptsIn(number);
    if (receipts.length === 0) return { ...named, transactions: [] };
    const members = { ...BARE_HEADER, ...named, receiptsRoot: receiptsRoot(receipts) };
    const ordered = Object.keys(BARE_HEADER) as (keyof typeof members)[];
    const rlp = RLP.encode(ordered.map((member) => (members[member] === "0x0" ? "0x" : members[member])));
    const transactions = receipts.map(({ transactionHash }) => transactionHash);
    return { ...members, hash: keccak256(rlp), transactions };
  }

  /** In the order of the trades. */
  function receiptsIn(number: number) {
    const hashes = executed().map(({ transactionHash }) => transactionHash);
    const all = [...new Set([...hashes, REVERTED])].flatMap((hash) => receiptOf(hash) ?? []);
    return all.filter(({ blockNumber }) => Number(blockNumber) === number);
  }

  /** Everything in range, filtered or not: the verifier must not lean on the filter. */
  function logs(from: number, to: number) {
    if (to - from + 1 > span) throw new RpcRefused("block range is too large");
    const rotations = keys.map(({ from: at, address }, index) => ({
      address: GUARD.toLowerCase(),
      topics: [ROTATED, word(keys[index - 1]?.address ?? ZERO), word(address)],
      data: "0x",
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
      topics: [
        EXECUTED,
        jobIdHash(trade.jobId ?? "job_9f2c"),
        word(trade.owner ?? OWNER),
        trade.evidenceHash,
      ],
      data: encodeAbiParameters(
        [{ type: "bytes32" }, { type: "uint256" }, { type: "uint256" }],
        [
          asViem(trade.intentHash ?? id("intent")),
          trade.spent ?? 1_000_000_000n,
          trade.received ?? 3_980_000_000_000_000_000n,
        ],
      ),
      blockNumber: hexNumber(trade.block),
      transactionHash: id(`transaction ${trade.sharing ?? index}`),
    }));
  }

  /** A transaction that is not there has none. */
  function receiptOf(hash: string) {
    const logs = executed().filter(({ transactionHash }) => transactionHash === hash);
    const [first] = logs;
    if (first === undefined && hash !== REVERTED) return null;
    const blockNumber = first?.blockNumber ?? hexNumber(head);
    const status = hash === REVERTED ? "0x0" : "0x1";
    const [type, cumulativeGasUsed, logsBloom] = ["0x2", "0x5208", `0x${"00".repeat(256)}`];
    return { transactionHash: hash, type, status, cumulativeGasUsed, logsBloom, blockNumber, logs };
  }

  async function receipt(hash: string) {
    const own = receiptOf(hash);
    return own && { ...own, blockHash: (await block(Number(own.blockNumber)))?.hash };
  }

  async function blockOfHash(hash: string) {
    const numbers = [head, ...trades.map((trade) => trade.block)];
    const found = await Promise.all(numbers.map(block));
    return found.find((one) => one?.hash === hash) ?? null;
  }

  function signerAt(number: number): string {
    if (number < stateFrom) throw new RpcRefused("missing trie node");
    const key = keys.findLast(({ from }) => from <= number);
    return key === undefined ? "0x" : word(key.address);
  }

  const methods: Record<string, (...params: any[]) => unknown> = {
    eth_chainId: () => hexNumber(chainId),
    eth_blockNumber: () => hexNumber(head),
    eth_getBlockByNumber: (number) => block(Number(number)),
    eth_getBlockByHash: blockOfHash,
    eth_getBlockReceipts: (number) =>
      Promise.all(receiptsIn(Number(number)).map(({ transactionHash }) => receipt(transactionHash))),
    eth_getCode: (address) => (address === GUARD && !node.guardMissing ? code : "0x"),
    eth_call({ to, data }, tag) {
      // By hash (EIP-1898): what a report observed is asked for so, and this node has forgotten it.
      if (typeof tag === "object") throw new RpcRefused("missing trie node");
      if (to !== GUARD || node.guardMissing || data !== id("signer()").slice(0, 10)) return "0x";
      return signerAt(numberOf(tag));
    },
    eth_getLogs: ({ fromBlock, toBlock }) => logs(numberOf(fromBlock), numberOf(toBlock)),
    eth_getTransactionReceipt: receipt,
    eth_getTransactionByHash: transaction,
  };
  return async (method, params: any[]) => {
    asked.push(method);
    const answer = methods[method];
    if (answer === undefined) throw new RpcRefused(`no method ${method}`);
    return answer(...params);
  };

  async function transaction(hash: string) {
    const trade = trades.find((_, index) => id(`transaction ${index}`) === hash);
    const to = trade?.through === undefined ? GUARD.toLowerCase() : trade.through;
    if (trade?.version === undefined) return { to, input: "0xdeadbeef" };
    const { execution } = await prepared(soundReport());
    const { message } = execution.certificate;
    const certificate = {
      ...message,
      evidenceHash: trade.evidenceHash,
      reportVersion: String(trade.version),
    };
    const ownerSignature = trade.relayed ? "0x33" : "0x";
    const args: any = [execution.tradeIntent.message, certificate, "0x11", ownerSignature, "0x22"];
    return { to, input: ABI.encodeFunctionData("execute", args) };
  }
}
