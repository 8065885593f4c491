/** What a sealed hour says, as it is stored: a JSON list, since the names of its members would take more room than they. */
import { z } from "zod";
import { BasisInputs, PointHour, PremiumInputs } from "../../attestor/points/point.ts";
import { basisFromStored, basisInputs } from "./basis.ts";
import type { SeriesSample } from "./buckets.ts";
import { premiumFromStored, premiumInputs } from "./premium.ts";
import type { StoredSample } from "./stored.ts";

/** One of the two kinds of series that have hours: how its raw samples are read. */
interface Kind {
  /** @throws ZodError */
  sampleOf(stored: StoredSample): SeriesSample;
  /** What the sample's figures follow from. @throws ZodError */
  inputsOf(stored: StoredSample): NonNullable<PointHour["inputs"]>;
  readonly inputs: typeof PremiumInputs | typeof BasisInputs;
}

const KINDS: Readonly<Record<"premium" | "basis", Kind>> = {
  premium: { sampleOf: premiumFromStored, inputsOf: premiumInputs, inputs: PremiumInputs },
  basis: { sampleOf: basisFromStored, inputsOf: basisInputs, inputs: BasisInputs },
};

/** @param series `premium/…` or `basis/…` */
export const kindOf = (series: string): Kind => KINDS[series.startsWith("basis/") ? "basis" : "premium"];

const MEMBERS = Object.keys(PointHour.shape) as (keyof PointHour)[];

/** @param series `premium/…` or `basis/…` */
export function contentText(series: string, hour: PointHour): string {
  const inputs = hour.inputs as Readonly<Record<string, unknown>> | null;
  const listed = inputs && Object.keys(kindOf(series).inputs.shape).map((member) => inputs[member]);
  return JSON.stringify(MEMBERS.map((member) => (member === "inputs" ? listed : hour[member])));
}

const List = z.array(z.unknown());

/** @throws ZodError for what `contentText` did not write; SyntaxError */
export function readContent(series: string, text: string): PointHour {
  const list = List.length(MEMBERS.length).parse(JSON.parse(text));
  const hour = Object.fromEntries(MEMBERS.map((member, index) => [member, list[index]]));
  return PointHour.parse({ ...hour, inputs: hour.inputs === null ? null : named(series, hour.inputs) });
}

function named(series: string, inputs: unknown) {
  const members = Object.keys(kindOf(series).inputs.shape);
  const list = List.length(members.length).parse(inputs);
  return Object.fromEntries(members.map((member, index) => [member, list[index]]));
}
