/** What evidence names by a hash, for anybody who has that: samples, policies, registries. */
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect } from "chai";
import { keccak256 } from "ethers";
import { keepDefinitions } from "../../../api/jobs/definitions.ts";
import { clearOldJobs } from "../../../api/jobs/retention.ts";
import { liquidityOfSamples } from "../../../attestor/evidence/samples.ts";
import { POLICY_VERSIONS } from "../../../attestor/policies/policy.ts";
import { registryHash } from "../../../attestor/registry.ts";
import { canonicalJson } from "../../../attestor/values/canonical.ts";
import { forEachEngine } from "../../support/database.ts";
import { validateAnswer } from "../../support/openapi.ts";
import { startService } from "../../support/service.ts";
import { ofSuite } from "../../support/suite.ts";
import { testWorld } from "../../support/world.ts";

const UNKNOWN = `0x${"5e".repeat(32)}`;
const DAY = 86_400;
/** What retention takes at most. */
const EVERYTHING = { oneShotDays: 1, jobDays: 1, soldDays: 1, failedPaymentDays: 1 };

describe("what evidence names", () => {
  const world = testWorld();

  forEachEngine((engine) => {
    const service = ofSuite(async () => startService(world, await engine.createUrl()));

    /** As somebody without a key. */
    const get = (path: string, from = service) => fetch(new URL(path, from.url));

    it("the samples that a grade was computed from are served by the root that evidence names", async () => {
      const { liquidity } = (await service.newJob()).report.evidence;
      const answer = await get(`/samples/${liquidity.samplesRoot}`);
      const text = await answer.text();
      expect(answer.status).to.equal(200);
      expect(keccak256(Buffer.from(text))).to.equal(liquidity.samplesRoot);
      const { grade, sampleN, impact10kBps } = liquidity;
      expect(liquidityOfSamples(JSON.parse(text))).to.deep.include({ grade, sampleN, impact10kBps });
      expect((await get(`/samples/${UNKNOWN}`)).status).to.equal(404);
    });

    it("every policy, and every registry that was used, is served as canonical JSON by its hash", async () => {
      const later = { ...world.deployment.registry, version: `${engine.name}-later` };
      await keepDefinitions(service.server.service.db, later);
      const { registry } = world.deployment;
      const named = [registry, later].map((one) => [`/registry/${registryHash(one)}`, canonicalJson(one)]);
      for (const { definition, definitionHash } of POLICY_VERSIONS)
        named.push([`/policies/${definitionHash}`, canonicalJson(definition)]);
      expect(named).to.have.lengthOf.at.least(POLICY_VERSIONS.length + 2);
      for (const [path, text] of named as [string, string][]) {
        const answer = await get(path);
        const bytes = new Uint8Array(await answer.arrayBuffer());
        expect([answer.status, keccak256(bytes)], path).to.deep.equal([200, path.split("/").at(-1)]);
        expect(Buffer.from(bytes).toString()).to.equal(text);
        expect(answer.headers.get("cache-control")).to.include("immutable");
        validateAnswer(service.openapi, "GET", path, 200, JSON.parse(text));
      }
      const [policy] = POLICY_VERSIONS;
      for (const path of [`/registry/${policy!.definitionHash}`, `/policies/${registryHash(registry)}`])
        expect((await get(path)).status, path).to.equal(404);
    });

    it("a registry that a report was judged by is served, however often the service began again with another", async () => {
      const own = await engine.createUrl();
      const hashes: string[] = [];
      const { deployment } = world;
      for (const version of ["first", "second", "third"]) {
        const file = join(world.dataDir, `${engine.name}-${version}.json`);
        const registry = { ...deployment.registry, version };
        await writeFile(file, JSON.stringify({ ...deployment, registry }));
        await using began = await startService(world, own, { DEPLOYMENT_FILE: file });
        const { body: job } = await began.post("/v1/jobs", began.jobBody());
        expect(job.report.registryVersion).to.equal(version);
        hashes.push(job.report.registryHash);
        // Retention takes what is old, and these never.
        const years = Math.floor(world.clock.now() / 1000) + 3 * 365 * DAY;
        await clearOldJobs(began.server.service.db, EVERYTHING, years);
        for (const hash of hashes) {
          const answer = await get(`/registry/${hash}`, began);
          expect(answer.status, hash).to.equal(200);
          expect(keccak256(new Uint8Array(await answer.arrayBuffer()))).to.equal(hash);
        }
      }
      expect(new Set(hashes).size).to.equal(3);
    });
  });
});
