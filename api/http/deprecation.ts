/**
 * What a route says from the day on which clients should leave it: `Deprecation` (RFC 9745), `Sunset` (RFC 8594) and a
 * link to what to use instead, in every answer, problems included, and in the OpenAPI document.
 */
import type { UnixSeconds } from "../../attestor/values/time.ts";

export interface Deprecation {
  /** From when on clients should not use it any more; midnight UTC. */
  readonly since: CalendarDay;
  /** From when on it may be gone; `MIN_NOTICE_DAYS` after `since` at the earliest. */
  readonly sunset: CalendarDay;
  /** One sentence: what to use instead. */
  readonly instead: string;
  /** Where that is explained: a URL, or a path of this service. */
  readonly link: string;
}

/** `2026-11-22` */
export type CalendarDay = `${number}-${number}-${number}`;

/** As docs/operations.md promises. */
export const MIN_NOTICE_DAYS = 90;

const DAY_SECONDS = 86_400;

function secondsOf(day: CalendarDay): UnixSeconds {
  const ms = Date.parse(`${day}T00:00:00Z`);
  // Date.parse takes 31 February for 3 March.
  if (Number.isNaN(ms) || new Date(ms).toISOString().slice(0, 10) !== day)
    throw new RangeError(`${day} is no day of the calendar`);
  return (ms / 1_000) as UnixSeconds;
}

/**
 * The headers of every answer.
 * @throws RangeError for a day that does not exist, and for a notice that is too short
 */
export function deprecationHeaders({ since, sunset, link }: Deprecation): Readonly<Record<string, string>> {
  const [from, until] = [secondsOf(since), secondsOf(sunset)];
  if (until - from < MIN_NOTICE_DAYS * DAY_SECONDS)
    throw new RangeError(`from ${since} to ${sunset} are fewer than ${MIN_NOTICE_DAYS} days`);
  return {
    Deprecation: `@${from}`,
    Sunset: new Date(until * 1_000).toUTCString(),
    Link: `<${link}>; rel="deprecation"; type="text/html"`,
  };
}

/** For people: in the OpenAPI document and in the reference. */
export function deprecationWords({ since, sunset, instead }: Deprecation): string {
  return `Deprecated since ${since}; may be gone from ${sunset} on. ${instead}`;
}
