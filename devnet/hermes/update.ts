/**
 * Prices of the local world, signed by test keys in the format of Pyth's routers. Three of five accounts of the published
 * mnemonic sign, so that these signatures prove nothing on any other chain.
 */
import { secp256k1 } from "@noble/curves/secp256k1.js";
import { keccak_256 } from "@noble/hashes/sha3.js";
import { concatBytes } from "@noble/hashes/utils.js";
import { getBytes, solidityPacked } from "ethers";
import { fromHex } from "../../attestor/evm/hash.ts";
import { LOCAL_SIGNER_SET } from "../../attestor/publishers/publisherKeys.ts";
import {
  encodeAccumulator,
  leafHash,
  nodeHash,
  type ProvenMessage,
  rootPayload,
} from "../../attestor/publishers/pyth/accumulator.ts";
import { PYTHNET_CHAIN, SLOTS_A_SECOND } from "../../attestor/publishers/pyth/pyth.ts";
import { SPACES } from "../../attestor/publishers/pyth/vaa.ts";
import { localAccounts } from "../accounts.ts";

/** One feed's price, `price * 10^exponent` US dollars. */
export interface PublishedPrice {
  readonly feedId: string;
  readonly price: bigint;
  /** Half-width of the confidence interval, in the same units. */
  readonly confidence: bigint;
  readonly exponent: number;
  /** Unix seconds. */
  readonly publishedAt: number;
}

/** The signers and the index of their set. */
export type Signers = ReturnType<typeof localSigners>;

/** As many of the local set as its quorum. */
export function localSigners() {
  const { index, signers } = LOCAL_SIGNER_SET;
  const quorum = SPACES.pyth.quorum(signers.length);
  return {
    index,
    /** In the order of the set; the first of them sign. */
    privateKeys: localAccounts()
      .routers.slice(0, quorum)
      .map(({ privateKey }) => privateKey),
  };
}

/**
 * An accumulator update of these prices, as Hermes hands it out.
 * @param prices at least one
 * @param at unix seconds of the signing
 */
export function signedUpdate(
  prices: readonly PublishedPrice[],
  at: number,
  signers: Signers = localSigners(),
): Uint8Array {
  const { root, messages } = merkleTree(prices.map(priceMessage));
  const payload = rootPayload(root, BigInt(at) * SLOTS_A_SECOND);
  return encodeAccumulator({ vaa: signedMessage(payload, at, signers), messages });
}

const packed = (types: readonly string[], values: readonly unknown[]): Uint8Array =>
  getBytes(solidityPacked(types, values));

/** Average and time of the price before say the same as the price. */
function priceMessage({ feedId, price, confidence, exponent, publishedAt }: PublishedPrice): Uint8Array {
  return packed(
    ["uint8", "bytes32", "int64", "uint64", "int32", "int64", "int64", "int64", "uint64"],
    [0, feedId, price, confidence, exponent, publishedAt, publishedAt, price, confidence],
  );
}

/** What fills the tree up to a power of two. */
const NOTHING = keccak_256(Uint8Array.of(2)).subarray(0, 20);

function merkleTree(messages: readonly Uint8Array[]): {
  root: Uint8Array;
  messages: ProvenMessage[];
} {
  const size = 2 ** Math.ceil(Math.log2(messages.length));
  let level = Array.from({ length: size }, (_, index) => {
    const message = messages[index];
    return message === undefined ? NOTHING : leafHash(message);
  });
  const paths: Uint8Array[][] = messages.map(() => []);
  for (let height = 0; level.length > 1; height++) {
    paths.forEach((path, index) => {
      path.push(level[(index >> height) ^ 1]!);
    });
    level = Array.from({ length: level.length / 2 }, (_, pair) =>
      nodeHash(level[2 * pair]!, level[2 * pair + 1]!),
    );
  }
  return { root: level[0]!, messages: messages.map((message, index) => ({ message, path: paths[index]! })) };
}

/** A message of the routers with this payload. @param at unix seconds */
export function signedMessage(
  payload: Uint8Array,
  at: number,
  { index, privateKeys }: Signers,
  emitter: { readonly chain: number; readonly address: string } = {
    chain: PYTHNET_CHAIN,
    address: SPACES.pyth.emitter,
  },
): Uint8Array {
  const sequence = BigInt(at) * SLOTS_A_SECOND;
  const body = packed(
    // Time, nonce, emitter, sequence, consistency.
    ["uint32", "uint32", "uint16", "bytes32", "uint64", "uint8", "bytes"],
    [at, 0, emitter.chain, emitter.address, sequence, 0, payload],
  );
  const digest = keccak_256(keccak_256(body));
  const signatures = privateKeys.map((key, place) => {
    const [recovery, ...compact] = secp256k1.sign(digest, fromHex(key), {
      prehash: false,
      format: "recovered",
    });
    return Uint8Array.of(place, ...compact, recovery!);
  });
  return concatBytes(
    packed(["uint8", "uint32", "uint8"], [1, index, signatures.length]),
    ...signatures,
    body,
  );
}
