/** The words of the charts, as the page's template hands them over (`api/pages/tokenView.ts`). */
import type { Language } from "../../attestor/view/language.ts";

type Named<Name extends string> = Readonly<Record<Name, string>>;

export interface ChartWords {
  readonly language: Language;
  readonly columns: Named<"premium" | "basis">;
  readonly readout: Named<"funding" | "noFunding" | "unknown" | "noReference" | "band" | "age">;
  readonly states: Named<"agreed" | "single" | "disputed" | "halted">;
  readonly sessions: Readonly<Record<string, string>>;
  readonly loading: string;
  readonly failed: string;
}
