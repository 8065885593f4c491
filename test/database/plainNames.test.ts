/** A database from before payment_terms and the two figures of an hour, filled, copied and brought up to date. */
import { fork } from "node:child_process";
import { once } from "node:events";
import { copyFileSync } from "node:fs";
import { expect } from "chai";
import { sql } from "kysely";
import { Migrator } from "kysely/migration";
import pg from "pg";
import { findJobPayments, findPaymentTerms } from "../../api/payments/ledger.ts";
import { migrate } from "../../database/migrate.ts";
import { MIGRATIONS } from "../../database/migrations/all.ts";
import { type Database, openDatabase, sqlitePath } from "../../database/open.ts";
import { basisPoints, premiumPoints } from "../../market/queries.ts";
import { recordSeries } from "../../market/series/buckets.ts";
import { forEachEngine, type TestEngine } from "../support/database.ts";

const MIGRATION = "0016_plain_names";
const names = Object.keys(MIGRATIONS).sort();
const BEFORE = names[names.indexOf(MIGRATION) - 1]!;
/** Tables of before. */
const TERMS = "quotes";
const HOURS_TABLE = "hour_buckets";
const HOUR = 498_600;
const AT = HOUR * 3_600;
const ALL = { from: AT, to: AT + 10 * 3_600 };

const terms = (jobId: string) => ({
  scheme: "exact",
  network: "eip155:31337",
  asset: "0xToken",
  amount: "10000",
  payTo: "0xPayee",
  maxTimeoutSeconds: 300,
  extra: { name: "USDL", version: "1", quote: `job:${jobId}` },
});
const payload = (jobId: string) => ({
  x402Version: 2,
  accepted: terms(jobId),
  payload: {
    signature: "0x00",
    authorization: {
      from: "0x70997970C51812dc3A010C7d01b50e0d17dc79C8",
      to: "0x2546BcD3c84621e976D8185a91A922aE77ECEc30",
      value: "10000",
      validAfter: "0",
      validBefore: String(AT + 300),
      nonce: `0x${"00".repeat(32)}`,
    },
  },
});

/** Every state that a job's payment can be in, by the job's id; null: nobody has paid. */
const JOBS = {
  free: null,
  unpaid: null,
  settling: { state: "settling", fault: null },
  settled: { state: "settled", fault: null },
  failed: { state: "expired", fault: "spent_otherwise" },
  covered: { state: "expired", fault: "covered" },
} as const;

/** Series, hour, close, second figure. */
const HOURS: readonly [string, number, number | null, number | null][] = [
  ["premium/AAPLx", 0, 120_000, -30_000],
  ["premium/AAPLx", 1, 110_000, null],
  ["premium/AAPLx", 2, null, null],
  ["basis/binance/AAPL", 0, 5_000, 1_095_000],
  ["basis/hyperliquid/AAPL", 0, -7_000, 0],
  ["basis/hyperliquid/AAPL", 1, 1_000, null],
];

async function fill(db: Database): Promise<void> {
  const migrator = new Migrator({ db, provider: { getMigrations: async () => MIGRATIONS } });
  expect((await migrator.migrateTo(BEFORE)).error).to.equal(undefined);
  for (const [id, payment] of Object.entries(JOBS)) {
    await sql`insert into jobs (id, token_digest, client_request_id, request_hash, intent, created_at, expires_at,
      last_version) values (${id}, ${id}, ${id}, ${id}, '{}', ${AT}, ${AT + 86_400}, 1)`.execute(db);
    if (id !== "free")
      await sql`insert into quotes (job_id, accepts, created_at)
        values (${id}, ${JSON.stringify([terms(id)])}, ${AT})`.execute(db);
    if (payment === null) continue;
    const { state, fault } = payment;
    await sql`insert into payments (network, asset, payer, nonce, job_id, state, amount, pay_to, valid_before, payload,
      requirements, unused_at_block, created_at, attempts, attempt_until, next_look_at, fault, transaction_hash)
      values ('eip155:31337', '0xToken', '0xPayer', ${id}, ${id}, ${state}, '10000', '0xPayee', ${AT + 300},
      ${JSON.stringify(payload(id))}, ${JSON.stringify(terms(id))}, 1, ${AT}, 1, 0, ${AT * 1_000}, ${fault},
      ${state === "settled" ? "0xhash" : null})`.execute(db);
    await sql`insert into body_purchases (payer, intent_hash, identifier, job_id, created_at, answers_until, expires_at)
      values ('0xPayer', ${id}, '', ${id}, ${AT}, ${AT + 600}, ${AT + 600})`.execute(db);
  }
  await sql`insert into origins (id, source, session, reference_source) values (7001, 's', 'regular', 'r')`.execute(
    db,
  );
  for (const name of new Set(HOURS.map(([series]) => series)))
    await sql`insert into series (name) values (${name})`.execute(db);
  for (const [series, hour, close, companion] of HOURS)
    await sql`insert into hour_buckets (series_id, hour, close, lo, hi, companion, close_second, origin_id, samples,
      reference_age, witnesses) values ((select id from series where name = ${series}), ${HOUR + hour}, ${close},
      ${close}, ${close}, ${companion}, 3000, 7001, 12, 5, 2)`.execute(db);
}

async function rowsOf(db: Database, table: string): Promise<string[]> {
  const { rows } = await sql<object>`select * from ${sql.table(table)}`.execute(db);
  return rows.map((row) => JSON.stringify(Object.entries(row).sort())).sort();
}

/** All tables but the migrator's own. */
async function contentOf(db: Database): Promise<Record<string, string[]>> {
  const tables = await db.introspection.getTables();
  return Object.fromEntries(
    await Promise.all(tables.map(async ({ name }) => [name, await rowsOf(db, name)] as const)),
  );
}

