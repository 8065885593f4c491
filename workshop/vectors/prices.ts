/** Vectors of signed prices: proofs that hold, that are broken in one place, and that this reader does not know. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { concatBytes } from "@noble/hashes/utils.js";
import { id } from "ethers";
import type { Facts, PriceProof } from "../../attestor/evidence/facts.ts";
import { fromHex, toHex } from "../../attestor/evm/hash.ts";
import { policyById } from "../../attestor/policies/policy.ts";
import {
  encodeAccumulator,
  parseAccumulator,
  rootPayload,
} from "../../attestor/publishers/pyth/accumulator.ts";
import { PYTH, priceProofOf } from "../../attestor/publishers/pyth/pyth.ts";
import { SPACES } from "../../attestor/publishers/pyth/vaa.ts";
import { parseRegistry } from "../../attestor/registry.ts";
import { addressOf, assetKeyOf } from "../../attestor/values/primitives.ts";
import { localSigners, signedMessage, signedUpdate } from "../../devnet/hermes/update.ts";
import {
  CHAIN_ID,
  facts,
  judgement,
  NOW,
  REGISTRY,
  reading,
  withSigner,
} from "../../test/attestor/fixtures.ts";
import { bareReport } from "./bare.ts";
import { type Candidate, candidateOf } from "./candidate.ts";

type Reading = Facts["references"][number];

const FEED = id("a feed of the vectors");
const FEEDS = [FEED, id("another feed"), id("a third feed")].map((feedId, index) => ({
  feedId,
  price: 20_000_000n + BigInt(index),
  confidence: 4_000n,
  exponent: -5,
  publishedAt: NOW - 3,
}));

const SAID = { provider: "pyth", price: "200", confidence: "0.04", publishedAt: NOW - 3 };
const signed = (proof: PriceProof | null, overrides: Partial<Reading> = {}): Reading =>
  reading({ ...SAID, proof, ...overrides });

export function priceDocuments(): Candidate[] {
  const sound = priceProofOf(signedUpdate(FEEDS, NOW - 2), FEED)!;
  return [
    ...brokenProofs(sound).map(([name, proof]) => documentOf(name, [signed(proof)])),
    ...unknownProofs(sound).map(([name, proof]) => documentOf(name, [signed(proof)])),
    ...saidOtherwise(sound),
    ...realPrices(),
    documentOf("a signed price and one that is broken", [
      signed(sound),
      signed({ ...sound, data: `${sound.data}00` }, { provider: "pyth too" }),
    ]),
    documentOf("a settlement price that is signed", [], { settlement: [signed(sound)] }),
  ];
}

const proofOf = (data: Uint8Array): PriceProof => ({ format: PYTH.format, data: toHex(data) });

function withByte(data: string, at: number, bend: (byte: number) => number): PriceProof {
  const bytes = fromHex(data);
  const place = at < 0 ? bytes.length + at : at;
  bytes[place] = bend(bytes[place]!) & 0xff;
  return proofOf(bytes);
}

/** Where the first signature stands: behind the update's head, the length, version, set and count. */
const FIRST_SIGNATURE = 8 + 2 + 6;
const SIGNATURE = 66;

function brokenProofs({ data }: PriceProof): [string, PriceProof][] {
  const bytes = fromHex(data);
  const head = bytes.slice(0, FIRST_SIGNATURE);
  const signatures = [0, 1, 2].map((n) =>
    bytes.slice(FIRST_SIGNATURE + n * SIGNATURE, FIRST_SIGNATURE + (n + 1) * SIGNATURE),
  ) as [Uint8Array, Uint8Array, Uint8Array];
  const rest = bytes.slice(FIRST_SIGNATURE + 3 * SIGNATURE);
  const [first, second, third] = signatures;
  const local = localSigners();
  const payload = rootPayload(new Uint8Array(20), BigInt(NOW) * 20n);
  const elsewhere = (emitter: { chain: number; address: string }) =>
    proofOf(replacedVaa(bytes, signedMessage(payload, NOW, local, emitter)));
  return [
    ["a byte of the first signature changed", withByte(data, FIRST_SIGNATURE + 10, (byte) => byte ^ 1)],
    ["another recovery of the first signature", withByte(data, FIRST_SIGNATURE + 65, (byte) => byte ^ 1)],
    ["a recovery of 27", withByte(data, FIRST_SIGNATURE + 65, (byte) => byte + 27)],
    ["two signatures in the other order", proofOf(concatBytes(head, second, first, third, rest))],
    ["one signature twice", proofOf(concatBytes(head, first, first, third, rest))],
    ["one signature less than the quorum", withSignatures(bytes, [first, second])],
    ["a signer that is not in the set", withByte(data, FIRST_SIGNATURE + 2 * SIGNATURE, () => 9)],
    ["another version", withByte(data, 4, () => 2)],
    ["a byte behind the path", { format: PYTH.format, data: `${data}00` }],
    ["the last byte of the path missing", { format: PYTH.format, data: data.slice(0, -2) }],
    ["another last step of the path", withByte(data, -1, (byte) => byte ^ 1)],
    ["a price that was not signed", withPrice(bytes)],
    ["another root signed", proofOf(replacedVaa(bytes, signedMessage(payload, NOW, local)))],
    ["another chain's emitter", elsewhere({ chain: 1, address: SPACES.pyth.emitter })],
    ["another emitter", elsewhere({ chain: 26, address: id("an emitter") })],
    ["a price below zero", soundOf({ price: -1n })],
    ["an exponent of 19", soundOf({ exponent: 19 })],
    ["a time before 1970", soundOf({ publishedAt: -1 })],
  ];
}

