/** Small pieces of the report view. Texts go in as text: no piece takes HTML. */
import type { Unit } from "../../attestor/checks/measure.ts";
import type { Bar } from "../../attestor/view/bars.ts";
import { valueText } from "../../attestor/view/findingWords.ts";
import HEADINGS from "../../attestor/view/headings.json" with { type: "json" };
import type { TokenUnit } from "../../attestor/view/reportView.ts";
import { bothTimes } from "../../attestor/view/times.ts";
import PLACE_WORDS from "./words.json" with { type: "json" };

/** Words of this view, beside those of reports in general. */
export const VIEW_WORDS = { ...HEADINGS, ...PLACE_WORDS };

export function Amount({
  value,
  unit,
  token,
}: {
  value: string;
  unit: Unit | null;
  token?: TokenUnit | null;
}) {
  return <span class="amount">{valueText(value, unit, token)}</span>;
}

/** Times in the reader's zone and New York's. @param seconds unix */
export function Moment({ seconds }: { seconds: number }) {
  const time = new Date(seconds * 1000);
  if (Number.isNaN(time.getTime())) return <span>?</span>;
  return <time dateTime={time.toISOString()}>{bothTimes(time.getTime(), "en")}</time>;
}

/** Observed value and limit on one line. Widths are attributes, which every policy lets be. */
export function BarOf({ bar, label, isBad }: { bar: Bar; label: string; isBad: boolean }) {
  const percent = (part: number) => `${(part * 100).toFixed(2)}%`;
  return (
    <svg class={isBad ? "gauge bad" : "gauge"} role="img" aria-label={label} width="100%" height="12">
      <rect class="track" x="0" y="4" width="100%" height="4" rx="2" />
      <rect class="seen" x="0" y="4" width={percent(Math.max(bar.observed, 0.004))} height="4" rx="2" />
      <line class="edge" x1={percent(bar.limit)} x2={percent(bar.limit)} y1="0" y2="12" />
    </svg>
  );
}

const LONG_HEX = /0x[0-9a-fA-F]{24,}/g;

/** A text with its hashes and addresses cut; the whole of it is its title. */
export function Short({ children }: { children: string }) {
  const cut = children.replace(LONG_HEX, (hex) => `${hex.slice(0, 8)}…${hex.slice(-6)}`);
  return <span title={cut === children ? undefined : children}>{cut}</span>;
}
