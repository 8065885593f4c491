/**
 * Whether a point that the data API showed is the one that its log signed. The signed text must have these figures
 * and be in its hour's tree. That tree's root must be an entry of the decision log, in a tree that the log signed.
 */
import { CHAIN_NAMES, CHAINS } from "../chains.ts";
import { fromHex } from "../evm/hash.ts";
import type { LogTrust } from "../log/checkpoint.ts";
import { type PointsEntry, pointsEntryText, readEntry, SECONDS_AN_HOUR } from "../log/entry.ts";
import { HASHER } from "../log/hasher.ts";
import { isIncluded } from "../log/merkle.ts";
import type { ServedTree } from "../log/served.ts";
import { parseTlogProof } from "../log/tlogProof.ts";
import { provedEntry } from "../log/verifyLog.ts";
import {
  asRecord,
  type Conclusion,
  extraMembers,
  ISSUER,
  type JsonObject,
  Steps,
  sameJson,
} from "../steps.ts";
import { utf8 } from "../values/bytes.ts";
import { orElse } from "../values/orElse.ts";
import { type Point, type PointHour, pointText, readPoint } from "./point.ts";
import { PointProof } from "./proof.ts";
import { isoOf, shownInputs } from "./shown.ts";

/** Whose word counts, by the reader. */
export interface PointTrust extends LogTrust {
  /** What the log's service serves, where it was asked about that checkpoint. */
  served?(note: string): ServedTree | null | undefined;
}

export interface PointVerification extends Conclusion {
  /** As its signed text says it; null where that cannot be read. */
  readonly point: Point | null;
}

/** The points of a saved answer, or the one that it is, with what the answer says of their series. */
export interface ShownPoints {
  readonly points: readonly unknown[];
  /** null: a point alone. */
  readonly answer: JsonObject | null;
}

/** @returns null for what is neither */
export function shownPoints(document: unknown): ShownPoints | null {
  const record = asRecord(document);
  if (record === null) return null;
  if (Array.isArray(record.points)) return { points: record.points, answer: record };
  return record.proof === undefined ? null : { points: [record], answer: null };
}

/** The checkpoint of a point's proof; null where it has none that can be read. */
export function checkpointOfPoint(shown: unknown): string | null {
  const proof = PointProof.safeParse(asRecord(shown)?.proof);
  return proof.success ? orElse(() => parseTlogProof(proof.data.log_proof).checkpoint, null) : null;
}

/**
 * Never throws.
 * @param shown a point as it was answered, with its `proof`
 * @param answer what it stood in; null: nothing, so that the signed text alone says of which series it is
 */
export function verifyPoint(shown: unknown, answer: JsonObject | null, trust: PointTrust): PointVerification {
  const steps = new Steps();
  const point = verified(asRecord(shown), answer, trust, steps);
  return { ...steps.conclude(), point };
}

function verified(
  shown: JsonObject | null,
  answer: JsonObject | null,
  trust: PointTrust,
  steps: Steps,
): Point | null {
  if (shown?.proof === undefined || shown.proof === null) {
    const why =
      shown?.proof === null
        ? "The log had not signed it yet. It signs a point within two hours after the point's hour: ask again then."
        : "It has no proof: ask with proof=1.";
    steps.add("proof", "unknown", why);
    return null;
  }
  const parsed = PointProof.safeParse(shown.proof);
  if (!parsed.success) {
    steps.add("proof", "wrong", "Its proof is not one of a point.");
    return null;
  }
  const proof = parsed.data;
  const point = readLeaf(proof.leaf);
  if (point === null) steps.add("leaf", "wrong", "Its leaf is no point in its canonical form.");
  else {
    pointStep(shown, point, steps);
    seriesStep(answer, point, steps);
  }
  const entry = rootStep(proof, point, steps);
  if (entry !== null) logStep(proof, entry, trust, steps);
  return point;
}

/** The point that a text is, where it is its only text. */
const readLeaf = (text: string): Point | null =>
  orElse(() => {
    const point = readPoint(text);
    return pointText(point) === text ? point : null;
  }, null);

/** The figures that are shown, by those that were signed. */
function pointStep({ proof: _, ...shown }: JsonObject, point: Point, steps: Steps): void {
  if (point.hour === null) {
    steps.add("point", "wrong", "What was signed is that the hour was retracted.");
    return;
  }
  const expected = shownOf(shown, point, point.hour);
  const differing = Object.keys(expected).filter((name) => shown[name] !== expected[name]);
  steps.judge(
    "point",
    differing.length === 0,
    "It shows what was signed.",
    `It shows something else than what was signed: ${differing.join(", ")}.`,
  );
  inputsStep(shown.inputs, point.hour, steps);
  const more = extraMembers(shown, [...Object.keys(expected), "inputs"]);
  if (more.length > 0)
    steps.add("point", "unknown", `The signed text does not say by itself: ${more.join(", ")}.`);
}

const figure = (text: string | null): number | null => (text === null ? null : Number(text));

