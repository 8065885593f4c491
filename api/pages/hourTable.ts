/** A table of hours, the newest first: what a chart shows, for who does not see it or has no script. */
import { hourSpanText, hourText, newYorkText } from "../../attestor/view/times.ts";
import { type Html, html, join } from "./html.ts";
import type { Language } from "./language.ts";

export interface Column<Row> {
  readonly head: string;
  /** Figures are right-aligned. */
  readonly figure?: true;
  readonly cell: (row: Row) => Html | string;
}

const NEW_YORK = "America/New_York";

/** `22 Nov, 05:00` in New York. @param seconds unix */
const newYork = (seconds: number, language: Language): string =>
  hourText(seconds * 1_000, { language, zone: NEW_YORK });

/** `22 Nov, 10:00` in UTC; script says it in the reader's zone. @param seconds unix */
function utc(seconds: number, language: Language): Html {
  const ms = seconds * 1_000;
  return html`<time datetime="${new Date(ms).toISOString().slice(0, 16)}Z" data-hour>${hourText(ms, { language, zone: "UTC" })}</time>`;
}

/** `22 Nov, 10:00 to 11:00 UTC, 05:00 New York`; script says it in the reader's zone. @param seconds unix */
export function hourSpan(seconds: number, language: Language): Html {
  const ms = seconds * 1_000;
  return html`<time datetime="${new Date(ms).toISOString().slice(0, 16)}Z" data-hour="span">${hourSpanText(ms, { language, zone: "UTC" })}</time> <span data-zone-now>UTC</span>, ${newYorkText(ms, language)}`;
}

/**
 * @param name what the table is, for screen readers
 * @param rows the newest first
 */
export function hourTable<Row>(
  name: string,
  times: {
    readonly time: string;
    readonly newYork: string;
    readonly language: Language;
    readonly of: (row: Row) => number;
  },
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
      html`<tr><th scope="row">${utc(times.of(row), times.language)}</th><td>${newYork(times.of(row), times.language)}</td>${join(columns.map(cell(row)))}</tr>
`,
  ),
)}</tbody></table></div>`;
}
