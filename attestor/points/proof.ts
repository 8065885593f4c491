/** The proof of a point, as `?proof=1` adds it. `pointProof.ts` says whether it holds. */
import * as z from "zod";
import { Bytes32, UnixSeconds } from "../values/primitives.ts";

const MAX_PATH = 63;
const MAX_TEXT = 65_535;

export const PointProof = z.strictObject({
  /** The canonical text of the point, `assay.point/1`. */
  leaf: z.string().max(MAX_TEXT),
  /** Of the leaf among those of its hour, from 0. */
  index: z.int().min(0),
  /** How many leaves the hour has. */
  size: z.int().min(1),
  /** From the leaf's sibling up. */
  path: z.array(Bytes32).max(MAX_PATH),
  root: Bytes32,
  /** Unix seconds, start of the hour in which the point was written. */
  hour: UnixSeconds,
  /** The text of the hour's entry in the decision log. */
  entry: z.string().max(MAX_TEXT),
  /** c2sp.org/tlog-proof@v1 of the entry. */
  log_proof: z.string().max(MAX_TEXT),
});
export type PointProof = z.infer<typeof PointProof>;
