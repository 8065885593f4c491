/** What proofs prove of the state that evidence speaks of, and that no forger gets another state proved. */
import { verifyMerkleProof } from "@ethereumjs/mpt";
import { RLP } from "@ethereumjs/rlp";
import { expect } from "chai";
import { getBytes, hexlify, id, keccak256 } from "ethers";
import type { Evidence } from "../../../attestor/evidence/evidence.ts";
import { guardSlots } from "../../../attestor/proofs/layout.ts";
import { proveState } from "../../../attestor/proofs/proveState.ts";
import { BrokenProof, valueAt } from "../../../attestor/proofs/trie.ts";
import { canonicalHash } from "../../../attestor/values/canonical.ts";
import { addressFor, copy, GUARD, judgement, NOW, reportOn, token } from "../fixtures.ts";
import {
  headerRlp,
  LAYOUT,
  madeState,
  PAIR,
  type ProvedFacts,
  provedFacts,
  STATE_REGISTRY,
} from "./state.ts";

const evidenceOf = ({ facts, proofs, intent }: ProvedFacts, registry = STATE_REGISTRY): Evidence => {
  const judged = judgement({ registry, facts, proofs });
  return reportOn({ ...judged, intent: { ...judged.intent, ...intent } }).evidence;
};

let given: ProvedFacts;
let evidence: Evidence;
before(async () => {
  given = await provedFacts();
  evidence = evidenceOf(given);
});

/** What does not hold: names of rows, with a question mark where nothing leads to them; or the code of the fault. */
function untrue(of: Evidence, proofs: unknown): string[] {
  const proof = proveState(of, proofs);
  if ("fault" in proof) return [proof.fault.code];
  return proof.rows
    .filter(({ holds }) => !holds)
    .map(({ what, word }) => (word === null ? `${what}?` : what));
}

/** Of evidence that says otherwise. */
function untrueWith(bend: (evidence: any) => void): string[] {
  const bent = copy(evidence);
  bend(bent);
  return untrue(bent, given.proofs);
}

/** Of other proofs, which the evidence names: a forger names what they made. */
function untrueBy(bend: (proofs: any) => void): string[] {
  const proofs = copy(given.proofs);
  bend(proofs);
  return untrue({ ...evidence, proofs: { ...evidence.proofs!, hash: canonicalHash(proofs) } }, proofs);
}

describe("the state that proofs prove", () => {
  it("is a row for each slot that the evidence speaks of, with its word, given the header", () => {
    const proof = proveState(evidence, given.proofs);
    if ("fault" in proof) throw new Error(proof.fault.code);
    expect(proof.rows.map(({ what, holds }) => [what, holds])).to.deep.equal([
      ["guard.signer", true],
      ["guard.paused", true],
      ["guard.routeAllowed", true],
      ["pool.reserves", true],
    ]);
    expect(proof.rows[0]).to.deep.include({ address: GUARD, slot: guardSlots.signerAndPaused });
    expect(proof.rows[0]?.word).to.equal(BigInt(evidence.guard.signer));
    expect(proof.header.hash).to.equal(evidence.chain.blockHash);
  });

  it("includes the guard's list for a recipient who is not the owner", async () => {
    const paid = await provedFacts({ recipient: true });
    const own = evidenceOf(paid);
    expect(untrue(own, paid.proofs)).to.deep.equal([]);
    const forged = { ...own, guard: { ...own.guard, recipientAllowed: false } };
    expect(untrue(forged, paid.proofs)).to.deep.equal(["guard.recipientAllowed"]);
  });

  const lies: [string, string[], (evidence: any) => void][] = [
    ["a guard that is paused", ["guard.paused"], ({ guard }) => (guard.paused = true)],
    ["another signer", ["guard.signer"], ({ guard }) => (guard.signer = addressFor("other"))],
    ["a route that is not allowed", ["guard.routeAllowed"], ({ guard }) => (guard.routeAllowed = false)],
    ["more reserves", ["pool.reserves"], ({ quote }) => (quote.pools[0].reserve0 += "0")],
    ["another pool", ["pool.reserves?"], ({ quote }) => (quote.pools[0].address = addressFor("other pool"))],
    ["another hash of the block", ["proofs_block"], ({ chain }) => (chain.blockHash = id("other"))],
    ["another time of the block", ["proofs_block"], ({ chain }) => (chain.blockTimestamp -= 1)],
    ["another number of the block", ["proofs_block"], ({ chain }) => (chain.blockNumber += 1)],
  ];
  for (const [name, wrong, bend] of lies)
    it(`contradicts evidence of ${name}`, () => {
      expect(untrueWith(bend)).to.deep.equal(wrong);
    });

  it("leaves no word or tick of a V3 pool to the evidence's word", () => {
    const pool = {
      kind: "uniswap-v3",
      address: PAIR,
      token0: addressFor("a"),
      token1: addressFor("b"),
      fee: 500,
      tickSpacing: 10,
      sqrtPriceX96: "1",
      tick: 1,
      liquidity: "1",
      words: [{ word: 0, bitmap: id("bits") }],
      ticks: [{ tick: 10, liquidityNet: "0" }],
    };
    expect(untrueWith(({ quote }) => (quote.pools = [pool]))).to.deep.equal(
      ["pool.price", "pool.liquidity", "pool.words.0", "pool.ticks.10"].map((what) => `${what}?`),
    );
  });
});

