/** Every statement that the service makes, on tables that have grown: found by an index, never by reading a table. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { CompiledQuery } from "kysely";
import { releasePrepareSlot } from "../../api/jobs/prepareLimit.ts";
import { findRawAnswer } from "../../api/jobs/rawAnswers.ts";
import { clearOldJobs } from "../../api/jobs/retention.ts";
import { markExpired } from "../../api/payments/transitions.ts";
import { storeScheduled } from "../../api/published/scheduledOperations.ts";
import { findParts } from "../../api/status/parts.ts";
import { canonicalHash } from "../../attestor/values/canonical.ts";
import { type Database, openDatabase } from "../../database/open.ts";
import { localMarket } from "../../devnet/market/sources.ts";
import { noteRound } from "../../market/collect/noteRound.ts";
import { retract } from "../../market/collect/repair.ts";
import { clearOld, DEFAULT_RETENTION } from "../../market/collect/retention.ts";
import type { MarketAsset } from "../../market/queries.ts";
import { createMarket } from "../../market/round.ts";
import { recordActions } from "../../market/series/corporateActions.ts";
import { recordRetraction } from "../../market/series/retractions.ts";
import { dayOf, recordVolumes, snapshotDay } from "../../market/series/totals.ts";
import { trackedFiles } from "../../workshop/lint/tracked.ts";
import { addRows, forEachEngine } from "../support/database.ts";
import { GROWING, grow, rowsPlanned } from "../support/grown.ts";
import { APPLICANT, json } from "../support/http.ts";
import { addPayment } from "../support/paymentRows.ts";
import { buyerOf, startPaidService, testPaidWorld } from "../support/payments.ts";
import { premiumSample, premiumsAt, volumeSample } from "../support/samples.ts";
import { carryOut, type Service, walletOf } from "../support/service.ts";
import { until } from "../support/until.ts";
import type { TestWorld } from "../support/world.ts";

const ROOT = new URL("../..", import.meta.url).pathname;

/** What no request and no work in the background asks: a migration, and an admin for all keys with their events. */
const BY_ADMINS =
  /^insert into (liquidity_scores|public_evidence)|^select .* from "api_keys" order by|from "api_key_events" (order by|where "action")/;

