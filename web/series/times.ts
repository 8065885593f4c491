/** Times on the axis of a chart and beside its cursor. */

const formats = new Map<string, Intl.DateTimeFormat>();
function format(language: string, options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  const key = language + JSON.stringify(options);
  const known = formats.get(key) ?? new Intl.DateTimeFormat(language, options);
  formats.set(key, known);
  return known;
}

/**
 * Labels in the reader's zone: the day where one begins, else the hour; nothing but days where they lie days apart.
 * @param splits unix seconds
 * @param zone IANA name; the reader's own by default
 */
export function axisTimes(splits: readonly number[], language: string, zone?: string): string[] {
  const timeZone = zone === undefined ? {} : { timeZone: zone };
  const day = format(language, { month: "short", day: "numeric", ...timeZone });
  const hour = format(language, { hour: "2-digit", minute: "2-digit", hourCycle: "h23", ...timeZone });
  const apart = (splits[1] ?? 0) - (splits[0] ?? 0);
  return splits.map((seconds) => {
    const time = hour.format(seconds * 1_000);
    return apart >= 86_400 || time === "00:00" ? day.format(seconds * 1_000) : time;
  });
}
