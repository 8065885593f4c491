/** Small pieces of the report view. Texts go in as text: no piece takes HTML. */
import { type TokenUnit, type Unit, valueText } from "../../attestor/view/findingWords.ts";
import HEADINGS from "../../attestor/view/headings.json" with { type: "json" };
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

const LONG_HEX = /0x[0-9a-fA-F]{24,}/g;

/** A text with its hashes and addresses cut; the whole of it is its title. */
export function Short({ children }: { children: string }) {
  const cut = children.replace(LONG_HEX, (hex) => `${hex.slice(0, 8)}…${hex.slice(-6)}`);
  return <span title={cut === children ? undefined : children}>{cut}</span>;
}
