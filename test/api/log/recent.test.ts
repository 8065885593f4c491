/** What a process caches of the log equals what the database has, or is empty. */
import { expect } from "chai";
import fc from "fast-check";
import { grown } from "../../../api/log/placing.ts";
import { type Placed, rememberRecent } from "../../../api/log/recent.ts";
import { Frontier, wholeSubtrees } from "../../../attestor/log/frontier.ts";
import { HASHER } from "../../../attestor/log/hasher.ts";
import { isIncluded } from "../../../attestor/log/merkle.ts";
import { parseTlogProof } from "../../../attestor/log/tlogProof.ts";
import { utf8 } from "../../../attestor/values/bytes.ts";
import { ownCaches } from "../../support/caches.ts";

const entriesFrom = (from: number, count: number) =>
  Array.from({ length: count }, (_, n) => ({ id: n, entry: `entry ${from + n}`, evidence_key: n }));

/** Entries that a process adds to a tree which it finds. */
function add(frontier: Frontier, count: number): Placed {
  const nodes = wholeSubtrees(frontier.size).map((node, n) => ({ ...node, hash: frontier.hashes[n]! }));
  const { entries, whole } = grown(frontier, entriesFrom(frontier.size, count));
  return { entries, nodes: [...nodes, ...whole] };
}

function treeOf(size: number): Frontier {
  const frontier = new Frontier(0, []);
  grown(frontier, entriesFrom(0, size));
  return frontier;
}

/** A tree of seven entries, of which a process placed the last two. */
function placedTwo() {
  const [recent, frontier] = [rememberRecent(ownCaches()), treeOf(5)];
  recent.placed(add(frontier, 2));
  return { recent, frontier };
}

const signedAs = ({ size, root }: { size: number; root: Uint8Array }) => ({ size, root, note: "a note\n" });
const snapshot = (frontier: Frontier) => ({ size: frontier.size, root: frontier.root() });

describe("what a process caches of the decision log", () => {
  it("proves every entry of its batches in the signed tree, of any earlier size", async () => {
    const befores = fc.integer({ min: 0, max: 700 });
    const sizes = fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 6 });
    await fc.assert(
      fc.asyncProperty(befores, sizes, async (before, batches) => {
        const recent = rememberRecent(ownCaches());
        const frontier = treeOf(before);
        for (const count of batches) recent.placed(add(frontier, count));
        const tree = snapshot(frontier);
        recent.signed(signedAs(tree));
        for (let index = before; index < tree.size; index++) {
          const proof = parseTlogProof((await recent.proofOf(`entry ${index}`))!);
          expect(proof.index).to.equal(index);
          const leafHash = HASHER.leaf(utf8(`entry ${index}`));
          expect(isIncluded({ index, ...tree, leafHash, proof: proof.path })).to.equal(true);
        }
      }),
      { numRuns: 50 },
    );
  });

  it("says nothing of an entry that it did not place, or that no signed tree has yet", async () => {
    const { recent, frontier } = placedTwo();
    expect(await recent.proofOf("entry 6")).to.equal(null);
    recent.signed(signedAs(snapshot(treeOf(6))));
    expect(await recent.proofOf("entry 6")).to.equal(null);
    recent.signed(signedAs(snapshot(frontier)));
    expect(await recent.proofOf("entry 6")).to.be.a("string");
    expect(await recent.proofOf("entry 2")).to.equal(null);
  });

  it("says nothing rather than a proof that does not lead to the signed root", async () => {
    const { recent } = placedTwo();
    // Somebody set the database back, and it grew otherwise.
    recent.signed(signedAs({ size: 7, root: treeOf(8).root() }));
    expect(await recent.proofOf("entry 6")).to.equal(null);
  });

  it("says nothing where another process placed what stands between", async () => {
    const { recent, frontier } = placedTwo();
    grown(frontier, entriesFrom(7, 9));
    recent.signed(signedAs(snapshot(frontier)));
    expect(await recent.proofOf("entry 6")).to.equal(null);
  });
});
