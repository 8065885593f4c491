/** Proofs with something changed, as chance or a forger would change them. */
import { concatBytes } from "@noble/hashes/utils.js";
import {
  type AccumulatorUpdate,
  encodeAccumulator,
  parseAccumulator,
} from "../../../attestor/publishers/pyth/accumulator.ts";

export type Random = () => number;

/** Same seed, same numbers from 0 to 1. */
export function seeded(seed: number): Random {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

const below = (random: Random, end: number) => Math.floor(random() * end);
const byte = (random: Random) => below(random, 256);

type Mutation = (proof: Uint8Array, other: Uint8Array, random: Random) => Uint8Array;

/** As it was where there is no such place. */
const changed = (bytes: Uint8Array, place: number, value: number): Uint8Array =>
  place < bytes.length ? bytes.with(place, value & 0xff) : bytes.slice();

/** Of the bytes, regardless of their meaning. */
const OF_BYTES: readonly Mutation[] = [
  (proof, _, random) => {
    const place = below(random, proof.length);
    return changed(proof, place, proof[place]! ^ (1 << below(random, 8)));
  },
  (proof, _, random) => changed(proof, below(random, proof.length), byte(random)),
  (proof, _, random) => proof.subarray(0, below(random, proof.length)),
  (proof, _, random) => {
    const place = below(random, proof.length + 1);
    const more = Uint8Array.from({ length: 1 + below(random, 70) }, () => byte(random));
    return concatBytes(proof.subarray(0, place), more, proof.subarray(place));
  },
  (proof, _, random) => {
    const place = below(random, proof.length);
    return concatBytes(proof.subarray(0, place), proof.subarray(place + 1 + below(random, 70)));
  },
  (proof, _, random) => {
    const [from, to] = [below(random, proof.length), below(random, proof.length)];
    const copy = proof.slice();
    copy.copyWithin(to, from, from + 1 + below(random, 70));
    return copy;
  },
  (proof, other, random) => {
    const place = below(random, Math.min(proof.length, other.length));
    return concatBytes(proof.subarray(0, place), other.subarray(place));
  },
  // Headers and lengths come first.
  (proof, _, random) => changed(proof, below(random, 16), byte(random)),
];

/** Of what the bytes mean: every length stays right. */
const OF_PARTS: readonly ((own: Parts, other: Parts, random: Random) => Parts)[] = [
  ({ vaa, message, path }, _, random) => {
    const place = below(random, vaa.length);
    return { vaa: changed(vaa, place, vaa[place]! ^ (1 << below(random, 8))), message, path };
  },
  ({ vaa, message, path }, _, random) => {
    const place = below(random, message.length);
    return { vaa, message: changed(message, place, byte(random)), path };
  },
  ({ vaa, message, path }, _, random) => {
    const place = below(random, path.length);
    const node = path[place] ?? new Uint8Array(20);
    return { vaa, message, path: path.with(place, changed(node, below(random, 20), byte(random))) };
  },
  ({ vaa, message, path }) => ({ vaa, message, path: path.slice(1) }),
  ({ vaa, message, path }, _, random) => ({
    vaa,
    message,
    path: [...path, vaa.slice(below(random, 20)).slice(0, 20)],
  }),
  ({ vaa, path }, other) => ({ vaa, message: other.message, path }),
  ({ message, path }, other) => ({ vaa: other.vaa, message, path }),
  // Signatures in another order, one of them twice, one fewer by their count.
  ({ vaa, message, path }, _, random) => {
    const count = vaa[5]!;
    const [from, to] = [below(random, count), below(random, count)];
    const copy = vaa.slice();
    copy.copyWithin(6 + 66 * to, 6 + 66 * from, 6 + 66 * (from + 1));
    return { vaa: copy, message, path };
  },
  ({ vaa, message, path }) => ({
    vaa: concatBytes(vaa.subarray(0, 5), Uint8Array.of(vaa[5]! - 1), vaa.subarray(6 + 66)),
    message,
    path,
  }),
];

interface Parts {
  readonly vaa: Uint8Array;
  readonly message: Uint8Array;
  readonly path: readonly Uint8Array[];
}

function partsOf(proof: Uint8Array): Parts {
  const { vaa, messages } = parseAccumulator(proof);
  const [{ message, path }] = messages as [AccumulatorUpdate["messages"][number]];
  return { vaa, message, path };
}

/** A changed proof; now and then one that is the same again. @param other a sound proof to mix it with */
export function mutated(proof: Uint8Array, other: Uint8Array, random: Random): Uint8Array {
  if (random() < 0.6) return OF_BYTES[below(random, OF_BYTES.length)]!(proof, other, random);
  const mutation = OF_PARTS[below(random, OF_PARTS.length)]!;
  const { vaa, message, path } = mutation(partsOf(proof), partsOf(other), random);
  return encodeAccumulator({ vaa, messages: [{ message, path }] });
}
