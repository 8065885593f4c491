import { expect } from "chai";
import { sql } from "kysely";
import { Migrator } from "kysely/migration";
import { migrate } from "../../database/migrate.ts";
import { MIGRATIONS } from "../../database/migrations/all.ts";
import { openDatabase } from "../../database/open.ts";
import { type BasisSample, recordBases } from "../../market/series/basis.ts";
import { type PremiumSample, recordPremiums } from "../../market/series/premium.ts";
import { forEachEngine } from "../support/database.ts";

const AT = 1_795_186_800;
const PREMIUM: PremiumSample = {
  assetKey: "eip155:56:0xab",
  sampledAt: AT,
  source: "dexscreener",
  session: "regular",
  tokenPriceUsd: "404.125",
  sharesPerToken: "1.0057",
  referencePriceUsd: "400",
  referenceSource: "pyth",
  referenceAgeSeconds: 2,
  witnesses: 2,
  impact1kBps: null,
  platformFeeBps: "10",
};
const BASIS: BasisSample = {
  underlying: "TSLA",
  sampledAt: AT,
  source: "hyperliquid",
  session: "regular",
  perpMarkUsd: "402",
  spotUsd: "400",
  spotSource: "pyth",
  spotAgeSeconds: null,
  witnesses: 1,
  fundingRate: "-0.00000625",
  fundingIntervalHours: 1,
};

describe("raw samples from before they were shortened", () => {
  forEachEngine((engine) => {
    it("raw samples from before they were shortened are what the same samples are stored as today, so that none of them counts twice", async () => {
      const db = openDatabase(await engine.createUrl());
      try {
        const migrator = new Migrator({ db, provider: { getMigrations: async () => MIGRATIONS } });
        expect((await migrator.migrateTo("0009_policy_versions")).error).to.equal(undefined);
        await sql`insert into series (id, name)
          values (7001, ${`premium/${PREMIUM.assetKey}`}), (7002, 'basis/hyperliquid/TSLA')`.execute(db);
        for (const [id, sample] of [
          [7001, PREMIUM],
          [7002, BASIS],
        ] as const)
          await sql`insert into raw_samples values (${id}, ${AT}, ${JSON.stringify(sample)})`.execute(db);
        await migrate(db);
        const stored = () => db.selectFrom("raw_samples").selectAll().orderBy("series_id").execute();
        const before = await stored();
        await recordPremiums(db, [PREMIUM], AT);
        await recordBases(db, [BASIS], AT);
        expect(await stored()).to.deep.equal(before);
        expect(before.map(({ sample }) => sample)).to.deep.equal([
          '["dexscreener","regular","404.125","1.0057","400","pyth",2,2,null,"10"]',
          '["regular","402","400","pyth",null,1,"-0.00000625",1]',
        ]);
      } finally {
        await db.destroy();
      }
    });
  });
});
