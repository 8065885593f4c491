/**
 * Proofs of the state that a piece of evidence was read from. They are the header of its block and the trie nodes
 * from its state root to every claimed storage slot, each node once. One state has one form: accounts and keys
 * ascend, nodes are in the order in which a reader needs them, and none is unused.
 */

import { RLP } from "@ethereumjs/rlp";
import * as z from "zod";
import { fromHex, keccak256, toHex } from "../evm/hash.ts";
import { canonicalHash } from "../values/canonical.ts";
import { ascending } from "../values/order.ts";
import { Address, Bytes32 } from "../values/primitives.ts";
import { type Header, readHeader } from "./header.ts";
import { type SlotKey, storedWord } from "./layout.ts";
import { BrokenProof, type Nodes, valueAt } from "./trie.ts";

export const PROOFS_SCHEMA = "assay.proofs/1";

const Hex = z.string().regex(/^0x([0-9a-f]{2})+$/);
/** Guard, Safe, module, token, and five pools. */
const MAX_ACCOUNTS = 9;
const MAX_KEYS = 1_024;
/** Headers have some 600 bytes. */
const MAX_HEADER_BYTES = 4_096;
/** What a branch with sixteen hashes takes, and a leaf with room to spare. */
const MAX_NODE_BYTES = 1_024;
const MAX_NODES = 4_096;
/** Of all nodes together. Evidence that needs more has no proofs. */
const MAX_PROOF_BYTES = 262_144;

export const Proofs = z
  .strictObject({
    schema: z.literal(PROOFS_SCHEMA),
    /** RLP of the block's header. */
    header: Hex.max(2 + 2 * MAX_HEADER_BYTES),
    /** Whose storage is proved, and which slots of it. More than the evidence speaks of may be proved. */
    accounts: z
      .array(z.strictObject({ address: Address, keys: z.array(Bytes32).max(MAX_KEYS) }))
      .min(1)
      .max(MAX_ACCOUNTS),
    /** RLP of the trie nodes. */
    nodes: z.array(Hex.max(2 + 2 * MAX_NODE_BYTES)).max(MAX_NODES),
  })
  .refine(({ nodes }) => bytesOf(nodes) <= MAX_PROOF_BYTES, `holds more than ${MAX_PROOF_BYTES} bytes`)
  .meta({
    id: "Proofs",
    description:
      "Merkle proofs, from the header of the evidence's block to the storage that it was read from. `evidence.proofs.hash` is the keccak256 of this member's canonical JSON",
  });
export type Proofs = z.infer<typeof Proofs>;

function bytesOf(nodes: readonly string[]): number {
  return nodes.reduce((sum, node) => sum + (node.length - 2) / 2, 0);
}

/** keccak256 of the canonical JSON: what `evidence.proofs.hash` names. */
export const proofsHash = (proofs: Proofs): string => canonicalHash(proofs);

/** Storage slots by account, EIP-55. */
export type Slots = ReadonlyMap<string, ReadonlySet<SlotKey>>;

/** What proofs prove, given that the block is the chain's. */
export interface ProvedState {
  readonly header: Header;
  /** A word of an account's storage; undefined where it is not proved. */
  word(address: string, key: SlotKey): bigint | undefined;
}

/**
 * Puts proofs together from what a node said.
 * @param header RLP
 * @param answeredNodes RLP nodes, in any order and any number of times
 * @throws BrokenProof where they do not prove all slots, or take more room than there is
 */
export function assembleProofs(header: string, slots: Slots, answeredNodes: Iterable<string>): Proofs {
  const read = readHeader(header);
  if (read === null) throw new BrokenProof("the header does not parse");
  const nodes = new Map([...answeredNodes].map((node) => [keccak256(node), node]));
  const accounts = [...slots]
    .map(([address, keys]) => ({ address, keys: [...keys].sort() }))
    .sort((a, b) => ascending(a.address.toLowerCase(), b.address.toLowerCase()));
  const { used } = walk(read, accounts, nodes);
  const proofs = Proofs.safeParse({ schema: PROOFS_SCHEMA, header, accounts, nodes: used });
  if (!proofs.success) throw new BrokenProof(z.prettifyError(proofs.error));
  return proofs.data;
}

/**
 * What proofs prove.
 * @throws BrokenProof where a node is missing, there for nothing, in another place than its own, or is none
 */
export function provedState(proofs: Proofs): ProvedState {
  const header = readHeader(proofs.header);
  if (header === null) throw new BrokenProof("the header does not parse");
  const addresses = proofs.accounts.map(({ address }) => address.toLowerCase());
  if (!isAscending(addresses) || !proofs.accounts.every(({ keys }) => isAscending(keys)))
    throw new BrokenProof("accounts or keys are out of order or duplicated");
  const nodes = new Map(proofs.nodes.map((node) => [keccak256(node), node]));
  const { used, words } = walk(header, proofs.accounts, nodes);
  if (used.length !== proofs.nodes.length || used.some((node, index) => node !== proofs.nodes[index]))
    throw new BrokenProof("a node is unused, duplicated or out of order");
  return { header, word: (address, key) => words.get(address)?.get(key) };
}

const isAscending = (list: readonly string[]): boolean =>
  list.every((item, index) => index === 0 || (list[index - 1] as string) < item);

type Words = Map<string, Map<SlotKey, bigint>>;

/** @returns every word, and the nodes in the order in which they were needed first */
function walk(header: Header, accounts: Proofs["accounts"], given: ReadonlyMap<string, string>) {
  const used = new Map<string, { readonly node: string; readonly bytes: Uint8Array }>();
  const nodes: Nodes = {
    get(hash) {
      const before = used.get(hash);
      if (before !== undefined) return before.bytes;
      const node = given.get(hash);
      if (node === undefined) return undefined;
      const bytes = fromHex(node);
      used.set(hash, { node, bytes });
      return bytes;
    },
  };
  const words: Words = new Map();
  for (const { address, keys } of accounts) {
    const storageRoot = storageRootOf(valueAt(header.stateRoot, address, nodes));
    const storage = new Map<SlotKey, bigint>();
    for (const key of keys)
      storage.set(key, storageRoot === null ? 0n : storedWord(stored(valueAt(storageRoot, key, nodes))));
    words.set(address, storage);
  }
  return { used: [...used.values()].map(({ node }) => node), words };
}

/** @returns null for an account that is not there */
function storageRootOf(account: Uint8Array | null): string | null {
  if (account === null) return null;
  const [, , root] = rlpList(account);
  if (!(root instanceof Uint8Array) || root.length !== 32) throw new BrokenProof("an account does not parse");
  return toHex(root);
}

function rlpList(bytes: Uint8Array): unknown[] {
  const list = rlp(bytes);
  if (!Array.isArray(list)) throw new BrokenProof("an account does not parse");
  return list;
}

function stored(value: Uint8Array | null): Uint8Array | null {
  if (value === null) return null;
  const word = rlp(value);
  if (!(word instanceof Uint8Array) || word.length > 32) throw new BrokenProof("a word does not parse");
  return word;
}

function rlp(bytes: Uint8Array): unknown {
  try {
    return RLP.decode(bytes);
  } catch (error) {
    throw new BrokenProof(`a value does not parse: ${(error as Error).message}`);
  }
}