describe("proofs that do not fit", () => {
  const withHeader = (root: Uint8Array, number: number) =>
    untrueBy((proofs) => (proofs.header = headerRlp(root, number, NOW - 2)));

  it("are not read where they are absent, or where the evidence names none", () => {
    expect(untrue(evidence, undefined)).to.deep.equal(["proofs_missing"]);
    const bare = { ...evidence, proofs: null };
    expect(untrue(bare, undefined)).to.deep.equal(["proofs_none"]);
    expect(untrue(bare, given.proofs)).to.deep.equal(["proofs_unnamed"]);
  });

  it("are not read in another form, nor where the evidence names others", () => {
    expect(untrue(evidence, null)).to.deep.equal(["proofs_format"]);
    expect(untrueBy((proofs) => (proofs.header = "0xzz"))).to.deep.equal(["proofs_format"]);
    const fewer = { ...given.proofs, nodes: given.proofs.nodes.slice(1) };
    expect(untrue(evidence, fewer)).to.deep.equal(["proofs_hash"]);
  });

  const broken: Record<string, (proofs: any) => void> = {
    "lack a node": ({ nodes }) => nodes.splice(1, 1),
    "have a node twice": ({ nodes }) => nodes.push(nodes[0]),
    "have their nodes in another order": ({ nodes }) => nodes.reverse(),
    "lack a slot": ({ accounts }) => accounts[0].keys.pop(),
    "name a slot twice": ({ accounts: [first] }) => first.keys.push(first.keys.at(-1)),
    "have a header that is none": (proofs) => (proofs.header = "0xc0"),
  };
  for (const [name, bend] of Object.entries(broken))
    it(`prove nothing where they ${name}`, () => {
      expect(untrueBy(bend)).to.deep.equal(["proofs_broken"]);
    });

  it("prove nothing by the header of another block or of another state, though every hash is right", async () => {
    expect(withHeader(given.made.root, 4_201)).to.deep.equal(["proofs_block"]);
    expect(withHeader(getBytes(id("other")), 4_200)).to.deep.equal(["proofs_broken"]);
    const other = await madeState({ [GUARD]: { [guardSlots.signerAndPaused]: 1n } });
    expect(untrueBy((proofs) => (proofs.header = other.header))).to.deep.equal(["proofs_broken"]);
  });
});