/** A signed point as the endpoint shows it that the members are of. */
function shownOf(shown: JsonObject, { series, t, revision, changedAt }: Point, hour: PointHour): JsonObject {
  const told = {
    source: hour.source,
    session: hour.session,
    reference: hour.referenceSource,
    state: hour.state,
    halted: hour.halted,
    samples: hour.samples,
    spread_bps: figure(hour.spreadBps),
    witnesses: hour.witnesses,
    reference_age: hour.referenceAgeSeconds,
    revision,
    changed_at: isoOf(changedAt),
  };
  const extremes = { lo: figure(hour.loBps), hi: figure(hour.hiBps) };
  if (series.startsWith("basis/")) {
    const funding = { funding_annual: figure(hour.fundingAnnualBps), funding_state: hour.fundingState };
    return { t, basis: figure(hour.closeBps), ...extremes, ...funding, ...told };
  }
  return "ts" in shown
    ? { ts: isoOf(t), premium_bps: figure(hour.closeBps), ...told }
    : { t, premium: figure(hour.closeBps), ...extremes, net_edge: figure(hour.netEdgeBps), ...told };
}

/** What a point says that it was computed from, by what was signed; nothing where it shows none. */
function inputsStep(shown: unknown, hour: PointHour, steps: Steps): void {
  if (shown === undefined) return;
  const { adjusted, ...own } = asRecord(shown) ?? {};
  const isSame = sameJson(asRecord(shown) === null ? shown : own, shownInputs(hour));
  const wrong = "It shows other inputs than were signed.";
  steps.judge("inputs", isSame, "Its inputs are those that were signed.", wrong);
  if (adjusted !== undefined)
    steps.add(
      "adjusted",
      "absent",
      "Split-adjusted prices are not signed: they follow from splits since, and were not checked.",
    );
}

function seriesStep(answer: JsonObject | null, { series }: Point, steps: Steps): void {
  const isOfAnswer = answer === null ? null : isSeriesOf(answer, series);
  if (isOfAnswer === null) steps.add("series", "absent", `It is of ${series}, by what was signed.`);
  else
    steps.judge(
      "series",
      isOfAnswer,
      `It is of ${series}.`,
      `It is of ${series}, and the answer is of another series.`,
    );
}

/** Whether an answer is of that series; null where it does not say of which it is. */
function isSeriesOf({ chain, address, venue, underlying }: JsonObject, series: string): boolean | null {
  if (typeof venue === "string" && typeof underlying === "string")
    return series === `basis/${venue}/${underlying}`;
  if (typeof chain !== "string" || typeof address !== "string") return null;
  const [, prefix, own = ""] = /^premium\/(.*):([^:]*)$/.exec(series) ?? [];
  // A chain without a row of its own, such as a local one, is compared by address alone.
  const named = CHAIN_NAMES.find((name) => CHAINS[name].assetPrefix === prefix);
  return (named === undefined || named === chain) && sameCase(own) === sameCase(address);
}

/** Letter case means nothing in an EVM address. */
const sameCase = (address: string): string =>
  /^0x[0-9a-fA-F]{40}$/.test(address) ? address.toLowerCase() : address;

/** @returns the hour's entry, where the point is in its tree; else null */
function rootStep(proof: PointProof, point: Point | null, steps: Steps): PointsEntry | null {
  const { leaf, index, size, path, root, hour } = proof;
  const entry = orElse(() => readEntry(proof.entry).points, null);
  const isEntry = entry !== null && pointsEntryText(textless(entry)) === proof.entry;
  const isOfProof = entry?.hour === hour && entry.count === size && entry.root === root;
  const leafHash = HASHER.leaf(utf8(leaf));
  const isIn = isIncluded({ index, size, leafHash, proof: path.map(fromHex), root: fromHex(root) });
  const isInTime = point === null || (hour <= point.changedAt && point.changedAt < hour + SECONDS_AN_HOUR);
  const right = isEntry && isOfProof && isIn && isInTime;
  const wrong = !isEntry
    ? "The entry is not one of an hour's points."
    : !isOfProof
      ? "The entry is of another hour, count or root."
      : !isIn
        ? `Leaf ${index} of ${size} of the hour is not this point.`
        : "The point was not written in that hour.";
  steps.judge("root", right, `It is point ${index} of ${size} written in the hour ${isoOf(hour)}.`, wrong);
  return right ? entry : null;
}

const textless = ({ hour, count, root }: PointsEntry) => ({ hour, count, root });

function logStep(proof: PointProof, { hour }: PointsEntry, trust: PointTrust, steps: Steps): void {
  const entry = {
    text: proof.entry,
    madeAt: hour + SECONDS_AN_HOUR,
    what: "the root of this hour",
    made: "the hour's points were signed",
  };
  try {
    const { checkpoint } = parseTlogProof(proof.log_proof);
    const isAsked = trust.logs.length > 0;
    const logged = provedEntry(
      proof.log_proof,
      entry,
      { ...trust, isAsked, served: trust.served?.(checkpoint) },
      steps,
    );
    if (!isAsked)
      steps.add(ISSUER, "unknown", "Its signer was not checked: name the log's key with --log-key.");
    if (logged === null) return;
    steps.add(ISSUER, "ok", `The log ${logged.origin}, which you trust, signed it as entry ${logged.index}.`);
  } catch (error) {
    steps.add("log", "wrong", `The proof of the decision log does not do: ${(error as Error).message}.`);
  }
}
