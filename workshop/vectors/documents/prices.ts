/** Step `signatures`: prices with a publisher's signatures that hold, that are broken in one place, or nobody knows. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { concatBytes } from "@noble/hashes/utils.js";
import { id } from "ethers";
import type { Facts, PriceProof } from "../../../attestor/evidence/facts.ts";
import { fromHex, toHex } from "../../../attestor/evm/hash.ts";
import { CHAINLINK } from "../../../attestor/publishers/chainlink/chainlink.ts";
import { KNOWN_KEYS } from "../../../attestor/publishers/publisherKeys.ts";
import { checkPriceProof, PUBLISHERS } from "../../../attestor/publishers/publishers.ts";
import {
  encodeAccumulator,
  parseAccumulator,
  rootPayload,
} from "../../../attestor/publishers/pyth/accumulator.ts";
import { PYTH, priceProofOf } from "../../../attestor/publishers/pyth/pyth.ts";
import { SPACES } from "../../../attestor/publishers/pyth/vaa.ts";
import { localSigners, signedMessage, signedUpdate } from "../../../devnet/hermes/update.ts";
import { CHAIN_ID, NOW, reading, withSigner } from "../../../test/attestor/fixtures.ts";
import { signedReport } from "../../../test/support/providers/dataStreams.ts";
import { type Expected, type Row, rowsByReader, rowsOfBends, SMALL_AND_SOUND, smallRow } from "./rows.ts";
import type { Changes } from "./service.ts";

type Reading = Facts["references"][number];

interface Circumstances {
  readonly chainId?: number;
  /** Seconds from the signatures to the judgement. */
  readonly late?: number;
  readonly session?: Facts["session"];
}
/** A report on that price, and what a verification comes to. */
type Case = readonly [name: string, proof: PriceProof, expected: Expected, circumstances?: Circumstances];

const SOUND = SMALL_AND_SOUND;
const BROKEN = "INVALID signatures proof_broken";
const UNKNOWN = "UNVERIFIABLE signatures signers_unknown";

const LATE = 2;
/** Where nothing can be read out of a proof. */
const UNREAD = { price: "200", confidence: "0.04", publishedAt: NOW - 3, signedAt: NOW - 2 };

/** What is signed, as far as it can be read. */
function signedIn(proof: PriceProof, chainId = CHAIN_ID) {
  const check = checkPriceProof(proof, KNOWN_KEYS, chainId);
  return check.outcome === "broken" || check.price === null ? UNREAD : check.price;
}

/** A price that the service states with this proof. */
function priced(proof: PriceProof, { chainId = CHAIN_ID, late = LATE }: Circumstances = {}): Reading {
  const { price, confidence, publishedAt, signedAt } = signedIn(proof, chainId);
  const publisher = PUBLISHERS.find(({ format }) => format === proof.format);
  const provider = publisher?.provider ?? "pyth";
  const made = reading({
    provider,
    price,
    confidence,
    publishedAt,
    receivedAt: signedAt + late,
    proof,
  });
  return withSigner(made, { chainId });
}

function rowsOf(cases: readonly Case[]): Row[] {
  return cases.map(([name, proof, expected, circumstances = {}]) => {
    const { chainId = CHAIN_ID, late = LATE, session } = circumstances;
    const made: Changes = {
      chainId,
      at: signedIn(proof, chainId).signedAt + late,
      facts(facts) {
        facts.references = [priced(proof, circumstances)];
        if (session !== undefined) facts.session = session;
      },
    };
    return smallRow(`prices: ${name}`, made, expected);
  });
}

const FEED = id("a feed of the vectors");
const FEEDS = [FEED, id("another feed"), id("a third feed")].map((feedId, index) => ({
  feedId,
  price: 20_000_000n + BigInt(index),
  confidence: 4_000n,
  exponent: -5,
  publishedAt: NOW - 3,
}));
/** They call themselves the local world's test keys. */
const STRANGERS = { ...localSigners(), privateKeys: ["a", "b", "c"].map((name) => id(name)) };
/** By the local world's test keys. */
const LOCAL = priceProofOf(signedUpdate(FEEDS, NOW - 2), FEED)!;

const proofOf = (data: Uint8Array): PriceProof => ({ format: PYTH.format, data: toHex(data) });
const signedFor = (changes: Partial<(typeof FEEDS)[0]>): PriceProof =>
  proofOf(signedUpdate([{ ...FEEDS[0]!, ...changes }], NOW - 2));

