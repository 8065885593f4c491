/** A week in a line of text: the path of a series, drawn by the server so that it needs no script. */
import { type Html, html } from "./html.ts";

const WIDTH = 168;
const HEIGHT = 36;
const PAD = 3;
/** Hours that make one place of the line. */
const STEP = 2;

export interface SparkPoint {
  /** Unix seconds, start of the hour. */
  readonly t: number;
  readonly value: number | null;
}

/**
 * An SVG of the last seven days that end with the hour of `now`. Hours without a figure are gaps, no line leads over them.
 * @param label what a screen reader says of it
 * @returns null: fewer than two places have a figure
 */
export function sparkline(points: readonly SparkPoint[], now: number, label: string): Html | null {
  const places = placesOf(points, now);
  const known = places.filter((value) => value !== null);
  if (known.length < 2) return null;
  // Zero belongs to a premium: how far away it is, is the news.
  const low = known.reduce((one, other) => Math.min(one, other), 0);
  const high = known.reduce((one, other) => Math.max(one, other), 0);
  const span = high - low || 1;
  const y = (value: number) => Math.round(PAD + ((high - value) / span) * (HEIGHT - 2 * PAD));
  return html`<svg class="spark" viewBox="0 0 ${WIDTH} ${HEIGHT}" preserveAspectRatio="none" role="img" aria-label="${label}"><path class="zero" d="M0 ${y(0)}H${WIDTH}"/><path d="${pathOf(places, y)}"/></svg>`;
}

/** The last figure of each two hours, oldest first. */
function placesOf(points: readonly SparkPoint[], now: number): (number | null)[] {
  const end = Math.floor(now / 3_600) + 1;
  const places: (number | null)[] = Array.from({ length: WIDTH / STEP }, () => null);
  for (const { t, value } of points) {
    const place = Math.floor((t / 3_600 - (end - WIDTH)) / STEP);
    if (value !== null && place >= 0 && place < places.length) places[place] = value;
  }
  return places;
}

/** Steps from place to place, which take half the room of places: a page has forty lines. */
function pathOf(places: readonly (number | null)[], y: (value: number) => number): string {
  let path = "";
  let last: number | null = null;
  for (const [place, value] of places.entries()) {
    if (value === null) {
      last = null;
      continue;
    }
    const height = y(value);
    if (last === null)
      path += `M${place * STEP + STEP / 2} ${height}${places[place + 1] == null ? "h.1" : "l"}`;
    else path += `${path.endsWith("l") ? "" : " "}${STEP}${height < last ? "" : " "}${height - last}`;
    last = height;
  }
  return path;
}
