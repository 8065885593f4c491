/** The trie of a block's receipts, whose root is in the block's header. */
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
  readonly path: string;
  readonly value: Uint8Array;
}

/**
 * @param receipts all of a block in its order, as nodes answer them
 * @returns the root of their trie
 * @throws ZodError for what is no receipt since Byzantium
 */
export function receiptsRoot(receipts: readonly unknown[]): string {
  const entries = receipts.map((receipt, index) => ({
    path: toHex(RLP.encode(index)).slice(2),
    value: encoded(receipt),
  }));
  return entries.length === 0 ? EMPTY_ROOT : keccak256(RLP.encode(nodeOf(entries, 0)));
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

/** What RLP writes of a node. */
type Members = (Uint8Array | Members)[];

/** The node above these, whose paths share so many digits. No path begins with another: RLP says its own length. */
function nodeOf(entries: readonly Entry[], depth: number): Members {
  const [{ path, value }] = entries as [Entry];
  if (entries.length === 1) return [prefixed(path.slice(depth), true), value];
  let shared = depth;
  while (entries.every((entry) => entry.path[shared] === path[shared])) shared++;
  if (shared > depth) return [prefixed(path.slice(depth, shared), false), below(entries, shared)];
  const children = Array.from("0123456789abcdef", (digit) => {
    const ofDigit = entries.filter((entry) => entry.path[depth] === digit);
    return ofDigit.length === 0 ? new Uint8Array() : below(ofDigit, depth + 1);
  });
  return [...children, new Uint8Array()];
}

/** A part of a path in bytes: its first digit says whether a leaf ends it, and whether its length is odd. */
function prefixed(digits: string, isLeaf: boolean): Uint8Array {
  const flag = isLeaf ? 2 : 0;
  return fromHex(digits.length % 2 === 0 ? `0x${flag}0${digits}` : `0x${flag + 1}${digits}`);
}

/** What a node points at is a node of its own where that is shorter than a hash. */
function below(entries: readonly Entry[], depth: number): Uint8Array | Members {
  const node = nodeOf(entries, depth);
  const rlp = RLP.encode(node);
  return rlp.length < 32 ? node : fromHex(keccak256(rlp));
}
