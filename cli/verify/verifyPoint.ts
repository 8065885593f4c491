/** `assay verify --point`: checks points of the data API by the proofs that they carry and the log's key. */
import { askServed, type LogSource, type ServedTree } from "../../attestor/log/served.ts";
import {
  checkpointOfPoint,
  type PointVerification,
  shownPoints,
  verifyPoint,
} from "../../attestor/points/pointProof.ts";
import { sentenceOf, type Verdict } from "../../attestor/steps.ts";
import { MAX_DOCUMENT_LENGTH, parseDocument } from "../../attestor/verify/document.ts";
import type { KnownGuard } from "../../attestor/verify/issuer.ts";
import { printable } from "../../attestor/view/printable.ts";
import { EXIT_CODES, PlainError, parseTyped, readFile, UsageError, type World } from "../console.ts";
import { vkeyOf } from "../typed.ts";
import { serviceAddress } from "./publicArtifacts.ts";
import { printSteps } from "./verifyOutput.ts";

const OPTIONS = {
  point: { type: "string" },
  service: { type: "string" },
  "log-key": { type: "string", multiple: true },
  witness: { type: "string", multiple: true },
  json: { type: "boolean" },
} as const;

/** What decides on several comes first. */
const ORDER: readonly Verdict[] = ["INVALID", "UNVERIFIABLE", "VALID"];

/**
 * @param installed what this installation knows by itself
 * @param openLog how to reach the log of a service
 * @returns the exit code, as of `assay verify`
 * @throws UsageError for arguments that make no sense, PlainError for a file that cannot be read or has no points
 */
export async function verifyPointCommand(
  args: string[],
  world: World,
  installed: () => Promise<readonly KnownGuard[]>,
  openLog: (base: string) => LogSource,
): Promise<number> {
  const given = parseTyped({ args, options: OPTIONS }).values;
  const { point: file = "-", json = false, service } = given;
  const logs =
    given["log-key"]?.map((text) => vkeyOf("--log-key", text)) ??
    (await installed()).flatMap(({ logKeys = [] }) => logKeys);
  const trust = { logs, witnesses: (given.witness ?? []).map((text) => vkeyOf("--witness", text)) };
  const source = service === undefined ? null : openLog(serviceAddress(service));
  const { points, answer } = pointsIn(await readFile(file, MAX_DOCUMENT_LENGTH, world));
  const served = new Map<string, ServedTree | null>();
  for (const note of new Set(points.map(checkpointOfPoint)))
    if (source !== null && note !== null) served.set(note, await askServed(note, trust, source));
  const results = points.map((shown) =>
    verifyPoint(shown, answer, { ...trust, served: (note) => served.get(note) }),
  );
  return EXIT_CODES[print(results, json, world)];
}

function pointsIn(text: string) {
  let document: unknown;
  try {
    document = parseDocument(text);
  } catch (error) {
    throw new PlainError(`this is no answer of the data API: ${(error as Error).message}`);
  }
  const shown = shownPoints(document);
  if (shown === null) throw new UsageError("--point takes a point with its proof, or an answer with points");
  if (shown.points.length === 0) throw new PlainError("there are no points in it");
  return shown;
}

/** @returns the verdict on all of them: the worst */
function print(results: readonly PointVerification[], json: boolean, world: World): Verdict {
  const countOf = (verdict: Verdict) => results.filter((result) => result.verdict === verdict).length;
  const verdict = ORDER.find((each) => countOf(each) > 0) as Verdict;
  const first = results.find((result) => result.verdict === verdict) as PointVerification;
  const sentence = printable(sentenceOf(first));
  const counts = ORDER.filter((each) => countOf(each) > 0).map((each) => `${countOf(each)} ${each}`);
  const all =
    counts.length === 1 ? `all ${results.length} points` : `${counts.join(", ")} of ${results.length} points`;
  const conclusion =
    results.length === 1 ? sentence : `${verdict}: ${all}. The first: ${sentence.slice(verdict.length + 2)}`;
  if (json) {
    const points = results.map(({ point, verdict, steps }) => {
      const { series = null, t = null, revision = null } = point ?? {};
      return { verdict, series, t, revision, steps };
    });
    world.out(JSON.stringify({ verdict, conclusion, points }, null, 2));
    return verdict;
  }
  if (results.length === 1) printSteps(first.steps, world);
  else for (const result of results) world.out(printable(lineOf(result), false));
  world.out(conclusion);
  return verdict;
}

const LONGEST_VERDICT = "UNVERIFIABLE".length;

/** A point of several: what it is, and what is wrong with it. */
function lineOf({ verdict, point, steps }: PointVerification): string {
  const at = point === null ? "?" : new Date(point.t * 1_000).toISOString();
  const named = point === null ? "a point" : `${point.series}, revision ${point.revision}`;
  const outcome = verdict === "INVALID" ? "wrong" : "unknown";
  const why = verdict === "VALID" ? undefined : steps.find((step) => step.outcome === outcome)?.detail;
  return `${verdict.padEnd(LONGEST_VERDICT)}  ${at}  ${named}${why === undefined ? "" : `: ${why}`}`;
}