/** A copy of a database that nobody has open. @returns its URL */
async function copyOf(url: string, engine: TestEngine): Promise<string> {
  const copy = await engine.createUrl();
  if (engine.name === "sqlite") copyFileSync(sqlitePath(url), sqlitePath(copy));
  else {
    const [from, to] = [url, copy].map((address) => new URL(address).pathname.slice(1));
    const client = new pg.Client({ connectionString: new URL("/postgres", url).href });
    await client.connect();
    await client.query(`drop database ${to}`);
    await client.query(`create database ${to} template ${from}`);
    await client.end();
  }
  return copy;
}

describe("a filled database from before payment_terms", function () {
  this.timeout(180_000);

  forEachEngine((engine) => {
    let old: string;
    let content: Record<string, string[]>;
    before(async () => {
      old = await engine.createUrl();
      const db = openDatabase(old);
      await fill(db);
      content = await contentOf(db);
      await db.destroy();
      expect(content[TERMS]).to.have.length(5);
      expect(content[HOURS_TABLE]).to.have.length(HOURS.length);
    });

    async function onCopy<T>(work: (db: Database) => Promise<T>): Promise<T> {
      const db = openDatabase(await copyOf(old, engine));
      try {
        await migrate(db);
        return await work(db);
      } finally {
        await db.destroy();
      }
    }

    it("keeps the terms of every job, paid, unpaid or being paid, under the new name", async () => {
      await onCopy(async (db) => {
        expect(await rowsOf(db, "payment_terms")).to.deep.equal(content[TERMS]);
        expect((await db.introspection.getTables()).map(({ name }) => name)).not.to.include(TERMS);
        for (const [id, payment] of Object.entries(JOBS)) {
          expect(await findPaymentTerms(db, id)).to.deep.equal(id === "free" ? null : [terms(id)]);
          const { ofJob } = await findJobPayments(db, id, null);
          expect(ofJob?.state ?? null).to.equal(
            payment === null || payment.state === "expired" ? null : payment.state,
          );
        }
      });
    });

    it("keeps a premium's net edge and a basis's funding, each under its own name, and so does what is added", async () => {
      await onCopy(async (db) => {
        const premium = await premiumPoints(db, "AAPLx", ALL);
        expect(premium.map((point) => [point.premiumBps, point.netEdgeBps])).to.deep.equal([
          ["12", "-3"],
          ["11", null],
          [null, null],
        ]);
        const basis = async (venue: string) =>
          (await basisPoints(db, "AAPL", ALL, venue)).map((point) => [
            point.basisBps,
            point.fundingAnnualBps,
          ]);
        expect(await basis("binance")).to.deep.equal([["0.5", "109.5"]]);
        expect(await basis("hyperliquid")).to.deep.equal([
          ["-0.7", "0"],
          ["0.1", null],
        ]);
        const both = await db
          .selectFrom("hour_buckets")
          .select("hour")
          .where("net_edge", "is not", null)
          .where("funding_annual", "is not", null)
          .execute();
        expect(both).to.deep.equal([]);
        await recordSeries(db, [
          {
            series: "basis/binance/AAPL",
            sampledAt: AT + 3_599,
            origin: { source: "s", session: "regular", referenceSource: "r" },
            value: 6_000,
            netEdge: null,
            fundingAnnual: 20_000,
            referenceAge: 1,
            witnesses: 1,
            text: "[]",
          },
        ]);
        expect(await basis("binance")).to.deep.equal([["0.6", "2"]]);
      });
    });

    it("keeps every other table as it was, and takes all of it back when the migration is undone", async () => {
      await onCopy(async (db) => {
        const after = await contentOf(db);
        for (const [table, rows] of Object.entries(content))
          if (![TERMS, HOURS_TABLE].includes(table)) expect(after[table], table).to.deep.equal(rows);
        const migrator = new Migrator({ db, provider: { getMigrations: async () => MIGRATIONS } });
        expect((await migrator.migrateTo(BEFORE)).error).to.equal(undefined);
        expect(await contentOf(db)).to.deep.equal(content);
      });
    });

    const inPostgres = engine.name === "postgres" ? it : () => {};
    inPostgres("names the table's constraints as the table", async () => {
      await onCopy(async (db) => {
        const { rows } = await sql<{ conname: string }>`select conname from pg_constraint
          where conrelid = 'payment_terms'::regclass and contype in ('p', 'f') order by 1`.execute(db);
        expect(rows.map(({ conname }) => conname)).to.deep.equal([
          "payment_terms_job_id_fkey",
          "payment_terms_pkey",
        ]);
      });
    });

    it("a filled database from before payment_terms is as it was when the migrating process is killed at any statement, and whole after the next start", async () => {
      const killed = new URL("../support/migrate-killed.ts", import.meta.url);
      let deaths = 0;
      for (let statement = 1; ; statement++) {
        const url = await copyOf(old, engine);
        const child = fork(killed, [url, MIGRATION, String(statement)], { silent: true });
        const [code, signal] = await once(child, "exit");
        if (signal === null) {
          expect(code).to.equal(0);
          break;
        }
        deaths++;
        const db = openDatabase(url);
        try {
          expect(await contentOf(db), `killed at statement ${statement}`).to.deep.equal(content);
          expect(await migrate(db)).to.include(MIGRATION);
          expect(await rowsOf(db, "payment_terms")).to.deep.equal(content[TERMS]);
          expect(await premiumPoints(db, "AAPLx", ALL)).to.have.length(3);
        } finally {
          await db.destroy();
        }
      }
      expect(deaths).to.equal(engine.name === "sqlite" ? 4 : 6);
    });
  });
});
