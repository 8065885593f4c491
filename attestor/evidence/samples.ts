/**
 * The samples behind a liquidity grade, as one batch: evidence names its root, and anyone with the batch can compute
 * median and grade again.
 */

import * as z from "zod";
import { canonicalHash } from "../values/canonical.ts";
import { EvidenceDecimal } from "../values/decimal.ts";
import type { Fault } from "../values/fault.ts";
import { differingMembers, sameJson } from "../values/json.ts";
import { ascending } from "../values/order.ts";
import { AssetKey, BasisPoints, Bytes32, Text, UnixSeconds } from "../values/primitives.ts";
import type { Evidence } from "./evidence.ts";
import { GATHERING_SECONDS, gradeOf, LIQUIDITY_WINDOW_SECONDS, SUFFICIENT_SAMPLES } from "./liquidity.ts";

export const SAMPLES_SCHEMA = "assay.samples/1";
/** A sample a minute for a week. */
const MAX_SAMPLES = 10_080;

/** What buys of $1,000 and $10,000 cost at a moment, in basis points beyond a tiny one; null: there was no route. */
const LiquiditySample = z.strictObject({
  sampledAt: UnixSeconds.describe("Moment of the sample, unix seconds"),
  source: Text.min(1).max(40),
  impact1kBps: BasisPoints.nullable().describe(
    "Impact of buying for 1,000 US dollars, basis points with up to 4 decimals; null: there was no route",
  ),
  impact10kBps: BasisPoints.nullable().describe(
    "Impact of buying for 10,000 US dollars, basis points with up to 4 decimals; null: there was no route",
  ),
});
export type LiquiditySample = z.infer<typeof LiquiditySample>;

export const SampleBatch = z.strictObject({
  schema: z.literal(SAMPLES_SCHEMA),
  assetKey: AssetKey,
  /** Oldest first, of one moment by source. */
  samples: z.array(LiquiditySample).min(1).max(MAX_SAMPLES),
});
export type SampleBatch = z.infer<typeof SampleBatch>;

/** keccak256 of the batch's canonical JSON: what `liquidity.samplesRoot` names. */
export const samplesRoot = (batch: SampleBatch): string => Bytes32.parse(canonicalHash(batch));

/** What follows from a batch: everything that evidence says of the liquidity but the root itself. */
export type SampledLiquidity = Readonly<ReturnType<typeof liquidityOfSamples>>;

/** The medians and the grade of a batch, and source and time of its newest sample. */
export function liquidityOfSamples({ samples }: Pick<SampleBatch, "samples">) {
  const newest = samples.at(-1) as LiquiditySample;
  const impact10kBps = medianImpact(samples.map((sample) => sample.impact10kBps));
  return {
    source: newest.source,
    /** null with fewer samples than a grade needs. */
    grade: samples.length < SUFFICIENT_SAMPLES ? null : gradeOf(impact10kBps),
    sampleN: samples.length,
    /** Basis points with up to four places; null: no route in the middle of the samples. */
    impact1kBps: medianImpact(samples.map((sample) => sample.impact1kBps)),
    impact10kBps,
    /** Unix seconds of the newest sample. */
    updatedAt: newest.sampledAt,
  };
}

/** Decimal places of a basis point that are kept. */
const PLACES = 4;

/**
 * The median in which null, no route, is plus infinity; an infinite median is null, as is that of nothing.
 * Of an even number the mean of the two in the middle, rounded half up to four places.
 */
export function medianImpact(impacts: readonly (string | null)[]): string | null {
  const sorted = impacts
    .map((text) => ({ text, size: text === null ? Number.POSITIVE_INFINITY : Number(text) }))
    // The sizes are rounded: where they agree, the texts decide.
    .sort((one, other) => ascending(one.size, other.size) || compareTexts(one.text, other.text));
  const upper = sorted[Math.floor(sorted.length / 2)]?.text ?? null;
  const lower = sorted[Math.floor((sorted.length - 1) / 2)]?.text ?? null;
  if (upper === null || lower === null) return null;
  const middle = new EvidenceDecimal(lower)
    .plus(upper)
    .dividedBy(2)
    .toDecimalPlaces(PLACES, EvidenceDecimal.ROUND_HALF_UP);
  return middle.isZero() ? "0" : middle.toFixed();
}

function compareTexts(one: string | null, other: string | null): number {
  return one === other || one === null || other === null ? 0 : new EvidenceDecimal(one).comparedTo(other);
}

/**
 * Holds a batch that the reader has against the evidence that names one.
 * @param given the batch, which may be anything
 * @returns what is wrong, or not known; null where medians and grade follow from it
 */
export function samplesFault(
  { liquidity, trade, capturedAt }: Pick<Evidence, "liquidity" | "trade" | "capturedAt">,
  given: unknown,
): (Fault & { readonly outcome: "wrong" | "unknown" }) | null {
  if (liquidity === null || liquidity.samplesRoot === null)
    return { outcome: "unknown", code: "samples_not_asked", params: {} };
  const parsed = SampleBatch.safeParse(given);
  if (!parsed.success || !sameJson(parsed.data, given)) {
    const reason = parsed.success ? "it is not in canonical form" : z.prettifyError(parsed.error);
    return { outcome: "unknown", code: "samples_unreadable", params: { reason } };
  }
  const root = samplesRoot(parsed.data);
  if (root !== liquidity.samplesRoot)
    return { outcome: "unknown", code: "samples_of_other_hash", params: { root } };
  const differing = [
    ...(parsed.data.assetKey === trade.stockAssetKey ? [] : ["assetKey"]),
    ...(isOfWindow(parsed.data, capturedAt) ? [] : ["sampledAt"]),
    ...differingMembers(liquidity, { ...liquidityOfSamples(parsed.data) }),
  ];
  if (differing.length === 0) return null;
  return { outcome: "wrong", code: "samples_say_otherwise", params: { members: differing.join(", ") } };
}

/** Whether the samples are of the seven days before the judgement, oldest first. */
function isOfWindow({ samples }: SampleBatch, capturedAt: number): boolean {
  const oldest = capturedAt - LIQUIDITY_WINDOW_SECONDS - GATHERING_SECONDS;
  return samples.every(({ sampledAt }, index) => sampledAt >= (samples[index - 1]?.sampledAt ?? oldest));
}
