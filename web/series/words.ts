/** The words of the charts, as the page's template hands them over (`api/pages/tokenView.ts`). */
import type { Language } from "../../attestor/view/language.ts";

type Named<Name extends string> = Readonly<Record<Name, string>>;

export interface ChartWords {
  readonly language: Language;
  readonly columns: Named<
    "premium" | "low" | "high" | "edge" | "basis" | "funding" | "newYork" | "samples" | "shares"
  >;
  readonly legend: Named<"small" | "large" | "raw" | "adjusted" | "reference" | "funding">;
  readonly readout: Named<"funding" | "noFunding" | "unknown" | "noReference" | "band" | "age" | "noRoute">;
  readonly states: Named<"agreed" | "single" | "disputed" | "halted">;
  readonly sessions: Readonly<Record<string, string>>;
  /** With `{before}` and `{after}`. */
  readonly action: string;
  readonly loading: string;
  readonly failed: string;
}
