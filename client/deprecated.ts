/** Tells, once, of calls that the service means to end: `Deprecation` (RFC 9745), `Sunset` (RFC 8594). */

export type DeprecationTeller = (
  call: { readonly method: string; readonly path: string },
  headers: Headers,
) => void;

/** @param warn gets one sentence for each notice, however many calls carry it */
export function deprecationTeller(warn: (message: string) => void): DeprecationTeller {
  const told = new Set<string>();
  return ({ method, path }, headers) => {
    const since = dayOf(headers.get("deprecation"));
    if (since === null) return;
    const notice = [method, since, headers.get("sunset"), headers.get("link")].join("\n");
    if (told.has(notice)) return;
    told.add(notice);
    const until = Date.parse(headers.get("sunset") ?? "");
    const end = Number.isNaN(until) ? "" : ` and may be gone from ${isoDay(until)} on`;
    const [, link] = /<([^>]*)>\s*;[^,]*rel="?deprecation"?/i.exec(headers.get("link") ?? "") ?? [];
    warn(`${method} ${path} is deprecated since ${since}${end}${link === undefined ? "" : `: see ${link}`}.`);
  };
}

/** A structured field of the kind Date: `@` and unix seconds. */
function dayOf(header: string | null): string | null {
  const [, seconds] = /^@(-?\d{1,12})$/.exec(header?.trim() ?? "") ?? [];
  return seconds === undefined ? null : isoDay(Number(seconds) * 1_000);
}

const isoDay = (ms: number) => new Date(ms).toISOString().slice(0, 10);