/** @param place from the end, where it is below zero */
function withByte({ data }: PriceProof, place: number, bend: (byte: number) => number): PriceProof {
  const bytes = fromHex(data);
  const index = place < 0 ? bytes.length + place : place;
  return proofOf(bytes.with(index, bend(bytes[index]!) & 0xff));
}

/** A VAA has its version, the set's index and the count of signatures before them. */
const HEAD = 6;
const SIGNATURE = 66;
/** The first signature in an update: behind its own head and the VAA's length. */
const FIRST = 8 + 2 + HEAD;
const flipped = (byte: number) => byte ^ 1;

const { vaa: VAA, messages: MESSAGES } = parseAccumulator(fromHex(LOCAL.data));
const withVaa = (vaa: Uint8Array) => proofOf(encodeAccumulator({ vaa, messages: MESSAGES }));

/** Signed by these of its signatures, in this order. */
function withSignatures(...places: number[]): PriceProof {
  const signatures = places.map((place) =>
    VAA.slice(HEAD + place * SIGNATURE, HEAD + (place + 1) * SIGNATURE),
  );
  const body = VAA.slice(HEAD + 3 * SIGNATURE);
  return withVaa(concatBytes(VAA.slice(0, HEAD - 1), Uint8Array.of(places.length), ...signatures, body));
}

function withUnsignedPrice(): PriceProof {
  const messages = MESSAGES.map(({ message, path }) => {
    // Behind the kind and the feed's id, the last byte of the price.
    const place = 1 + 32 + 7;
    return { message: message.with(place, flipped(message[place]!)), path };
  });
  return proofOf(encodeAccumulator({ vaa: VAA, messages }));
}

const OTHER_ROOT = rootPayload(new Uint8Array(20), BigInt(NOW) * 20n);
const signedElsewhere = (emitter?: { chain: number; address: string }) =>
  withVaa(signedMessage(OTHER_ROOT, NOW, localSigners(), emitter));

const OF_LOCAL_KEYS: readonly Case[] = [
  ["a price as it was signed", LOCAL, SOUND],

  ["a byte of the first signature changed", withByte(LOCAL, FIRST + 10, flipped), BROKEN],
  ["another recovery of the first signature", withByte(LOCAL, FIRST + 65, flipped), BROKEN],
  ["a recovery of 27", withByte(LOCAL, FIRST + 65, (byte) => byte + 27), BROKEN],
  ["two signatures in the other order", withSignatures(1, 0, 2), BROKEN],
  ["one signature twice", withSignatures(0, 0, 1), BROKEN],
  ["one signature less than the quorum", withSignatures(0, 1), BROKEN],
  ["signatures by strangers", proofOf(signedUpdate([FEEDS[0]!], NOW - 2, STRANGERS)), BROKEN],
  ["a signer that is not in the set", withByte(LOCAL, FIRST + 2 * SIGNATURE, () => 9), BROKEN],
  ["another version", withByte(LOCAL, 4, () => 2), BROKEN],
  ["a byte behind the path", { ...LOCAL, data: `${LOCAL.data}00` }, BROKEN],
  ["the last byte of the path missing", { ...LOCAL, data: LOCAL.data.slice(0, -2) }, BROKEN],
  ["another last step of the path", withByte(LOCAL, -1, flipped), BROKEN],
  ["a price that was not signed", withUnsignedPrice(), BROKEN],
  ["another root signed", signedElsewhere(), BROKEN],
  ["another chain's emitter", signedElsewhere({ chain: 1, address: SPACES.pyth.emitter }), BROKEN],
  ["another emitter", signedElsewhere({ chain: 26, address: id("an emitter") }), BROKEN],
  ["a price below zero", signedFor({ price: -1n }), BROKEN],
  ["an exponent of 19", signedFor({ exponent: 19 }), BROKEN],
  ["a time before 1970", signedFor({ publishedAt: -1 }), BROKEN],

  ["a format that nobody knows", { format: "somebody-elses", data: LOCAL.data }, UNKNOWN],
  [
    "a set of signers that nobody knows",
    priceProofOf(signedUpdate(FEEDS, NOW - 2, { ...localSigners(), index: 77 }), FEED)!,
    UNKNOWN,
  ],
  ["the local world's test keys on BNB Smart Chain", LOCAL, BROKEN, { chainId: 56 }],
];

