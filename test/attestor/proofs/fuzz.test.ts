/**
 * Proofs with anything changed in them: none is accepted that says otherwise, and nothing is thrown.
 * `MUTATIONS=100000 npx mocha test/attestor/proofs/fuzz.test.ts` tries as many.
 */
import { RLP } from "@ethereumjs/rlp";
import { expect } from "chai";
import { getBytes, hexlify, keccak256 } from "ethers";
import fc from "fast-check";
import { headerOf, readHeader } from "../../../attestor/proofs/header.ts";
import { proveState } from "../../../attestor/proofs/proveState.ts";
import { rowsOf } from "../../../attestor/proofs/rows.ts";
import { BrokenProof, valueAt } from "../../../attestor/proofs/trie.ts";
import { canonicalHash } from "../../../attestor/values/canonical.ts";
import { readyFor } from "../../support/suite.ts";
import { GUARD, judgement, reportOn } from "../fixtures.ts";
import { PAIR, provedFacts } from "./state.ts";

/** So many of each; a hundred thousand take some minutes. */
const RUNS = Number(process.env.MUTATIONS ?? 1_000);
const SEED = 15;

const given = readyFor(() => provedFacts());

interface Mutation {
  readonly where: string;
  readonly at: number;
  readonly byte: number;
}

const PLACES = ["header", "node", "key", "address", "order", "missing", "twice", "member"];
const mutation: fc.Arbitrary<Mutation> = fc.record({
  where: fc.constantFrom(...PLACES),
  at: fc.nat(10_000),
  byte: fc.integer({ min: 0, max: 255 }),
});

function mutated(proofs: unknown, { where, at, byte }: Mutation): any {
  const made = structuredClone(proofs) as any;
  const { nodes, accounts } = made;
  const pick = (list: unknown[]) => at % list.length;
  const changed = (hex: string) => {
    const bytes = getBytes(hex);
    bytes[at % bytes.length] = byte;
    return hexlify(bytes);
  };
  const account = accounts[pick(accounts)];
  if (where === "header") made.header = changed(made.header);
  if (where === "node") nodes[pick(nodes)] = changed(nodes[pick(nodes)]);
  if (where === "key") account.keys[pick(account.keys)] = changed(account.keys[pick(account.keys)]);
  if (where === "address") account.address = changed(account.address);
  if (where === "order" && nodes.length > 0) nodes.push(nodes.splice(pick(nodes), 1)[0]);
  if (where === "missing") nodes.splice(pick(nodes), 1);
  if (where === "twice" && nodes.length > 0) nodes.splice(pick(nodes), 0, nodes[(at + byte) % nodes.length]);
  const member = ["schema", "header", "accounts", "nodes"][at % 4] as string;
  if (where === "member") made[member] = [null, "0x", [], {}][byte % 4];
  return made;
}

/** Mutations one after the other; one that finds nothing left to change changes nothing. */
function mutatedBy(proofs: unknown, mutations: readonly Mutation[]): unknown {
  return mutations.reduce((made, one) => {
    try {
      return mutated(made, one);
    } catch {
      return made;
    }
  }, proofs);
}

describe("mutated proofs", () => {
  it("mutated proofs are never accepted where they say otherwise than the state, and nothing is thrown", () => {
    const { facts, proofs: sound } = given;
    const evidence = reportOn(judgement({ facts, proofs: sound })).evidence;
    const rows = rowsOf(evidence);
    const mutations = fc.array(mutation, { minLength: 1, maxLength: 3 });
    fc.assert(
      fc.property(mutations, fc.boolean(), (chosen, isNamed) => {
        const proofs = mutatedBy(sound, chosen) as any;
        // A forger names the proofs that they made.
        const name = isNamed ? { ...evidence.proofs!, hash: canonicalHash(proofs) } : evidence.proofs;
        const proof = proveState({ ...evidence, proofs: name }, proofs);
        if ("fault" in proof || proof.rows.some(({ holds }) => !holds)) return;
        // What was accepted proves every row from the same block.
        expect(proof.header.hash).to.equal(given.made.hash);
        expect(proof.rows.map(({ what }) => what)).to.deep.equal(rows.map(({ what }) => what));
        for (const [index, { word }] of proof.rows.entries())
          expect(rows[index]!.holds(word as bigint)).to.equal(true);
      }),
      { numRuns: RUNS, seed: SEED },
    );
  });

  it("end in a value or a fault of their own also where hashes do not help: nodes of any bytes", () => {
    const { made } = given;
    const root = hexlify(made.root);
    const real = new Map(made.nodes.map((node) => [keccak256(node), getBytes(node)]));
    const byte = fc.integer({ min: 0, max: 255 });
    fc.assert(
      fc.property(fc.nat(10_000), byte, fc.uint8Array({ maxLength: 80 }), (at, value, raw) => {
        let asked = 0;
        const nodes = {
          get(hash: string) {
            // A node that leads back to itself would be walked until the key ends.
            expect(asked++).to.be.lessThan(200);
            const bytes = Uint8Array.from(at % 3 === 0 ? raw : (real.get(hash) ?? raw));
            if (bytes.length > 0) bytes[at % bytes.length] = value;
            return bytes;
          },
        };
        for (const address of [GUARD, PAIR])
          try {
            valueAt(root, address, nodes);
          } catch (error) {
            expect(error).to.be.instanceOf(BrokenProof);
          }
      }),
      { numRuns: RUNS, seed: SEED },
    );
  });

  it("mutated proofs have headers that are read as what they are or not at all, and of blocks that are anything", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 700 }), fc.jsonValue(), (raw, block) => {
        for (const rlp of [hexlify(raw), hexlify(RLP.encode([...raw].map((byte) => Uint8Array.of(byte))))]) {
          const header = readHeader(rlp);
          if (header !== null) expect(header.hash).to.equal(keccak256(rlp));
        }
        expect(headerOf(block)).to.equal(null);
      }),
      { numRuns: RUNS, seed: SEED },
    );
  });
});
