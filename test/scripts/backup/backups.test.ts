/** Backups of SQLite, restored into both databases. */
import { readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { gunzipSync, gzipSync } from "node:zlib";
import { expect } from "chai";
import { sql } from "kysely";
import { createKeys } from "../../../api/keys/keys.ts";
import { backupTables, openSnapshot } from "../../../database/backup.ts";
import { migrate } from "../../../database/migrate.ts";
import { type Database, openDatabase, sqlitePath } from "../../../database/open.ts";
import type { Schema } from "../../../database/schema.ts";
import { addRows, forEachEngine, rowOf, rowsOf } from "../../support/database.ts";
import { fakeConsole } from "../../support/fakeConsole.ts";
import { APPLICANT } from "../../support/http.ts";
import { jobRow } from "../../support/paymentRows.ts";
import { testFolder } from "../../support/suite.ts";
import { assayIn } from "../../support/typed.ts";

describe("assay backup", () => {
  const folder = testFolder("backup");
  let files = 0;
  const newFile = () => join(folder, `${++files}.gz`);
  /** A SQLite database with its tables. */
  const newUrl = async () => {
    const url = `sqlite:${join(folder, `${++files}.db`)}`;
    const db = openDatabase(url);
    await migrate(db);
    await db.destroy();
    return url;
  };

  const { world, shown, warned } = fakeConsole();
  const backup = (databaseUrl: string, ...words: string[]) =>
    assayIn(["backup", ...words], { ...world, env: { DATABASE_URL: databaseUrl } });
  const refusal = async (act: Promise<number>) => {
    expect(await act).to.equal(2);
    return warned.splice(0).join("\n");
  };

  async function contentOf(db: Database) {
    const content: Record<string, unknown[]> = {};
    for (const table of await backupTables(db)) {
      const rows = await rowsOf(db, table as keyof Schema);
      content[table] = rows.map((row) => JSON.stringify(Object.entries(row).sort())).sort();
    }
    return content;
  }

  /** A key, a job with a report, and 1,200 samples with odd texts and missing values. */
  async function fill(url: string): Promise<{ key: string }> {
    const db = openDatabase(url);
    const keys = createKeys({ db, now: Date.now, randomBytes: (count) => new Uint8Array(count).fill(7) });
    const { key, record } = await keys.create(APPLICANT, "test");
    const odd = { client_request_id: 'o\'hara "x" \u{1F600} \\n', intent: '{"a":1}' };
    const ofKey = { key_id: record.id, token_digest: null };
    await addRows(db, "jobs", jobRow("job_1", 1_790_000_000, { ...odd, ...ofKey }));
    const samples = Array.from({ length: 1_200 }, (_, index) => ({
      asset_key: "eip155:1:0xa",
      sampled_at: index,
      source: "simulated",
      session: "regular",
      impact_1k_bps: index % 2 === 0 ? null : "1.25",
      impact_10k_bps: "-3",
    }));
    await addRows(db, "impact_samples", ...samples);
    await sql`insert into series (name) values ('a'), ('b')`.execute(db);
    const bucket = { series_id: 1, hour: 0, close_second: 0, origin_id: 1, samples: 1 };
    await addRows(db, "raw_samples", { series_id: 1, sampled_at: 0, sample: "[]", origin_id: 1 });
    await addRows(db, "hour_buckets", bucket);
    await db.destroy();
    return { key };
  }

  forEachEngine((engine) => {
    it("gives all of a SQLite database back, into a new one", async () => {
      const url = await newUrl();
      const { key } = await fill(url);
      const file = newFile();
      expect(await backup(url, "create", file)).to.equal(0);
      expect((await stat(file)).mode & 0o777).to.equal(0o600);
      const other = await engine.createEmptyUrl();
      expect(await backup(other, "restore", file)).to.equal(0);
      expect(shown.at(-1)).to.match(/^1,208 rows restored from /);

      const [before, after] = [openDatabase(url), openDatabase(other)];
      expect(await contentOf(after)).to.deep.equal(await contentOf(before));
      const keys = createKeys({ db: after, now: Date.now, randomBytes: () => new Uint8Array(32) });
      expect((await keys.authenticate(key)).state).to.equal("active");
      // Numbers are handed out from where the old database was.
      await sql`insert into series (name) values ('c')`.execute(after);
      const { rows } = await sql<{ id: number }>`select max(id) as id from series`.execute(after);
      expect(rows[0]!.id).to.equal(3);
      await before.destroy();
      await after.destroy();
    });

    it("restores nothing over what is there, and nothing of a file that is broken or of another version", async () => {
      const url = await newUrl();
      await fill(url);
      const file = newFile();
      await backup(url, "create", file);
      expect(await refusal(backup(url, "create", file))).to.contain("already exists");

      const text = gunzipSync(await readFile(file)).toString("utf8");
      const lines = text.trimEnd().split("\n");
      const broken: [string, Buffer][] = [
        ["it ends early", gzipSync(`${lines.slice(0, -1).join("\n")}\n`)],
        ["it ends early", (await readFile(file)).subarray(0, 2_000)],
        ["should have", gzipSync(text.replace(/\n\["impact_samples".*\n/, "\n"))],
        ["not a row of a backup", gzipSync(text.replace('["impact_samples"', '["other"'))],
        ["another version", gzipSync(text.replace('"0001_baseline"', '"0001_baseline","0002_more"'))],
        ["earlier, unpublished version", gzipSync(text.replace("0001_baseline", "0001_keys_and_samples"))],
        ["not a backup", gzipSync("{}")],
        ["not a gzip", Buffer.from(text)],
      ];
      const empty = await engine.createEmptyUrl();
      for (const [why, content] of broken) {
        const bad = newFile();
        await writeFile(bad, content);
        expect(await refusal(backup(empty, "restore", bad)), why).to.contain(why);
      }
      expect(await backup(empty, "restore", file)).to.equal(0);
      expect(await refusal(backup(empty, "restore", file))).to.match(
        /the database is not empty \(.*api_keys/,
      );
    });
  });

  it("assay backup is of one moment, despite concurrent writes", async () => {
    const url = await newUrl();
    await fill(url);
    const db = openDatabase(url);
    const snapshot = openSnapshot(sqlitePath(url));
    const seen: string[] = [];
    for (const { table, row } of snapshot.rows()) {
      // The service goes on writing, tables that were not read yet among them.
      if (seen.length === 0)
        await db.transaction().execute(async (trx) => {
          const more = { id: "job_more", client_request_id: "more" };
          await addRows(trx, "jobs", { ...(await rowOf(trx, "jobs")), ...more });
          await addRows(trx, "job_tokens", { digest: "more", job_id: "job_more", created_at: 1 });
        });
      seen.push(`${table} ${JSON.stringify(row)}`);
    }
    snapshot.close();
    await db.destroy();
    expect(seen).to.have.length(1_208);
    expect(seen.filter((line) => line.includes("job_more"))).to.deep.equal([]);
  });

  it("says what is missing, without the database's address", async () => {
    const [away, none] = ["postgres://user:geheim@127.0.0.1:9/none", `sqlite:${join(folder, "none.db")}`];
    expect(await refusal(backup(none, "create", newFile()))).to.equal(
      "assay backup create: the database cannot be reached",
    );
    expect(await refusal(backup(away, "create", newFile())))
      .to.contain("pg_dump")
      .and.not.contain("geheim");
    const nothing = backup("sqlite::memory:", "restore", join(folder, "none.gz"));
    expect(await refusal(nothing)).to.contain("does not exist");
  });
});
