/** The words of the charts, as the page's template hands them over (`api/pages/tokenView.ts`). */

type Named<Name extends string> = Readonly<Record<Name, string>>;

export interface ChartWords {
  /** `en`, `zh`. */
  readonly language: string;
  readonly columns: Named<
    "premium" | "low" | "high" | "edge" | "basis" | "funding" | "newYork" | "samples" | "shares"
  >;
  readonly legend: Named<"small" | "large" | "raw" | "adjusted" | "reference" | "funding">;
  readonly readout: Named<"hours" | "unknown" | "noReference" | "band" | "age" | "noRoute">;
  readonly states: Named<"agreed" | "single" | "disputed" | "halted">;
  readonly sessions: Readonly<Record<string, string>>;
  /** With `{before}` and `{after}`. */
  readonly action: string;
  readonly loading: string;
  readonly failed: string;
}
