/** The data API as tests ask it: every answer is checked by the OpenAPI document, and no limit is in the way. */
import { type Answer, startTestApp, type TestAppOptions } from "./http.ts";
import { validateAnswer } from "./openapi.ts";
import { ofSuite } from "./suite.ts";

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
