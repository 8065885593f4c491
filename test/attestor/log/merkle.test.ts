/** Hashing and proofs of the log, against published vectors, the definition, and a second implementation. */
import { readFileSync } from "node:fs";
import { bytesToHex } from "@noble/hashes/utils.js";
import { verifyMerkleInclusion } from "@sigstore/verify/dist/tlog/merkle.js";
import { expect } from "chai";
import * as fc from "fast-check";
import { Frontier, wholeSubtrees } from "../../../attestor/log/frontier.ts";
import { HASHER } from "../../../attestor/log/hasher.ts";
import { isConsistent, isIncluded } from "../../../attestor/log/merkle.ts";
import { consistencyProof, inclusionProof, type ReadNodes, rootAt } from "../../../attestor/log/proving.ts";
import { fromBase64, sameBytes, toBase64, utf8 } from "../../../attestor/values/bytes.ts";

type Row = readonly [boolean, string, string, number, number, readonly number[]];
/** Cases of transparency-dev/merkle's testdata: whether it holds, index or old size, size, hashes by number. */
const vectors: { hashes: string[]; inclusion: Row[]; consistency: Row[] } = JSON.parse(
  readFileSync(new URL("merkleVectors.json", import.meta.url), "utf8"),
);
const hash = (number: number): Uint8Array => fromBase64(vectors.hashes[number]!) ?? utf8("no hash");

/** MTH of RFC 6962, section 2.1, by its letter. */
function treeHash(leaves: readonly Uint8Array[]): Uint8Array {
  if (leaves.length === 0) return HASHER.empty;
  if (leaves.length === 1) return leaves[0]!;
  let split = 1;
  while (split * 2 < leaves.length) split *= 2;
  return HASHER.node(treeHash(leaves.slice(0, split)), treeHash(leaves.slice(split)));
}

const entry = (n: number): Uint8Array => utf8(`entry ${n}`);
const LEAVES = Array.from({ length: 600 }, (_, n) => HASHER.leaf(entry(n)));
const read: ReadNodes = async (nodes) =>
  nodes.map(({ level, index }) => treeHash(LEAVES.slice(index * 2 ** level, (index + 1) * 2 ** level)));

describe("the log's Merkle tree", () => {
  it("takes every published inclusion vector as it says", () => {
    expect(vectors.inclusion.length).to.equal(98);
    for (const [valid, index, size, leafHash, root, proof] of vectors.inclusion)
      expect(
        isIncluded({
          index: Number(index),
          size: Number(size),
          leafHash: hash(leafHash),
          root: hash(root),
          proof: proof.map(hash),
        }),
        `${index} of ${size}`,
      ).to.equal(valid);
  });

  it("takes every published consistency vector as it says", () => {
    expect(vectors.consistency.length).to.equal(98);
    for (const [valid, oldSize, size, oldRoot, root, proof] of vectors.consistency)
      expect(
        isConsistent({
          oldSize: Number(oldSize),
          size: Number(size),
          oldRoot: hash(oldRoot),
          root: hash(root),
          proof: proof.map(hash),
        }),
        `${oldSize} to ${size}`,
      ).to.equal(valid);
  });

  it("hashes as RFC 6962 says, and the empty tree to the hash of nothing", () => {
    expect(bytesToHex(HASHER.empty)).to.equal(
      "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
    );
    expect(bytesToHex(HASHER.leaf(new Uint8Array()))).to.equal(
      "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
    );
  });

  it("grows leaf by leaf to the root that the definition gives", () => {
    const frontier = new Frontier(0, []);
    for (const [n, leaf] of LEAVES.entries()) {
      expect(frontier.size).to.equal(n);
      if (n < 300) expect(bytesToHex(frontier.root())).to.equal(bytesToHex(treeHash(LEAVES.slice(0, n))));
      frontier.append(leaf);
    }
    expect(bytesToHex(frontier.root())).to.equal(bytesToHex(treeHash(LEAVES)));
    expect(frontier.hashes.length).to.equal(wholeSubtrees(600).length);
  });

  it("makes inclusion proofs that hold here and in sigstore's verifier, and for no other leaf", async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 600 }), fc.nat(599), async (size, at) => {
        const index = at % size;
        const root = await rootAt(size, read);
        const proof = await inclusionProof(index, size, read);
        const leafHash = LEAVES[index]!;
        expect(isIncluded({ index, size, leafHash, proof, root })).to.equal(true);
        expect(isIncluded({ index, size, leafHash: LEAVES[index + 1] ?? root, proof, root })).to.equal(
          size === 1 && LEAVES[index + 1] === undefined,
        );
        const inclusionProofOfSigstore = { logIndex: String(index), hashes: proof.map(Buffer.from) };
        verifyMerkleInclusion(
          { canonicalizedBody: Buffer.from(entry(index)), inclusionProof: inclusionProofOfSigstore } as never,
          { logSize: BigInt(size), logHash: Buffer.from(root) } as never,
        );
      }),
      { numRuns: 60 },
    );
  });

  it("makes consistency proofs that hold, and that hold for no tree with another leaf", async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 600 }), fc.nat(600), async (size, at) => {
        const oldSize = 1 + (at % size);
        const [oldRoot, root] = [await rootAt(oldSize, read), await rootAt(size, read)];
        const proof = await consistencyProof(oldSize, size, read);
        expect(isConsistent({ oldSize, oldRoot, size, root, proof })).to.equal(true);
        const changed = [...LEAVES.slice(0, oldSize - 1), HASHER.leaf(utf8("another"))];
        const lie = { oldSize, oldRoot: treeHash(changed), size, root, proof };
        expect(isConsistent(lie)).to.equal(false);
      }),
      { numRuns: 60 },
    );
  });

  it("holds no proof of a hash of another length, of a size that is no count, or of bytes that nobody hashed", () => {
    const [leafHash] = LEAVES as [Uint8Array];
    const whole = { index: 0, size: 1, leafHash, root: leafHash, proof: [] };
    expect(isIncluded(whole)).to.equal(true);
    for (const changed of [{ index: -1 }, { size: 1.5 }, { size: Number.NaN }, { root: leafHash.slice(1) }])
      expect(isIncluded({ ...whole, ...changed })).to.equal(false);
    expect(fromBase64(toBase64(leafHash).replace(/.=$/, "/="))).to.equal(null);
    expect(sameBytes(leafHash, leafHash.slice(1))).to.equal(false);
  });
});