describe("a multiplier in the token's state", () => {
  const ONE = 10n ** 18n;
  /** A split from 1.25 shares to 12.5, `distance` seconds from the judgement: the block is two seconds older. */
  const split = (distance: number, factor: string) => ({
    facts: token(factor, { value: "12.5", effectiveAt: NOW + distance }),
    words: [(ONE * 5n) / 4n, (ONE * 25n) / 2n, BigInt(NOW + distance)] as const,
  });
  /** By name: a split that lies far ahead, one that came, and a token of which none was ever announced. */
  const told = {
    ahead: split(86_400, "1.25"),
    past: split(-86_400, "12.5"),
    never: { facts: token("1.25"), words: [0n, (ONE * 5n) / 4n, 0n] as const },
  };

  for (const name of ["ahead", "past", "never"] as const)
    it(`is proved with its announced change (${name})`, async () => {
      const sound = await provedFacts({ token: told[name] });
      const proof = proveState(evidenceOf(sound), sound.proofs);
      const rows = "rows" in proof ? proof.rows.filter(({ what }) => what.startsWith("token.")) : [];
      const expected = ["token.changeTime", "token.factor", "token.announcedFactor"];
      expect(rows.map(({ what }) => what)).to.deep.equal(name === "never" ? expected.slice(0, 2) : expected);
      expect(rows.every(({ holds }) => holds)).to.equal(true);
    });

  const [TIME, FACTOR, ANNOUNCED] = ["token.changeTime", "token.factor", "token.announcedFactor"];
  const forged: [string, keyof typeof told, (string | undefined)[], (token: any) => void][] = [
    ["another factor", "ahead", [FACTOR], ({ factor }) => (factor.value = "1.5")],
    ["the factor of after the change", "ahead", [FACTOR], ({ factor }) => (factor.value = "12.5")],
    ["the factor of before the change", "past", [FACTOR], ({ factor }) => (factor.value = "1.25")],
    [
      "another announced factor",
      "ahead",
      [ANNOUNCED],
      ({ announcement: { change } }) => (change.value = "2"),
    ],
    [
      "an announced factor kept back",
      "ahead",
      [ANNOUNCED],
      ({ announcement: { change } }) => (change.value = null),
    ],
    ["another time", "ahead", [TIME], ({ announcement: { change } }) => (change.effectiveAt += 1)],
    ["no change", "ahead", [TIME, FACTOR], ({ announcement }) => (announcement.change = null)],
    [
      "a change that nobody announced",
      "never",
      [TIME],
      ({ announcement }) => (announcement.change = { value: "1.25", effectiveAt: 0 }),
    ],
    ["slots that nothing proves", "ahead", [`${TIME}?`], ({ layout }) => (layout.effectiveAt = id("other"))],
    [
      "slots that stand for each other",
      "ahead",
      [FACTOR, ANNOUNCED],
      ({ layout }) =>
        ([layout.uiMultiplier, layout.newUIMultiplier] = Object.values(LAYOUT).slice(0, 2).reverse()),
    ],
  ];
  for (const [what, name, wrong, bend] of forged)
    it(`contradicts evidence of ${what}`, async () => {
      const sound = await provedFacts({ token: told[name] });
      const own = copy(evidenceOf(sound)) as any;
      bend(own.token);
      expect(untrue(own, sound.proofs)).to.deep.equal(wrong);
    });

  it("is judged by the block's time where the change comes between block and judgement", async () => {
    const wrongOf = async (distance: number, factor: string) => {
      const sound = await provedFacts({ token: split(distance, factor) });
      return untrue(evidenceOf(sound), sound.proofs);
    };
    for (const distance of [-1, 0]) {
      expect(await wrongOf(distance, "1.25")).to.deep.equal([]);
      expect(await wrongOf(distance, "12.5")).to.deep.equal(["token.factor"]);
    }
    expect(await wrongOf(-2, "12.5")).to.deep.equal([]);
    expect(await wrongOf(-2, "1.25")).to.deep.equal(["token.factor"]);
  });
});

describe("the walk of a trie", () => {
  it("refuses an extension that leads nowhere: a chain of them would be walked for every key", () => {
    const leaf = hexlify(RLP.encode([Uint8Array.of(0x20), Uint8Array.of(1)]));
    const chain = [leaf];
    for (let length = 0; length < 50; length += 1)
      chain.unshift(hexlify(RLP.encode([Uint8Array.of(0), getBytes(keccak256(chain[0]!))])));
    let asked = 0;
    const nodes = {
      get(hash: string) {
        asked += 1;
        const found = chain.find((node) => keccak256(node) === hash);
        return found === undefined ? undefined : getBytes(found);
      },
    };
    expect(() => valueAt(keccak256(chain[0]!), GUARD, nodes)).to.throw(BrokenProof, "leads nowhere");
    expect(asked).to.equal(1);
    const header = headerRlp(getBytes(keccak256(chain[0]!)), 4_200, NOW - 2);
    expect(untrueBy((proofs) => Object.assign(proofs, { header, nodes: chain }))).to.deep.equal([
      "proofs_broken",
    ]);
  });

  it("finds what the library's own verification finds", async () => {
    // With extensions, and with an account and a slot that are not there.
    const { made } = await provedFacts({ extensions: true });
    const nodes = new Map(made.nodes.map((node) => [keccak256(node), getBytes(node)]));
    const path = [...nodes.values()].sort((a) => (keccak256(a) === hexlify(made.root) ? -1 : 0));
    const options = { root: made.root, useKeyHashing: true };
    for (const address of [GUARD, PAIR]) {
      const value = valueAt(hexlify(made.root), address, nodes) as Uint8Array;
      const library = (await verifyMerkleProof(getBytes(address), path, options)) as Uint8Array;
      expect(hexlify(value)).to.equal(hexlify(library));
    }
  });
});
