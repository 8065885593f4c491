/** The data API as tests ask it: every answer is checked by the OpenAPI document, and no limit is in the way. */
import { expect } from "chai";
import { type Answer, startTestApp, type TestAppOptions } from "./http.ts";
import { validateAnswer } from "./openapi.ts";
import { ofSuite } from "./suite.ts";

type Get = (path: string) => Promise<Answer>;

/**
 * An app of the suite's own, and its answers.
 * @param base that every path begins with
 */
export function testDataApi(make: () => Promise<TestAppOptions>, base = "") {
  const settings = { keyLimitPerMinute: 100_000, addressLimitPerMinute: 100_000 };
  const app = ofSuite(async () => startTestApp({ settings, ...(await make()) }));
  /** @param key null: without one */
  async function get(rest = "", key?: string | null): Promise<Answer> {
    const path = base + rest;
    const answer = await app.call(path, key === undefined ? {} : { key });
    validateAnswer(app.openapi, "GET", path, answer.status, answer.body, answer.headers);
    return answer;
  }
  return { app, get };
}

/** The entries under `member`, page by page. @param byLink by the Link header of each page, not by its cursor */
export async function paged(get: Get, path: string, member: string, limit: number, byLink = true) {
  const first = `${path}${path.includes("?") ? "&" : "?"}limit=${limit}`;
  const listed: any[] = [];
  for (let next: string | null = first; next !== null; ) {
    const { body, headers }: Answer = await get(next);
    listed.push(...body[member]);
    // A day of sums is never cut.
    if (member !== "series") expect(body[member].length).to.be.at.most(limit);
    const link = headers.get("link")?.match(/^<(\?[^>]+)>; rel="next"$/)?.[1];
    expect(link === undefined).to.equal(body.next_cursor === null);
    if (link === undefined) next = null;
    else next = byLink ? path.split("?")[0] + link : `${first}&cursor=${body.next_cursor}`;
  }
  return listed;
}

/** What NDJSON says of its rows, and the rows. */
export function ndjsonOf({ text }: Answer): { meta: any; rows: any[] } {
  const [head, ...rows] = text
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
  return { meta: head.meta, rows };
}

/** Rows as DuckDB reads them in a CSV file. */
export const asTexts = (rows: object[]) =>
  rows.map((row) =>
    Object.fromEntries(
      Object.entries(row).map(([name, value]) => [
        name,
        value === null ? null : typeof value === "object" ? JSON.stringify(value) : String(value),
      ]),
    ),
  );
