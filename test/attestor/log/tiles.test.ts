/** Tiles: their names, their contents, and every proof from them alone. */

import { bytesToHex } from "@noble/hashes/utils.js";
import { expect } from "chai";
import * as fc from "fast-check";
import { Frontier, type Node } from "../../../attestor/log/frontier.ts";
import { HASH_LENGTH, HASHER } from "../../../attestor/log/hasher.ts";
import { isConsistent, isIncluded } from "../../../attestor/log/merkle.ts";
import { consistencyProof, inclusionProof, rootAt } from "../../../attestor/log/proving.ts";
import {
  bundleOf,
  entriesOf,
  hashesAtLevel,
  nodesFromTiles,
  parseTileLevel,
  parseTileName,
  type Tile,
  tileIn,
  tileName,
} from "../../../attestor/log/tiles.ts";
import { utf8 } from "../../../attestor/values/bytes.ts";

const SIZE = 70_000;

describe("the log's tiles", () => {
  const nodes = new Map<string, Uint8Array>();
  const roots: Uint8Array[] = [];
  const leaves: Uint8Array[] = [];
  before(() => {
    const frontier = new Frontier(0, []);
    const keep = ({ level, index }: Node, hash: Uint8Array) => {
      if (level % 8 === 0) nodes.set(`${level / 8}/${index}`, hash);
    };
    for (let n = 0; n < SIZE; n++) {
      if (n % 997 === 0) roots[n] = frontier.root();
      const leaf = HASHER.leaf(utf8(String(n)));
      leaves.push(leaf);
      frontier.append(leaf, keep);
    }
    roots[SIZE] = frontier.root();
  });
  const readTile = async ({ level, index, width }: Tile): Promise<Uint8Array> => {
    const bytes = new Uint8Array(width * HASH_LENGTH);
    for (let n = 0; n < width; n++) bytes.set(nodes.get(`${level}/${index * 256 + n}`)!, n * HASH_LENGTH);
    return bytes;
  };

  it("the log's tiles are named as the specification says", () => {
    expect(tileName({ index: 1234067, width: 256 })).to.equal("x001/x234/067");
    expect(tileName({ index: 0, width: 1 })).to.equal("000.p/1");
    for (const bad of [
      "1",
      "0001",
      "x001",
      "x1/234",
      "000.p/0",
      "000.p/256",
      "000.p/01",
      "x000/067",
      "000/",
      "../067",
    ])
      expect(parseTileName(bad), bad).to.equal(null);
    fc.assert(
      fc.property(fc.nat(1e12), fc.integer({ min: 1, max: 256 }), (index, width) => {
        expect(parseTileName(tileName({ index, width }))).to.deep.equal({ index, width });
      }),
    );
    expect(["0", "63", "64", "00", "-1", "x"].map(parseTileLevel)).to.deep.equal([
      0,
      63,
      null,
      null,
      null,
      null,
    ]);
  });

  it("of a tree of 70,000 are those of the specification's example", () => {
    expect(hashesAtLevel(0, SIZE)).to.equal(273 * 256 + 112);
    expect(tileIn(0, 272, SIZE)?.width).to.equal(256);
    expect(tileIn(0, 273, SIZE)?.width).to.equal(112);
    expect(tileIn(1, 1, SIZE)?.width).to.equal(17);
    expect(tileIn(2, 0, SIZE)?.width).to.equal(1);
    expect(tileIn(3, 0, SIZE)).to.equal(null);
    expect(tileIn(1, 0, 256)?.width).to.equal(1);
  });

  it("give the root, inclusion and consistency of every size, by themselves", async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 69 }), fc.nat(69), fc.nat(SIZE), async (one, two, at) => {
        const [oldSize, size] = [one * 997, two * 997 + 997].sort((a, b) => a - b) as [number, number];
        const read = nodesFromTiles(size, readTile);
        const root = await rootAt(size, read);
        if (roots[size]) expect(bytesToHex(root)).to.equal(bytesToHex(roots[size]));
        const index = at % size;
        const proof = await inclusionProof(index, size, read);
        expect(isIncluded({ index, size, leafHash: leaves[index]!, proof, root })).to.equal(true);
        const oldRoot = roots[oldSize]!;
        const path = await consistencyProof(oldSize, size, read);
        expect(isConsistent({ oldSize, oldRoot, size, root, proof: path })).to.equal(true);
      }),
      { numRuns: 25 },
    );
  });

  it("of a wrong length are refused, and nodes that are not there", async () => {
    const short = nodesFromTiles(300, async (tile) => (await readTile(tile)).slice(1));
    await expectRejected(rootAt(300, short), "bytes");
    await expectRejected(nodesFromTiles(300, readTile)([{ level: 8, index: 1 }]), "has no node 8/1");
    await expectRejected(inclusionProof(300, 300, nodesFromTiles(300, readTile)), "has none at 300");
    await expectRejected(consistencyProof(301, 300, nodesFromTiles(300, readTile)), "no tree of 301");
  });

  it("of entries carry each entry behind its length", () => {
    fc.assert(
      fc.property(fc.array(fc.uint8Array({ maxLength: 400 }), { maxLength: 8 }), (entries) => {
        expect(entriesOf(bundleOf(entries)).map(bytesToHex)).to.deep.equal(entries.map(bytesToHex));
      }),
    );
    expect(() => entriesOf(Uint8Array.of(0, 2, 7))).to.throw("ends within an entry");
    expect(() => bundleOf([new Uint8Array(65_536)])).to.throw("65536 bytes");
  });
});

async function expectRejected(work: Promise<unknown>, words: string): Promise<void> {
  const message = await work.then(
    () => "nothing was thrown",
    (error: Error) => error.message,
  );
  expect(message).to.contain(words);
}
