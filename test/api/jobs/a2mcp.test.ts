/** /a2mcp/verify: an agent without a key, from an empty body to a confirmed trade. */
import { Ajv2020 } from "ajv/dist/2020.js";
import { expect } from "chai";
import { forAlikeEngines } from "../../support/database.ts";
import { json } from "../../support/http.ts";
import { carryOut, startService, walletOf } from "../../support/service.ts";
import { ofSuite } from "../../support/suite.ts";
import { testWorld } from "../../support/world.ts";

describe("/a2mcp/verify", () => {
  const world = testWorld();

  forAlikeEngines((engine) => {
    const service = ofSuite(async () => {
      await world.tick();
      return startService(world, await engine.createUrl());
    });

    const verify = (body: unknown) => service.call("/a2mcp/verify", { ...json(body), key: null });
    const trade = (changes: object = {}) => {
      const { clientRequestId: _, ...body } = service.jobBody();
      return { ...body, ...changes };
    };

    it("answers an empty body with a schema and an example that fits it and works", async () => {
      for (const init of [{ method: "POST" }, json({}), json(""), json(" \r\n\t "), json("null")]) {
        const answer = await service.call("/a2mcp/verify", { ...init, key: null });
        expect(answer.status).to.equal(400);
        expect(answer.body.code).to.equal("input_required");
        const { schema, example } = answer.body;
        expect(new Ajv2020({ strict: false }).validate(schema, example)).to.equal(true);
        const needed = ["ownerAddress", "inputAssetKey", "outputAssetKey", "amountInRaw"];
        expect(schema.required).to.have.members(needed);
        expect((await verify(example)).status).to.equal(200);
      }
    });

    it("gives an address so many reports a day and no more, until the next day or with a key", async () => {
      let later = 0;
      await using capped = await startService(
        world,
        await engine.createUrl(),
        { ONE_SHOTS_PER_DAY: "2" },
        { now: () => world.clock.now() + later },
      );
      const ask = () => capped.call("/a2mcp/verify", { ...json(trade()), key: null });
      // What is no trade has no entry in the log, and costs none.
      expect((await capped.call("/a2mcp/verify", { ...json({}), key: null })).status).to.equal(400);
      for (let n = 0; n < 2; n++) expect((await ask()).status).to.equal(200);
      const { status, body, headers } = await ask();
      expect([status, body.code]).to.deep.equal([429, "rate_limited"]);
      expect(body.detail).to.contain("2 a day");
      const untilMidnight = Math.ceil(86_400 - ((world.clock.now() / 1_000) % 86_400));
      expect(headers.get("retry-after")).to.equal(String(untilMidnight));
      expect((await capped.post("/v1/jobs", capped.jobBody())).status).to.equal(201);
      later = untilMidnight * 1_000 - 1_000;
      expect((await ask()).status).to.equal(429);
      later += 1_000;
      expect((await ask()).status).to.equal(200);
    });

    it("tells the same to a GET", async () => {
      const answer = await service.call("/a2mcp/verify", { key: null });
      expect(answer.status).to.equal(200);
      expect(answer.body.schema).to.be.an("object");
      expect((await verify(answer.body.example)).status).to.equal(200);
    });

    it("answers the report, with STRICT_LIVE and 50 bps where nothing else was asked for", async () => {
      const { policyId: _, maxSlippageBps: __, ...least } = trade() as Record<string, unknown>;
      const { status, body, headers } = await verify(least);
      expect(status).to.equal(200);
      expect(body.decision).to.equal("ALLOW");
      expect(body.evidence.intent).to.include({ policyId: "STRICT_LIVE", maxSlippageBps: 50 });
      expect(headers.get("cache-control")).to.equal("no-store, private");
    });

    it("lets the job token prepare, submit and follow that one job, and nothing else", async () => {
      const { body } = await verify(trade());
      const as = (token: string, init: RequestInit = {}) => ({
        ...init,
        key: null,
        headers: { ...(init.headers as Record<string, string>), authorization: `Bearer ${token}` },
      });
      const path = `/v1/jobs/${body.jobId}`;
      expect((await service.call(path, as(body.jobToken))).body.jobId).to.equal(body.jobId);
      const prepared = await service.call(`${path}/prepare-execution`, as(body.jobToken, json({})));
      const hash = await carryOut(walletOf(world), prepared.body.execution);
      await service.call(`${path}/submissions`, as(body.jobToken, json({ transactionHash: hash })));
      let state = "submitted";
      for (let attempt = 0; state === "submitted" && attempt < 100; attempt++) {
        state = (await service.call(path, as(body.jobToken))).body.executions[0].state;
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
      expect(state).to.equal("confirmed");

      const other = (await verify(trade())).body;
      expect((await service.call(path, as(other.jobToken))).status).to.equal(404);
      expect((await service.call("/v1/assets", as(body.jobToken))).status).to.equal(403);
      expect((await service.call(path, { key: service.key })).status).to.equal(404);
    });

    it("stores the token as a digest, which dies with the job", async () => {
      const { body } = await verify(trade());
      const rows = service.server.db.selectFrom("jobs").selectAll().where("id", "=", body.jobId);
      const row = await rows.executeTakeFirstOrThrow();
      expect(JSON.stringify(row)).not.to.include(body.jobToken);
      world.clock.advance(86_400_000);
      await world.tick();
      const headers = { authorization: `Bearer ${body.jobToken}` };
      const answer = await service.call(`/v1/jobs/${body.jobId}`, { key: null, headers });
      expect(answer.status).to.equal(403);
    });

    it("names what is wrong with a body", async () => {
      const cases: [object, number, string][] = [
        [trade({ ownerAddress: undefined }), 400, "invalid_request"],
        [trade({ amountInRaw: 5 }), 400, "invalid_request"],
        [trade({ privateKey: "0x1" }), 400, "invalid_request"],
        [trade({ outputAssetKey: service.world.assetKey("USDL") }), 400, "invalid_request"],
        [trade({ inputAssetKey: service.world.assetKey("TSLAx") }), 422, "unsupported_asset"],
        [trade({ policyId: "NONE" }), 422, "unknown_policy"],
      ];
      for (const [body, status, code] of cases) {
        const answer = await verify(body);
        expect([answer.status, answer.body.code]).to.deep.equal([status, code]);
      }
    });
  });
});
