/** A table of hours, the newest first: what a chart shows, for who does not see it or has no script. */
import { type Html, html, join } from "./html.ts";

export interface Column<Row> {
  readonly head: string;
  /** Figures stand at the right. */
  readonly figure?: true;
  readonly cell: (row: Row) => Html | string;
}

/** The most that a page of one document should carry: thirty days. */
export const MAX_ROWS = 720;

const PARTS = new Intl.DateTimeFormat("en-CA", {
  timeZone: "America/New_York",
  month: "2-digit",
  day: "2-digit",
  hour: "2-digit",
  minute: "2-digit",
  hourCycle: "h23",
});

/** `11-22 05:00` in New York. @param seconds unix */
export function newYork(seconds: number): string {
  const parts = new Map(PARTS.formatToParts(seconds * 1_000).map(({ type, value }) => [type, value]));
  return `${parts.get("month")}-${parts.get("day")} ${parts.get("hour")}:${parts.get("minute")}`;
}

/** `11-22 10:00` in UTC; script says it in the reader's zone. @param seconds unix */
export function utc(seconds: number): Html {
  const iso = new Date(seconds * 1_000).toISOString();
  return html`<time datetime="${iso.slice(0, 16)}Z" data-hour>${iso.slice(5, 10)} ${iso.slice(11, 16)}</time>`;
}

/**
 * @param name what the table is, for screen readers
 * @param rows the newest first
 */
export function hourTable<Row>(
  name: string,
  times: { readonly time: string; readonly newYork: string; readonly of: (row: Row) => number },
  columns: readonly Column<Row>[],
  rows: readonly Row[],
): Html {
  const head = ({ head, figure }: Column<Row>) =>
    figure ? html`<th scope="col" class="number">${head}</th>` : html`<th scope="col">${head}</th>`;
  const cell = (row: Row) => (column: Column<Row>) =>
    column.figure ? html`<td class="number">${column.cell(row)}</td>` : html`<td>${column.cell(row)}</td>`;
  return html`<div class="hours" role="region" tabindex="0" aria-label="${name}"><table><caption class="hidden">${name}</caption>
<thead><tr><th scope="col" data-zone>${times.time}</th><th scope="col">${times.newYork}</th>${join(columns.map(head))}</tr></thead>
<tbody>
${join(
  rows.map(
    (row) =>
      html`<tr><th scope="row">${utc(times.of(row))}</th><td>${newYork(times.of(row))}</td>${join(columns.map(cell(row)))}</tr>
`,
  ),
)}</tbody></table></div>`;
}