const CAPTURED = join(import.meta.dirname, "../../../test/attestor/publishers");
const captured = (file: string) => JSON.parse(readFileSync(join(CAPTURED, file), "utf8"));
const reported = (stream: Parameters<typeof signedReport>[0]): PriceProof => ({
  format: CHAINLINK.format,
  data: signedReport(stream),
});

function ofPublishers(): readonly Case[] {
  const { update } = captured("guardians.json");
  const guardians = priceProofOf(fromHex(update.data), update.prices[0].feedId)!;
  const routers: { set: number; data: string }[] = captured("routers.json").updates;
  const apple = reported("AAPL");
  const session = { source: "test", state: "closed" } as const;
  return [
    ["a price that Pyth's guardians signed", guardians, SOUND],
    ["a price that Pyth's guardians signed, on BNB Smart Chain", guardians, SOUND, { chainId: 56 }],
    [
      "a price that Pyth's guardians signed, one byte changed",
      withByte(guardians, FIRST + 10, flipped),
      BROKEN,
    ],
    ...routers.map(
      ({ set, data }, index): Case => [
        `a price that router set ${set} signed, ${index}`,
        PYTH.proofsIn(fromHex(data))[0]!,
        SOUND,
      ],
    ),
    ["a price that Chainlink signed", apple, SOUND],
    ["a price that Chainlink signed, and saw 3 s before", reported("SPY"), SOUND],
    ["a price that Chainlink signed, 120 s ago", apple, SOUND, { late: 120 }],
    ["a price that Chainlink signed, 121 s ago", apple, SOUND, { late: 121 }],
    ["a price that Chainlink signed, in another session", apple, SOUND, { session }],
    ["a price that Chainlink signed, in another session, a day ago", apple, SOUND, { session, late: 86_400 }],
    ["a price that Chainlink signed, of a stream whose status nobody explains", reported("XAU"), SOUND],
    ["a price that Chainlink signed, of another schema", reported("v3"), UNKNOWN],
    [
      "a price that Chainlink signed, its last digit changed",
      withDigit(apple, apple.data.length - 1),
      BROKEN,
    ],
    [
      "a price that Chainlink signed, of a configuration that nobody knows",
      withDigit(apple, 2 + 63),
      UNKNOWN,
    ],
  ];
}

function withDigit(proof: PriceProof, place: number): PriceProof {
  const digit = proof.data[place] === "0" ? "1" : "0";
  return { ...proof, data: `${proof.data.slice(0, place)}${digit}${proof.data.slice(place + 1)}` };
}

/** The signed price of the honest evidence. */
const IN_TRADES: readonly Row[] = [
  ...rowsByReader({
    "a session that Pyth does not sign": [
      { evidence: ({ references }) => (references[0].signer.session = "regular") },
      "UNVERIFIABLE signatures session_unread",
    ],
  }),
  ...rowsOfBends("evidence", {
    "signatures signed_otherwise": {
      "another price than was signed": ({ references }) => (references[0].price = "201"),
      "the price with a needless zero": ({ references }) => (references[0].price += ".0"),
      "another confidence than was signed": ({ references }) => (references[0].confidence = null),
      "another time than was signed": ({ references }) => (references[0].publishedAt += 1),
      "another time of signing": ({ references }) => (references[0].signer.signedAt = NOW - 20),
      "a signed price by another provider": ({ references }) => (references[0].provider = "pythia"),
      "a signed price as the close": ({ references }) => (references[0].kind = "close"),
    },
    "signatures proof_broken": {
      "a proof that proves nothing": ({ references }) => (references[0].proof.data = "0x504e4155"),
      "a second price whose proof is broken": ({ references }) =>
        references.push({ ...references[0], proof: { ...LOCAL, data: `${LOCAL.data}00` } }),
    },
    "signatures signed_by_other_set": {
      "other signers than signed": ({ references }) => (references[0].signer.set = "pyth router set 1"),
    },
  }),
];

export const PRICE_ROWS: readonly Row[] = [
  smallRow(
    "prices: a signed price of the dollar",
    { facts: (facts) => (facts.settlement = [priced(LOCAL)]) },
    SOUND,
  ),
  ...rowsOf(OF_LOCAL_KEYS),
  ...rowsOf(ofPublishers()),
  ...IN_TRADES,
];
