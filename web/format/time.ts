/** Times in the reader's zone and New York's. `api/pages/format.ts` says the same without script, in UTC. */

export interface Zone {
  /** `en`, `zh-CN`. */
  readonly language: string;
  /** IANA name; the reader's own by default. */
  readonly zone?: string;
}

/** `2026-11-20 15:30 GMT+1`. @param iso ISO 8601 */
export function inZone(iso: string, { language, zone }: Zone): string {
  const parts = new Intl.DateTimeFormat(language, {
    ...(zone === undefined ? {} : { timeZone: zone }),
    year: "numeric",
    month: "2-digit",
    day: "2-digit",
    hour: "2-digit",
    minute: "2-digit",
    hourCycle: "h23",
    timeZoneName: "short",
  }).formatToParts(new Date(iso));
  const of = (type: string) => parts.find((part) => part.type === type)?.value ?? "";
  return `${of("year")}-${of("month")}-${of("day")} ${of("hour")}:${of("minute")} ${of("timeZoneName")}`;
}

/** `15:30 GMT+1`. @param iso ISO 8601 */
export function timeInZone(iso: string, zone: Zone): string {
  return inZone(iso, zone).split(" ").slice(1).join(" ");
}

/** In the reader's zone and New York's. @param iso ISO 8601 @param language `en`, `zh-CN` */
export function moment(iso: string, language: string): string {
  const newYork = timeInZone(iso, { language, zone: "America/New_York" }).split(" ")[0];
  return `${inZone(iso, { language })} · ${newYork} ${language.startsWith("zh") ? "纽约" : "New York"}`;
}
