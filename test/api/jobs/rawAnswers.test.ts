/** What each rawHash of evidence commits to is kept once. */
import { expect } from "chai";
import { keccak256, toUtf8Bytes } from "ethers";
import { createRawAnswers, findRawAnswer } from "../../../api/jobs/rawAnswers.ts";
import type { Evidence } from "../../../attestor/evidence/evidence.ts";
import { openDatabase } from "../../../database/open.ts";
import { createOffchainSources } from "../../../market/facts/offchainFacts.ts";
import { soundReport } from "../../attestor/fixtures.ts";
import { ownCaches } from "../../support/caches.ts";
import { forAlikeEngines, memoryDatabase, rowOf, rowsOf } from "../../support/database.ts";
import { startService } from "../../support/service.ts";
import { ofSuite } from "../../support/suite.ts";
import { sharedWorld, type TestWorld } from "../../support/world.ts";

const hashesIn = (evidence: Evidence): string[] =>
  [
    ...new Set(
      [...JSON.stringify(evidence).matchAll(/"rawHash":"(0x[0-9a-f]{64})"/g)].map(([, hash]) => hash!),
    ),
  ].sort();

describe("raw answers", () => {
  forAlikeEngines((engine) => {
    let world: TestWorld;
    let url: string;
    const service = ofSuite(async () => {
      world = await sharedWorld();
      url = await engine.createUrl();
      return startService(world, url);
    });

    const stored = async () =>
      (await rowsOf(service.server.service.db, "raw_answers")).map(({ hash }) => hash).sort();
    const text = async (hash: string) => (await findRawAnswer(service.server.service.db, hash))?.toString();

    it("stand behind every rawHash of a report, once, with the report", async () => {
      await world.tick();
      const first = await service.newJob();
      const hashes = hashesIn(first.report.evidence);
      expect(hashes).to.have.lengthOf.at.least(4);
      expect(await stored()).to.deep.equal(hashes);
      for (const hash of hashes)
        expect(keccak256((await findRawAnswer(service.server.service.db, hash)) as Buffer)).to.equal(hash);
      // In the same block: the same answers.
      await service.post("/v1/jobs", service.jobBody());
      expect(await stored()).to.deep.equal(hashes);
      await world.tick();
      const { body: prepared } = await service.prepare(first.jobId);
      const more = hashesIn(prepared.report.evidence);
      expect(await stored()).to.deep.equal([...new Set([...hashes, ...more])].sort());
      expect(more).not.to.deep.equal(hashes);
    });

    it("of a provider are kept as they came, those that were of no use, too", async () => {
      await using db = openDatabase(url);
      const answers = createRawAnswers(ownCaches());
      const evidence = structuredClone(soundReport().evidence) as any;
      evidence.references[0].rawHash = answers.keep(toUtf8Bytes('{"price":"1"}'));
      evidence.failures = [{ rawHash: answers.keep(toUtf8Bytes("<html>")) }, { rawHash: null }];
      await answers.store(db, evidence as Evidence);
      expect(await text(evidence.references[0].rawHash)).to.equal('{"price":"1"}');
      expect(await text(evidence.failures[0].rawHash)).to.equal("<html>");
      expect(await text(`0x${"00".repeat(32)}`)).to.equal(undefined);
    });
  });

  it("raw answers are not stored again within a day, and noted again after it", async () => {
    await using db = await memoryDatabase();
    const answers = createRawAnswers(ownCaches());
    const evidence = structuredClone(soundReport().evidence) as any;
    const hash = answers.keep("0x1234");
    evidence.references[0].rawHash = hash;
    const at = (seconds: number) => ({ ...evidence, capturedAt: evidence.capturedAt + seconds }) as Evidence;
    const keptAt = async () => (await rowOf(db, "raw_answers")).kept_at;
    await answers.store(db, at(0));
    // Not committed yet, so the next one stores it as well.
    await answers.store(db, at(5));
    expect(await keptAt()).to.equal(evidence.capturedAt + 5);
    answers.committed(at(5));
    await answers.store(db, at(86_000));
    expect(await keptAt()).to.equal(evidence.capturedAt + 5);
    await answers.store(db, at(86_405));
    expect(await keptAt()).to.equal(evidence.capturedAt + 86_405);
  });

  it("of providers come by the hash that the evidence states", async () => {
    const kept: string[] = [];
    const text = JSON.stringify({ c: 190.5, pc: 189, t: 1_763_132_400 });
    const sources = createOffchainSources({
      chainId: 31_337,
      keys: { finnhub: "key" },
      baseUrls: {},
      fetch: async () => new Response(text, { headers: { "content-type": "application/json" } }),
      now: () => 1_763_132_410_000,
      log: { warn: () => {} },
      keepRaw: (raw) => void kept.push(keccak256(raw)),
    });
    const { readings } = await sources.prices([{ provider: "finnhub", kind: "live", symbol: "AAPL" }], 0);
    expect(kept).to.deep.equal([keccak256(toUtf8Bytes(text))]);
    expect(readings[0]?.rawHash).to.equal(kept[0]);
  });

  it("facts of a token are timed by the judgement's clock, not the machine's", async () => {
    const now = Date.now() - 120_000;
    const sources = createOffchainSources({
      chainId: 56,
      keys: {},
      baseUrls: {},
      fetch: async () => Response.json({ currentMultiplier: "1.0057" }),
      now: () => now,
      log: { warn: () => {} },
    });
    const source = { source: "xstocks", symbol: "AAPLx" } as const;
    const { facts } = await sources.token(source, "0x1", Math.floor(now / 1_000));
    expect(facts.factor?.receivedAt).to.equal(Math.floor(now / 1_000));
  });
});
