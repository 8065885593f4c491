/** What `bench -- rows` fills and asks keeps up with the schema and the service: the bench itself is too long to be run often. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { testService } from "../../test/support/service.ts";
import { testWorld } from "../../test/support/world.ts";
import { forgotten } from "../bench/rows/endpoints.ts";
import ROWS from "../bench/rows/rows.json" with { type: "json" };

const SCHEMA = readFileSync(join(import.meta.dirname, "../../database/baseline/postgres.sql"), "utf8");

/** Columns that an insert has to name. */
function neededBy(table: string): string[] {
  const [, body = ""] = new RegExp(`create table ${table} \\(\\n([\\s\\S]*?)\\n\\)`).exec(SCHEMA) ?? [];
  return body
    .split("\n")
    .filter((line) => /^ {2}\w+ .*(not null|primary key)/.test(line))
    .filter((line) => !/\bdefault\b|^ {2}(primary|unique|check|foreign|constraint)\b/.test(line))
    .map((line) => line.trim().split(" ")[0]!);
}

describe("bench -- rows", () => {
  const service = testService(testWorld());

  it("fills each column that has to be filled", () => {
    const filled = Object.values(ROWS).flat();
    expect(filled.length).to.be.greaterThan(15);
    for (const { table, columns } of filled) {
      const needed = neededBy(table);
      expect(needed, table).to.not.have.length(0);
      expect(columns.split(", "), table).to.include.members(needed);
    }
  });

  it("asks every operation of the service whose time could grow with the rows", () => {
    const paths: Record<string, object> = service.openapi.paths as never;
    const operations = Object.entries(paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
    );
    expect(operations.length).to.be.greaterThan(40);
    expect(forgotten(operations)).to.deep.equal([]);
  });
});
