/** The trie of a block's receipts, whose root is in the block's header. */
import { BranchMPTNode, ExtensionMPTNode, LeafMPTNode } from "@ethereumjs/mpt";
import { RLP } from "@ethereumjs/rlp";
import * as z from "zod";
import { fromHex, keccak256, toHex } from "../evm/hash.ts";
import { data, hex, quantity, quantityBytes } from "./header.ts";
import { EMPTY_ROOT } from "./trie.ts";

const Receipt = z.looseObject({
  type: quantity.default("0x0"),
  status: quantity,
  cumulativeGasUsed: quantity,
  logsBloom: hex(256),
  logs: z.array(z.looseObject({ address: hex(20), topics: z.array(hex(32)), data })),
});

interface Entry {
  /** Hexadecimal digits of the key. */
  readonly path: readonly number[];
  readonly value: Uint8Array;
}

/**
 * @param receipts all of a block in its order, as nodes answer them
 * @returns the root of their trie
 * @throws ZodError for what is no receipt since Byzantium
 */
export function receiptsRoot(receipts: readonly unknown[]): string {
  const entries = receipts.map((receipt, index) => ({
    path: Array.from(toHex(RLP.encode(index)).slice(2), (digit) => Number.parseInt(digit, 16)),
    value: encoded(receipt),
  }));
  return entries.length === 0 ? EMPTY_ROOT : keccak256(nodeOf(entries, 0).serialize());
}

/** By EIP-2718: the type in front of the RLP, and nothing in front where it is 0. */
function encoded(receipt: unknown): Uint8Array {
  const { type, status, cumulativeGasUsed, logsBloom, logs } = Receipt.parse(receipt);
  const rlp = RLP.encode([
    quantityBytes(status),
    quantityBytes(cumulativeGasUsed),
    fromHex(logsBloom),
    logs.map(({ address, topics, data: bytes }) => [fromHex(address), topics.map(fromHex), fromHex(bytes)]),
  ]);
  return Uint8Array.from([...quantityBytes(type), ...rlp]);
}

/** The node above these, whose paths share so many digits. No path begins with another: RLP says its own length. */
function nodeOf(entries: readonly Entry[], depth: number): BranchMPTNode | ExtensionMPTNode | LeafMPTNode {
  const [{ path, value }] = entries as [Entry];
  if (entries.length === 1) return new LeafMPTNode(path.slice(depth), value);
  let shared = depth;
  while (entries.every((entry) => entry.path[shared] === path[shared])) shared++;
  if (shared > depth) return new ExtensionMPTNode(path.slice(depth, shared), below(entries, shared));
  const branch = new BranchMPTNode();
  for (const digit of new Set(entries.map((entry) => entry.path[depth] as number))) {
    const own = entries.filter((entry) => entry.path[depth] === digit);
    branch.setBranch(digit, below(own, depth + 1));
  }
  return branch;
}

/** What a node points at is a node of its own where that is shorter than a hash. */
function below(entries: readonly Entry[], depth: number): Uint8Array {
  const node = nodeOf(entries, depth);
  const rlp = node.serialize();
  return rlp.length < 32 ? (node.raw() as unknown as Uint8Array) : fromHex(keccak256(rlp));
}
