/** Moments and durations as people write them: `14 Nov 2025, 16:00 EST`, 中文 `2025年11月14日 16:00 EST`; `2 h 5 min`. */
import { grouped, MINUS } from "./amounts.ts";
import type { Language } from "./language.ts";

export interface Zoned {
  readonly language: Language;
  /** IANA name; the reader's own by default. */
  readonly zone?: string;
}

const HOUR_MS = 3_600_000;

const formats = new Map<string, Intl.DateTimeFormat>();

/** Parts of a moment by name. @param ms unix milliseconds @throws RangeError for what is no time */
function partsOf(ms: number, { language, zone }: Zoned): Readonly<Record<string, string>> {
  const key = `${language} ${zone ?? ""}`;
  const format =
    formats.get(key) ??
    new Intl.DateTimeFormat(language === "zh" ? "zh-CN" : "en", {
      ...(zone === undefined ? {} : { timeZone: zone }),
      year: "numeric",
      month: language === "zh" ? "numeric" : "short",
      day: "numeric",
      hour: "2-digit",
      minute: "2-digit",
      hourCycle: "h23",
      timeZoneName: "short",
    });
  formats.set(key, format);
  return Object.fromEntries(format.formatToParts(ms).map(({ type, value }) => [type, value]));
}

/** `14 Nov`, 中文 `11月14日`. @param ms unix milliseconds */
export function dayText(ms: number, zoned: Zoned): string {
  const { month, day } = partsOf(ms, zoned);
  return zoned.language === "zh" ? `${month}月${day}日` : `${day} ${month}`;
}

/** `16:00`. @param ms unix milliseconds */
export function clockText(ms: number, zoned: Zoned): string {
  const { hour, minute } = partsOf(ms, zoned);
  return `${hour}:${minute}`;
}

/** `14 Nov, 16:00`, 中文 `11月14日 16:00`. @param ms unix milliseconds */
export const hourText = (ms: number, zoned: Zoned): string =>
  `${dayText(ms, zoned)}${zoned.language === "zh" ? " " : ", "}${clockText(ms, zoned)}`;

/** The hour from a moment on: `14 Nov, 16:00 to 17:00`. @param ms unix milliseconds */
export const hourSpanText = (ms: number, zoned: Zoned): string =>
  `${hourText(ms, zoned)} ${zoned.language === "zh" ? "至" : "to"} ${clockText(ms + HOUR_MS, zoned)}`;

/** `EST`, `UTC`, `GMT+8`. @param ms unix milliseconds */
export const zoneText = (ms: number, zoned: Zoned): string => partsOf(ms, zoned).timeZoneName ?? "UTC";

/** `14 Nov 2025, 16:00 EST`. @param ms unix milliseconds */
export function momentText(ms: number, zoned: Zoned): string {
  const { year } = partsOf(ms, zoned);
  const day = dayText(ms, zoned);
  const date = zoned.language === "zh" ? `${year}年${day} ` : `${day} ${year}, `;
  return `${date}${clockText(ms, zoned)} ${zoneText(ms, zoned)}`;
}

/** `10:30 New York`. @param ms unix milliseconds */
export const newYorkText = (ms: number, language: Language): string =>
  `${clockText(ms, { language, zone: "America/New_York" })} ${language === "zh" ? "纽约" : "New York"}`;

/** In the reader's zone and New York's. @param ms unix milliseconds */
export const bothTimes = (ms: number, language: Language): string =>
  `${momentText(ms, { language })} · ${newYorkText(ms, language)}`;

const UNITS = [
  { seconds: 86_400n, en: "d", zh: "天" },
  { seconds: 3_600n, en: "h", zh: "小时" },
  { seconds: 60n, en: "min", zh: "分钟" },
  { seconds: 1n, en: "s", zh: "秒" },
] as const;

const counted = (n: bigint, unit: (typeof UNITS)[number], language: Language) =>
  `${grouped(String(n))} ${unit[language]}`;

/** `2 h 5 min`: every unit that is not zero, so that nothing is lost. */
export function durationText(seconds: bigint): string {
  let rest = seconds < 0n ? -seconds : seconds;
  const parts = UNITS.flatMap((unit) => {
    const n = rest / unit.seconds;
    rest %= unit.seconds;
    return n === 0n ? [] : [counted(n, unit, "en")];
  });
  const text = parts.length === 0 ? counted(0n, UNITS[3], "en") : parts.join(" ");
  return seconds < 0n ? `${MINUS}${text}` : text;
}

/** Rounded down to the largest unit of which there are two: `45 s`, `12 min`, `15 h`, `3 d`. @param seconds without sign */
export function agoText(seconds: number, language: Language): string {
  const whole = BigInt(Math.floor(Math.abs(seconds)));
  const unit = UNITS.find(({ seconds: size }) => whole >= size * 2n) ?? UNITS[3];
  return counted(whole / unit.seconds, unit, language);
}
