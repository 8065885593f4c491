/** Points as a service answers them whose decision log has signed their hour. */
import { concatBytes } from "@noble/hashes/utils.js";
import { developmentLogSigner } from "../../api/log/key.ts";
import { toHex } from "../../attestor/evm/hash.ts";
import { pointsEntryText } from "../../attestor/log/entry.ts";
import { Frontier } from "../../attestor/log/frontier.ts";
import { HASHER } from "../../attestor/log/hasher.ts";
import { tlogProofText } from "../../attestor/log/tlogProof.ts";
import { pathOf, rootOver } from "../../attestor/points/hourTree.ts";
import { POINT_SCHEMA, type Point, pointText } from "../../attestor/points/point.ts";
import type { PointProof } from "../../attestor/points/proof.ts";
import { utf8 } from "../../attestor/values/bytes.ts";
import { ORIGIN } from "./logged.ts";

const TILE = 256;
/** Start of an hour. */
export const HOUR = Date.UTC(2026, 6, 30, 14) / 1_000;
const TOKEN = "0x9d275685dC284C8eB1C79f6ABA7a63Dc75ec890a";

const inputs = {
  tokenPriceUsd: "101.5",
  sharesPerToken: "1",
  referencePriceUsd: "100",
  impact1kBps: "4.5",
  platformFeeBps: "10",
  stated: [],
};

/** A premium of 150 basis points. */
export const signedPoint = (changes: Partial<Point> = {}): Point => ({
  schema: POINT_SCHEMA,
  series: `premium/eip155:56:${TOKEN}`,
  t: HOUR,
  revision: 1,
  changedAt: HOUR + 1_234,
  hour: {
    ...{ closeBps: "150", loBps: "-3.25", hiBps: "150", netEdgeBps: "135.5", fundingAnnualBps: null },
    ...{ sampledAt: HOUR + 1_200, samples: 4, source: "dex", session: "regular", referenceSource: "feed" },
    ...{ referenceAgeSeconds: 7, state: "agreed", fundingState: null, witnesses: 3, spreadBps: "1.5" },
    ...{ halted: false, inputs },
  },
  ...changes,
});

/** The proofs of points that were written in an hour, as entry 1 of the log. */
export async function proofsOf(
  points: readonly Point[],
  { hour = HOUR, by = developmentLogSigner(), origin = ORIGIN } = {},
): Promise<PointProof[]> {
  const leaves = points.map(pointText);
  const hashes = leaves.map((leaf) => HASHER.leaf(utf8(leaf)));
  const tiles = Array.from({ length: Math.ceil(hashes.length / TILE) }, (_, tile) =>
    concatBytes(...hashes.slice(tile * TILE, (tile + 1) * TILE)),
  );
  const roots = concatBytes(...(await Promise.all(tiles.map((tile) => rootOver(tile)))));
  const root = toHex(await rootOver(roots));
  const entry = pointsEntryText({ hour, count: points.length, root });
  const log = new Frontier(0, []);
  const before = HASHER.leaf(utf8("before"));
  for (const leaf of [before, HASHER.leaf(utf8(entry))]) log.append(leaf);
  const checkpoint = by.sign({ origin, size: 2, root: log.root() });
  const log_proof = tlogProofText({ index: 1, path: [before], checkpoint });
  return await Promise.all(
    leaves.map(async (leaf, index) => {
      const path = (await pathOf(index, tiles[Math.floor(index / TILE)]!, roots)).map(toHex);
      return { leaf, index, size: points.length, path, root, hour, entry, log_proof };
    }),
  );
}

/** As `/api/v1/premium-history?proof=1` answers it. */
export async function shownWithProof(point = signedPoint(), others: readonly Point[] = []) {
  const [proof] = await proofsOf([point, ...others]);
  return {
    ts: "2026-07-30T14:00:00.000Z",
    ...{ premium_bps: 150, source: "dex", session: "regular", reference: "feed", state: "agreed" },
    ...{ halted: false, samples: 4, witnesses: 3, reference_age: 7, spread_bps: 1.5, revision: 1 },
    changed_at: "2026-07-30T14:20:34.000Z",
    proof: proof as PointProof,
  };
}

/** What such an answer says beside its points. */
export const ANSWER = { symbol: "AAPLx", chain: "bnb", address: TOKEN };
