/** The header of a block: its RLP, which hashes to the block's name, and what of it a proof needs. */
import { RLP } from "@ethereumjs/rlp";
import * as z from "zod";
import type { ChainFacts } from "../evidence/facts.ts";
import { fromHex, keccak256, toHex } from "../evm/hash.ts";

export const hex = (bytes: number) => z.string().regex(new RegExp(`^0x[0-9a-f]{${2 * bytes}}$`));
export const data = z.string().regex(/^0x([0-9a-f]{2})*$/);
/** As nodes write numbers: without leading zeros. */
export const quantity = z.string().regex(/^0x(0|[1-9a-f][0-9a-f]{0,63})$/);

/** The members of a header in the order of its RLP. Each fork added some at the end. */
const MEMBERS = [
  ["parentHash", hex(32)],
  ["sha3Uncles", hex(32)],
  ["miner", hex(20)],
  ["stateRoot", hex(32)],
  ["transactionsRoot", hex(32)],
  ["receiptsRoot", hex(32)],
  ["logsBloom", hex(256)],
  ["difficulty", quantity],
  ["number", quantity],
  ["gasLimit", quantity],
  ["gasUsed", quantity],
  ["timestamp", quantity],
  ["extraData", data],
  ["mixHash", hex(32)],
  ["nonce", hex(8)],
] as const;
const OF_FORKS = [
  ["baseFeePerGas", quantity],
  ["withdrawalsRoot", hex(32)],
  ["blobGasUsed", quantity],
  ["excessBlobGas", quantity],
  ["parentBeaconBlockRoot", hex(32)],
  ["requestsHash", hex(32)],
] as const;

const AT = { stateRoot: 3, receiptsRoot: 5, number: 8, timestamp: 11 } as const;

export type Header = NonNullable<ReturnType<typeof readHeader>>;

/**
 * @param rlp 0x-hex, of anything
 * @returns null for what is no header
 */
export function readHeader(rlp: string) {
  try {
    const members = RLP.decode(fromHex(rlp));
    if (!Array.isArray(members) || members.length < MEMBERS.length) return null;
    const member = (index: number): Uint8Array => {
      const value = members[index];
      if (!(value instanceof Uint8Array)) throw new Error("a list");
      return value;
    };
    const [stateRoot, receiptsRoot] = [toHex(member(AT.stateRoot)), toHex(member(AT.receiptsRoot))];
    const [number, timestamp] = [uintOf(member(AT.number)), uintOf(member(AT.timestamp))];
    if (![stateRoot, receiptsRoot].every((root) => root.length === 66)) return null;
    if (number === null || timestamp === null) return null;
    return { hash: keccak256(rlp), stateRoot, receiptsRoot, number, timestamp };
  } catch {
    // RLP of something else, or none.
    return null;
  }
}

/** Whether the header is the one of the block that the evidence was read at. */
export function isHeaderOf(
  { hash, number, timestamp }: Header,
  {
    blockHash,
    blockNumber,
    blockTimestamp,
  }: Pick<ChainFacts, "blockHash" | "blockNumber" | "blockTimestamp">,
): boolean {
  return hash === blockHash && number === blockNumber && timestamp === blockTimestamp;
}

/** Null beyond what a number of this program's documents can be. */
function uintOf(bytes: Uint8Array): number | null {
  const value = bytes.length > 8 ? null : Number(BigInt(bytes.length === 0 ? "0x0" : toHex(bytes)));
  return value !== null && Number.isSafeInteger(value) ? value : null;
}

/**
 * The RLP of a block's header, from what a node answers to `eth_getBlockByHash` or `eth_getBlockByNumber`.
 * @returns null where a member is missing, or the RLP does not hash to the block's hash: a header of a fork or a chain
 *   that is not known here
 */
export function headerOf(block: unknown): string | null {
  if (typeof block !== "object" || block === null) return null;
  const given = block as Record<string, unknown>;
  const fields: Uint8Array[] = [];
  for (const [name, form] of MEMBERS) {
    const value = form.safeParse(given[name]);
    if (!value.success) return null;
    fields.push(form === quantity ? quantityBytes(value.data) : fromHex(value.data));
  }
  for (const [name, form] of OF_FORKS) {
    // What comes later in the list is there only if this is.
    if (given[name] === undefined || given[name] === null) break;
    const value = form.safeParse(given[name]);
    if (!value.success) return null;
    fields.push(form === quantity ? quantityBytes(value.data) : fromHex(value.data));
  }
  const rlp = toHex(RLP.encode(fields));
  return keccak256(rlp) === given.hash ? rlp : null;
}

/** RLP writes a number without leading zeros, and zero as nothing. */
export function quantityBytes(value: string): Uint8Array {
  if (value === "0x0") return new Uint8Array();
  return fromHex(value.length % 2 === 0 ? value : `0x0${value.slice(2)}`);
}
