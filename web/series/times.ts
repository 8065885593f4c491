/** Times on the axis of a chart. */
import type { Language } from "../../attestor/view/language.ts";
import { clockText, dayText } from "../../attestor/view/times.ts";

/**
 * Labels in the reader's zone: the day where one begins, else the hour; nothing but days where they lie days apart.
 * @param splits unix seconds
 * @param zone IANA name; the reader's own by default
 */
export function axisTimes(splits: readonly number[], language: Language, zone?: string): string[] {
  const zoned = zone === undefined ? { language } : { language, zone };
  const apart = (splits[1] ?? 0) - (splits[0] ?? 0);
  return splits.map((seconds) => {
    const time = clockText(seconds * 1_000, zoned);
    return apart >= 86_400 || time === "00:00" ? dayText(seconds * 1_000, zoned) : time;
  });
}
