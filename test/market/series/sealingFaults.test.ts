/** Sealing, revisions and proofs where something comes in between, or somebody lies. */
import { expect } from "chai";
import type { KyselyPlugin } from "kysely";
import { verifyPoint } from "../../../attestor/points/pointProof.ts";
import { shownInputs } from "../../../attestor/points/shown.ts";
import type { Database } from "../../../database/open.ts";
import { retract } from "../../../market/collect/repair.ts";
import { premiumPoints } from "../../../market/queries.ts";
import { listRevisions, statedHours } from "../../../market/series/points.ts";
import { recordPremiums } from "../../../market/series/premium.ts";
import { sealHours } from "../../../market/series/sealing.ts";
import { forEachEngine } from "../../support/database.ts";
import { startTestApp } from "../../support/http.ts";
import { LOG_KEY } from "../../support/logged.ts";
import { listedToken, premiumSample, premiumsAt } from "../../support/samples.ts";
import { ANSWER, HOUR as SIGNED_HOUR, shownWithProof, signedPoint } from "../../support/signedPoints.ts";

const HOUR = 3_600;
const START = 1_795_003_200;
const ASSET = "eip155:1:0xA";
const SERIES = `premium/${ASSET}`;
const ALL = { from: 0, to: START + 1_000 * HOUR };

/** The same database, where something happens right after the n-th statement. */
function andThen(db: Database, nth: number, work: () => Promise<unknown>): Database {
  let seen = 0;
  const plugin: KyselyPlugin = {
    transformQuery: ({ node }) => node,
    async transformResult({ result }) {
      if (++seen === nth) await work();
      return result;
    },
  };
  return db.withPlugin(plugin);
}

describe("a point that lies", () => {
  const told = (shown: unknown, answer: object | null = ANSWER) =>
    verifyPoint(shown, answer as any, { logs: [LOG_KEY] });

  it("a point that says it was written long before the hour of its tree is not VALID", async () => {
    const early = signedPoint({ changedAt: SIGNED_HOUR - 365 * 86_400 });
    const changed_at = new Date(early.changedAt * 1_000).toISOString();
    const shown = { ...(await shownWithProof(early)), changed_at };
    const { verdict, steps } = told(shown);
    expect(verdict, JSON.stringify([shown.changed_at, steps])).to.equal("INVALID");
  });

  it("inputs that are no object are not those that were signed as null", async () => {
    const without = signedPoint({ hour: { ...signedPoint().hour!, inputs: null } });
    const shown = await shownWithProof(without);
    expect(told({ ...shown, inputs: null }).verdict).to.equal("VALID");
    expect(told({ ...shown, inputs: [{ price_usd: "1" }] }).verdict).to.equal("INVALID");
  });

  it("a price per share that does not follow from what was signed is not VALID", async () => {
    const shown = await shownWithProof();
    const inputs = { ...shownInputs(signedPoint().hour!), price_per_share_usd: "0.01" };
    expect(told({ ...shown, inputs }).verdict).to.equal("INVALID");
  });
});

describe("sealing, when something comes in between", () => {
  forEachEngine((engine) => {
    let db: Database;
    beforeEach(async () => {
      db = await engine.create();
    });
    afterEach(() => db.destroy());
    const sealAt = (seconds: number, on = db) =>
      sealHours({ db: on, now: () => seconds * 1_000, addEntry: async () => {} });
    const premium = (at: number, more = {}, asset = ASSET) =>
      premiumsAt(db, START + 1_000 * HOUR, [premiumSample(asset, at, more)]);
    const retractHour = (at: number) =>
      retract(
        { db, assets: [], now: () => (START + 999 * HOUR) * 1_000 },
        { series: SERIES, from: at, to: at + HOUR, reason: "test", actor: "test" },
      );

    it("lets others have a turn while many hours are sealed", async function () {
      this.timeout(60_000);
      await premiumsAt(
        db,
        START + HOUR,
        Array.from({ length: 3_000 }, (_, back) => premiumSample(ASSET, START - back * HOUR)),
      );
      let turns = 0;
      const timer = setInterval(() => turns++, 1);
      await sealAt(START + 2 * HOUR);
      clearInterval(timer);
      expect(turns).to.be.at.least(11);
    });

    it("a page whose hour is retracted while it is read does not look like the last one", async () => {
      for (let hour = 0; hour < 5; hour++) await premium(START + hour * HOUR);
      const page = await statedHours(
        andThen(db, 1, () => retractHour(START)),
        SERIES,
        ALL,
        3,
      );
      // Three were asked for, one more than a page of two holds: four are there still.
      expect(page).to.have.length(3);
    });

    it("a sample that is retracted while it is recorded does not come back", async () => {
      await premium(START + 60);
      await sealAt(START + HOUR + 300);
      const again = premiumSample(ASSET, START + 120, { tokenPriceUsd: "102" });
      await recordPremiums(
        andThen(db, 1, () => retractHour(START)),
        [again],
        START + HOUR,
      );
      await sealAt(START + HOUR + 600);
      expect(await premiumPoints(db, ASSET, ALL)).to.deep.equal([]);
    });

    it("revisions of one second come in the order in which they were written, and pages lose none", async () => {
      for (const asset of ["a", "b", "c"]) await premium(START + 60, {}, asset);
      await sealAt(START + HOUR + 300);
      const now = START + HOUR + 600;
      for (const asset of ["b", "c"]) await premium(START + 90, { tokenPriceUsd: "102" }, asset);
      await sealAt(now);
      const first = await listRevisions(db, { limit: 1 });
      await premium(START + 90, { tokenPriceUsd: "102" }, "a");
      await sealAt(now);
      const rest = await listRevisions(db, { limit: 10, after: first.at(-1)!.place });
      expect([...first, ...rest].map(({ series }) => series)).to.deep.equal([
        "premium/b",
        "premium/c",
        "premium/a",
      ]);
    });

    it("the running hour has no revision after a clock that was ahead came back", async () => {
      await premium(START + 60);
      await sealAt(START + 50 * HOUR);
      await premium(START + 10 * HOUR + 60);
      await sealAt(START + 10 * HOUR + 90);
      await premium(START + 10 * HOUR + 360, { tokenPriceUsd: "102" });
      await sealAt(START + 10 * HOUR + 390);
      const last = (await premiumPoints(db, ASSET, ALL)).at(-1);
      expect(last).to.include({ hour: START + 10 * HOUR, revision: null });
    });

    it("numbers beyond any hour in cursors, and NUL in names, are not answered with 500", async function () {
      this.timeout(30_000);
      const app = await startTestApp({
        db,
        data: { assets: [listedToken("AAPL")], simulated: true, now: () => START * 1_000 },
      });
      try {
        const cursor = (place: unknown) => Buffer.from(JSON.stringify(place)).toString("base64url");
        const big = Number.MAX_SAFE_INTEGER;
        const of = async (path: string) => (await app.call(path)).status;
        const all = {
          revisions: await of(`/api/v1/revisions?cursor=${cursor([1, big, 1, 1])}`),
          premiums: await of(`/api/v1/premium-history?symbol=AAPLx&inputs=1&cursor=${cursor(big - 1)}`),
          nul: await of("/api/v1/revisions?underlying=AAPL%00"),
          nulActions: await of("/api/v1/corporate-actions?underlying=AAPL%00"),
          before: await of(`/api/v1/premium-history?symbol=AAPLx&cursor=${cursor(big - 1)}`),
        };
        expect(Object.entries(all).filter(([, status]) => status >= 500)).to.deep.equal([]);
      } finally {
        await app.stop?.();
      }
    });
  });
});