/** `select jobs`, `insert payments`: what the code of the service does with which table. */
function madeInSource(): Set<string> {
  const verbs: Record<string, string> = { innerJoin: "select" };
  const made = new Set<string>();
  for (const room of ["api", "market"])
    for (const file of trackedFiles(join(ROOT, room), "*.ts")) {
      const text = readFileSync(join(ROOT, room, file), "utf8");
      for (const [, call = "", table] of text.matchAll(
        /\b(selectFrom|innerJoin|insertInto|updateTable|deleteFrom)\(\s*"(\w+)"/g,
      ))
        made.add(`${verbs[call] ?? call.replace(/[A-Z].*/, "")} ${table}`);
    }
  return made;
}

function madeIn(statements: Iterable<CompiledQuery>): Set<string> {
  const made = new Set<string>();
  for (const { sql } of statements) {
    // Also those within a statement that begins with `with`.
    for (const [, verb = "", table] of sql.matchAll(/\b(insert|update|delete)(?: into| from)? "(\w+)"/g))
      made.add(`${verb} ${table}`);
    for (const [, table] of sql.matchAll(/(?:(?<!delete )from|join) "(\w+)"/g)) made.add(`select ${table}`);
  }
  return made;
}

/** A day in the life of the service: everything that it does, once. @returns its statements, each once */
async function everyStatement(world: TestWorld, url: string): Promise<CompiledQuery[]> {
  const statements = new Map<string, CompiledQuery>();
  await using service = await startPaidService(
    world,
    url,
    { METRICS_PORT: "0" },
    {
      market: (context) => ({ market: localMarket({ ...context, now: () => world.clock.now() }) }),
      onQuery: (query) => statements.set(query.sql, query),
    },
  );
  await publicRequests(service.url);
  const actions = "corporate-actions?symbol=AAPLx&kind=split&from=2026-01-01&to=2027-01-01";
  const window = "from=2026-11-01&to=2026-12-01";
  const paths = [
    ...["assets", "liquidity-scores", "premium-history?symbol=AAPLx", "corporate-actions", actions, "latest"],
    ...[`premium-history?symbol=AAPLx&${window}`, "premium-history?symbol=AAPLx&inputs=1"],
  ];
  for (const path of paths) await service.call(`/api/v1/${path}`);
  await keysOf(service.server.keys, service.url);
  const buyer = buyerOf(service);
  const bought = await buyer.pay("/a2mcp/verify", json(service.verifyBody()));
  const asBuyer = { key: null, headers: { authorization: `Bearer ${bought.body.jobToken}` } };
  await service.call(`/v1/jobs/${bought.body.jobId}`, asBuyer);
  await covered(service);

  const body = service.jobBody();
  const { body: job } = await service.post("/v1/jobs", body);
  await service.post("/v1/jobs", body);
  const report = `/v1/jobs/${job.jobId}/report`;
  await buyer.pay(report, { headers: { "x-api-key": service.key } });
  await service.call(report);
  await service.call(`${report}?version=1`);
  const prepare = () => service.post(`/v1/jobs/${job.jobId}/prepare-execution`, {});
  const prepared = await prepare();
  for (const path of ["checkpoint", "tile/0/000.p/1", "tile/entries/000.p/1"])
    expect((await fetch(new URL(`/log/${path}`, service.url))).status, path).to.equal(200);
  const transactionHash = await carryOut(walletOf(world), prepared.body.execution);
  for (let n = 0; n < 2; n++) await prepare();
  await service.post(`/v1/jobs/${job.jobId}/submissions`, { transactionHash });
  await service.jobWhen(job.jobId, ({ executions }) => executions[0].state === "confirmed");
  await world.mine(3);
  await publicArtefacts(service, prepared.body.report.evidence);
  expect((await fetch(service.server.metricsUrl as string)).status).to.equal(200);
  // Nobody pays for this one, and one day it goes.
  await service.post("/v1/jobs", service.jobBody());
  await rareWork(service.server.db, world, service.server.services.assets);
  return [...statements.values()].filter(({ sql }) => !BY_ADMINS.test(sql));
}

/** As soon as the trade's block is final. */
async function publicArtefacts(service: Service, evidence: any): Promise<void> {
  const { registry, policy, liquidity } = evidence;
  const named = [`policies/${policy.definitionHash}`, `samples/${liquidity.samplesRoot}`];
  for (const path of [`registry/${registry.hash}`, ...named])
    expect((await service.call(`/${path}`)).status, path).to.equal(200);
  const path = `/evidence/${canonicalHash(evidence)}`;
  await until(path, async () => (await service.call(path)).status === 200);
}

/** What the background does once an hour or a day, or when something went wrong. */
async function rareWork(db: Database, world: TestWorld, assets: readonly MarketAsset[]): Promise<void> {
  const now = Math.floor(world.clock.now() / 1_000);
  const midnight = now - (now % 86_400);
  const [asset] = assets as [MarketAsset];
  const sample = volumeSample(asset.assetKey, midnight - 60);
  await recordVolumes(db, [sample, { ...sample, sampledAt: now + 1_000 }], now);
  await snapshotDay(db, assets, dayOf(midnight - 60));
  await premiumsAt(db, now, [premiumSample(asset.assetKey, now - 2 * 86_400)]);
  await clearOld(db, DEFAULT_RETENTION, now);
  await releasePrepareSlot(db, { jobId: "job_1", slot: 0, takenAtMs: 1 });
  const settling = { network: "eip155:1", asset: "a", payer: "p", nonce: "n", state: "settling" as const };
  const jobId = await addPayment(db, now, settling);
  await markExpired(db, { ...settling, jobId }, "cancelled");
  await repairedAndNoted(db, asset, now);
  await yearsLater(db, now + 4 * 365 * 86_400);
  const health = async () =>
    ({ checks: { database: "up", chain: "up" }, databaseReason: null, log: null }) as const;
  await findParts({ db, health, checkSigned: null, collects: true, now: () => now * 1_000 });
}

/** What an operator retracts, and what a round leaves for those who watch. */
async function repairedAndNoted(db: Database, { assetKey }: MarketAsset, now: number): Promise<void> {
  const span = { from: now - 3_600, to: now, retractedAt: now };
  const why = { reason: "test", actor: "test" };
  await recordRetraction(db, { series: `premium/${assetKey}`, ...span, ...why });
  const from = now - 2 * 86_400;
  const retracted = { series: `premium/${assetKey}`, reason: "test", actor: "test", from, to: from + 1 };
  await retract({ db, assets: [], now: () => now * 1_000 }, retracted);
  const change = { before: "1", after: "2", effectiveAt: now + 60, source: "issuer", rawHash: null };
  await recordActions(db, [{ assetKey, kind: "split", ...change }], now);
  const outcomes = () => [{ provider: "p", kind: "success", count: 1, lastAt: now }];
  const error = (fields: object) => {
    throw new Error("a round could not be noted", { cause: fields });
  };
  const market = { ...createMarket([], () => now * 1_000), outcomes };
  const round = { db, assets: [], market, sessionAt: () => "regular" };
  const deps = { ...round, now: () => now * 1_000, log: { error, warn: () => {} } };
  await noteRound(deps, now, new Map([["premiums", now]]));
}

async function yearsLater(db: Database, now: number): Promise<void> {
  await addRows(db, "guard_trades", { transaction_hash: "0x1", seen_at: 1 });
  const operation = { caller: "0x1", target: "0x2", data: "0x" };
  await storeScheduled(db, { chainId: 1, guard: "0x1" }, [
    { transactionHash: "0x1", logIndex: 0, operation },
  ]);
  await addRows(db, "raw_answers", { hash: "0x1", body: "", kept_at: 1 });
  await findRawAnswer(db, "0x2");
  const aDay = { oneShotDays: 1, jobDays: 1, soldDays: 1, failedPaymentDays: 1, rawAnswerDays: 1 };
  await clearOldJobs(db, aDay, now);
}

async function publicRequests(url: string): Promise<void> {
  const histories = ["/api/premium/history?symbol=AAPLx", "/api/basis/history?underlying=AAPL"];
  const logged = ["/log/vkey", `/log/find?evidenceHash=0x${"ab".repeat(32)}`];
  histories.push(...histories.map((path) => `${path}&from=2026-01-01&to=2027-01-01&limit=3`));
  histories.push("/api/market-overview?from=2026-01-01&limit=3");
  for (const path of ["/readyz", "/api/market-overview", ...histories, ...logged, "/status"])
    expect((await fetch(new URL(path, url))).status, path).to.equal(200);
  for (const [path, token] of [
    ["/v1/jobs/job_1", "jt"],
    ["/v1/jobs/job_1/report", "st"],
  ] as const)
    await fetch(new URL(path, url), { headers: { authorization: `Bearer ${token}_${"a".repeat(43)}` } });
}

async function keysOf(keys: any, url: string): Promise<void> {
  await fetch(new URL("/api/v1/keys", url), json(APPLICANT));
  const { record } = await keys.apply(APPLICANT);
  await keys.approve(record.id, "test");
  await keys.setLimit(record.id, 5, "test");
  await keys.revoke(record.id, "test");
  await keys.history(record.id);
  await keys.list();
}

/** One body bought twice at once: the second authorization is looked for among what its payer has bought. */
async function covered(service: Service): Promise<void> {
  const body = service.verifyBody({ amountInRaw: "251000000" });
  const buyer = buyerOf(service, 1);
  const challenge = await service.verify(body);
  const buy = async () => service.verify(body, await buyer.sign(challenge));
  await Promise.all([buy(), buy()]);
}

const explainable = ({ sql }: CompiledQuery) => /^\s*(select|insert|update|delete|with)\b/.test(sql);

async function planOf(db: Database, prefix: string, { sql, parameters }: CompiledQuery): Promise<string> {
  const { rows } = await db.executeQuery<Record<string, unknown>>(
    CompiledQuery.raw(`${prefix} ${sql}`, [...parameters]),
  );
  return rows.map((row) => String(row.detail ?? row["QUERY PLAN"])).join("\n");
}

describe("the statements of the service", () => {
  const world = testPaidWorld();

  forEachEngine((engine) => {
    it("read no table that grows from end to end", async function () {
      this.timeout(180_000);
      const url = await engine.createUrl();
      const statements = (await everyStatement(world, url)).filter(explainable);
      const made = madeIn(statements);
      expect([...madeInSource()].filter((use) => !made.has(use))).to.deep.equal([]);

      const db = openDatabase(url, { patienceMs: null });
      const [prefix, scan] =
        engine.name === "postgres"
          ? (["explain", /Seq Scan on (\w+)/g] as const)
          : (["explain query plan", /\bSCAN (\w+)(?! VIRTUAL| USING COVERING INDEX|\w)/g] as const);
      if (engine.name === "postgres") {
        await grow(db);
        for (const table of GROWING)
          expect(await rowsPlanned(db, table), table).to.be.within(450_000, 550_000);
      }
      const scans: string[] = [];
      for (const statement of statements) {
        const plan = await planOf(db, prefix, statement);
        // In the order of an index a scan ends with its limit.
        if (/ limit /.test(statement.sql) && !/SORT|Sort|TEMP B-TREE|Seq/.test(plan)) continue;
        for (const [, table = ""] of plan.matchAll(scan))
          if (GROWING.includes(table)) scans.push(`${statement.sql}\n${plan}`);
      }
      await db.destroy();
      expect(scans.join("\n\n")).to.equal("");
    });
  });
});