const soundOf = (changes: Partial<(typeof FEEDS)[0]>): PriceProof =>
  proofOf(signedUpdate([{ ...FEEDS[0]!, ...changes }], NOW - 2));

function withSignatures(bytes: Uint8Array, signatures: readonly Uint8Array[]): PriceProof {
  const { vaa, messages } = parseAccumulator(bytes);
  const body = vaa.slice(6 + 3 * SIGNATURE);
  const fewer = concatBytes(vaa.slice(0, 5), Uint8Array.of(signatures.length), ...signatures, body);
  return proofOf(encodeAccumulator({ vaa: fewer, messages }));
}

function replacedVaa(bytes: Uint8Array, vaa: Uint8Array): Uint8Array {
  const { messages } = parseAccumulator(bytes);
  return encodeAccumulator({ vaa, messages });
}

function withPrice(bytes: Uint8Array): PriceProof {
  const { vaa, messages } = parseAccumulator(bytes);
  const changed = messages.map(({ message, path }) => {
    const copy = message.slice();
    // Behind the kind and the feed's id, the last byte of the price.
    copy[1 + 32 + 7]! ^= 1;
    return { message: copy, path };
  });
  return proofOf(encodeAccumulator({ vaa, messages: changed }));
}

function unknownProofs({ data }: PriceProof): [string, PriceProof][] {
  const stranger = { ...localSigners(), index: 77 };
  return [
    ["a format that nobody knows", { format: "somebody-elses", data }],
    ["a set of signers that nobody knows", priceProofOf(signedUpdate(FEEDS, NOW - 2, stranger), FEED)!],
  ];
}

/** Signed, and the evidence says otherwise. */
function saidOtherwise(sound: PriceProof): Candidate[] {
  const others: [string, Partial<Reading>][] = [
    ["another price", { price: "200.01" }],
    ["the price with a needless zero", { price: "200.0" }],
    ["no confidence", { confidence: null }],
    ["another time", { publishedAt: NOW - 4 }],
    ["another provider", { provider: "desk" }],
    ["a last close", { kind: "close" }],
  ];
  return [
    documentOf("a price as it was signed", [signed(sound)]),
    ...others.map(([name, overrides]) =>
      documentOf(`signed, and stated as ${name}`, [signed(sound, overrides)]),
    ),
  ];
}

/** What Wormhole's guardians signed for Pyth, and what the local world's test keys are worth on another chain. */
function realPrices(): Candidate[] {
  const file = join(import.meta.dirname, "../../test/attestor/publishers/guardians.json");
  const { update } = JSON.parse(readFileSync(file, "utf8"));
  const [{ feedId, symbol: _, ...said }] = update.prices;
  const proof = priceProofOf(fromHex(update.data), feedId)!;
  const changed = withByte(proof.data, FIRST_SIGNATURE + 10, (byte) => byte ^ 1);
  const local = priceProofOf(signedUpdate(FEEDS, NOW - 2), FEED);
  return [
    documentOf("a price that Pyth's guardians signed", [signed(proof, said)]),
    documentOf("a price that Pyth's guardians signed, one byte changed", [signed(changed, said)]),
    documentOf("a price that Pyth's guardians signed, on BNB Smart Chain", [signed(proof, said)], {}, 56),
    documentOf("the local world's test keys on BNB Smart Chain", [signed(local)], {}, 56),
  ];
}

export function documentOf(
  name: string,
  references: Facts["references"],
  more: Partial<Facts> = {},
  chainId = CHAIN_ID,
  { capturedAt = NOW }: { capturedAt?: number } = {},
): Candidate {
  const plain = facts();
  const policy = policyById("STRICT_LIVE");
  const on = { chainId };
  const keyOn = (assetKey: string) => assetKeyOf(chainId, addressOf(assetKey));
  const registry = parseRegistry({
    ...REGISTRY,
    ...on,
    assets: REGISTRY.assets.map((asset) => ({ ...asset, ...on, assetKey: keyOn(asset.assetKey) })),
    routes: REGISTRY.routes.map((route) => ({ ...route, ...on })),
  });
  const own = judgement().intent;
  const { inputAssetKey, outputAssetKey } = own;
  const intent = { ...own, inputAssetKey: keyOn(inputAssetKey), outputAssetKey: keyOn(outputAssetKey) };
  const named = (readings: Facts["references"]) => readings.map((one) => withSigner(one, { chainId }));
  const report = bareReport(
    {
      session: plain.session,
      ...more,
      references: named(references),
      settlement: named(more.settlement ?? []),
      chain: { ...plain.chain, chainId },
    },
    { policy, capturedAt, registry, intent },
  );
  return candidateOf(`prices: ${name}`, report);
}
