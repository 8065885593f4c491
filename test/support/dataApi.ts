/** The data API as tests ask it: every answer is checked by the OpenAPI document, and no limit is in the way. */
import { expect } from "chai";
import { parse } from "csv-parse/sync";
import type { Database } from "../../database/open.ts";
import { recordPremiums } from "../../market/series/premium.ts";
import { type Answer, REGISTRY, startTestApp, type TestAppOptions } from "./http.ts";
import { validateAnswer } from "./openapi.ts";
import { premiumSample } from "./samples.ts";
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

/** A time as the data API writes it. @param seconds unix */
export const iso = (seconds: number): string => new Date(seconds * 1_000).toISOString();

/** One premium of the first token in each of the hours before a moment. */
export async function recordHours(db: Database, hours: number, nowMs: number, tokenPriceUsd = "100.01") {
  const now = nowMs / 1000;
  const first = now - hours * 3_600;
  const sampleIn = (hour: number) =>
    premiumSample(REGISTRY.assets[0]!.assetKey, first + hour * 3_600, { tokenPriceUsd });
  await recordPremiums(
    db,
    Array.from({ length: hours }, (_, hour) => sampleIn(hour)),
    now,
  );
}

/** Holds each value of a CSV file, as a parser of other people reads it, against the same rows in JSON. */
export function expectSameRows(csv: string, rows: readonly object[]): void {
  const lines: Record<string, string>[] = parse(csv, { columns: true, record_delimiter: "\r\n" });
  expect(lines).to.have.length(rows.length);
  for (const [index, row] of rows.entries()) {
    const cells = Object.entries(lines[index] ?? {});
    const read = cells.map(([name, cell]) => [name, cellValue(cell, row[name as keyof typeof row])]);
    expect(Object.fromEntries(read)).to.deep.equal(row);
  }
}

/** A cell as a value of the type that the JSON has there. */
function cellValue(cell: string, alike: unknown): unknown {
  if (cell === "") return null;
  return typeof alike === "string" ? cell : JSON.parse(cell);
}
