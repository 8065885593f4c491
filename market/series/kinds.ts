/** The two kinds of series that have hours, and how a raw sample of each is read. */
import { BasisInputs, type PointHour, PremiumInputs } from "../../attestor/points/point.ts";
import { basisFromStored, basisInputs } from "./basis.ts";
import type { SeriesSample } from "./buckets.ts";
import { premiumFromStored, premiumInputs } from "./premium.ts";
import type { StoredSample } from "./stored.ts";

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
