/** /a2mcp/verify: an agent without a key, from an empty body to a confirmed trade. */
import { Ajv2020 } from "ajv/dist/2020.js";
import { expect } from "chai";
import { verifyReport } from "../../../attestor/verify/verify.ts";
import { forEachEngine, rowsOf } from "../../support/database.ts";
import { chunked, expectStatus, json } from "../../support/http.ts";
import { carryOut, startService, walletOf } from "../../support/service.ts";
import { ofSuite } from "../../support/suite.ts";
import { until } from "../../support/until.ts";
import { testWorld } from "../../support/world.ts";

describe("/a2mcp/verify", () => {
  const world = testWorld();

  forEachEngine((engine) => {
    const service = ofSuite(async () => {
      await world.tick();
      return startService(world, await engine.createUrl());
    });

    const verify = (body: unknown) => service.verify(body);
    const trade = (changes: object = {}) => ({ ...service.verifyBody(), ...changes });

    it("/a2mcp/verify answers an empty body with a schema and an example that fits it and works", async () => {
      const raw = (body: string, type?: string): RequestInit => ({
        method: "POST",
        body: Buffer.from(body),
        headers: type === undefined ? {} : { "content-type": type },
      });
      const types = [undefined, "text/plain", "application/x-www-form-urlencoded", "application/json"];
      const bodies = ["", " \r\n\t ", "{}", " { } "];
      const empty = types.flatMap((type) => bodies.map((body) => raw(body, type)));
      for (const init of [{ method: "POST" }, json("null"), json("[]"), chunked(""), ...empty]) {
        const { body } = expectStatus(await service.call("/a2mcp/verify", { ...init, key: null }), 400);
        expect(body.code).to.equal("input_required");
        const { schema, example } = body;
        const fits = new Ajv2020({ strict: false }).compile(schema);
        expect(fits(example)).to.equal(true);
        for (const amountInRaw of ["0", "-1", "1.5", "007"])
          expect(fits({ ...example, amountInRaw }), amountInRaw).to.equal(false);
        const needed = ["ownerAddress", "inputAssetKey", "outputAssetKey", "amountInRaw"];
        expect(schema.required).to.have.members(needed);
      }
      const { example } = (await verify({})).body;
      expect((await verify(example)).status).to.equal(200);
    });

    it("/a2mcp/verify gives an address so many reports a day and no more, until the next day or with a key", async () => {
      let later = 0;
      await using capped = await startService(
        world,
        await engine.createUrl(),
        { ONE_SHOTS_PER_DAY: "2" },
        { now: () => world.clock.now() + later },
      );
      const ask = () => capped.verify(trade());
      // What is no trade has no entry in the log, and costs none.
      expect((await capped.verify({})).status).to.equal(400);
      for (let call = 0; call < 2; call++) expect((await ask()).status).to.equal(200);
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

    it("/a2mcp/verify tells the same to a GET", async () => {
      const answer = expectStatus(await service.call("/a2mcp/verify", { key: null }), 200);
      expect(answer.body.schema).to.be.an("object");
      expect((await verify(answer.body.example)).status).to.equal(200);
    });

    it("/a2mcp/verify answers the report, with STRICT_LIVE and 50 bps where nothing else was asked for", async () => {
      const { policyId, maxSlippageBps, ...least } = trade() as Record<string, unknown>;
      const { body, headers } = expectStatus(await verify(least), 200);
      expect(body.decision).to.equal("ALLOW");
      expect(body.evidence.intent).to.include({ policyId: "STRICT_LIVE", maxSlippageBps: 50 });
      expect(headers.get("cache-control")).to.equal("no-store, private");
    });

    it("/a2mcp/verify answers hints beside a report that denies, wherever it is answered, and stores none", async () => {
      const { body } = expectStatus(await verify(trade({ amountInRaw: "900000000000" })), 200);
      const failed = body.findings.filter(({ outcome }: any) => outcome !== "pass");
      expect(body.hints.map(({ check }: any) => check)).to.deep.equal(failed.map(({ check }: any) => check));
      const notional = body.hints.find(({ check }: any) => check === "notional").text;
      expect(notional).to.match(/^At most 50000 USDL \(50000000000 raw units\) passes this check/);
      for (const finding of body.findings) expect(finding).to.not.have.any.keys("remedy", "hint", "text");
      const { jobId, jobToken, hints } = body;
      const as = { key: null, headers: { authorization: `Bearer ${jobToken}` } };
      const job = (await service.call(`/v1/jobs/${jobId}`, as)).body;
      expect(job.hints).to.deep.equal(hints);
      expect((await service.call(`/v1/jobs/${jobId}/report`, as)).body.hints).to.deep.equal(hints);
      const stored = await rowsOf(service.server.service.db, "reports", { job_id: jobId });
      expect(JSON.stringify(stored)).to.not.contain(notional);
      // They are no part of what is verified.
      const verdicts = [body, { ...body, hints: [] }, job].map((one) => verifyReport(one).steps);
      expect(JSON.stringify(verdicts)).to.not.contain("hints");
    });

    it("/a2mcp/verify answers a token that prepares, submits and follows its job, which no key opens", async () => {
      const { body } = await verify(trade());
      const as = (token: string, { headers, ...init }: RequestInit = {}) => ({
        ...init,
        key: null,
        headers: { ...(headers as Record<string, string>), authorization: `Bearer ${token}` },
      });
      const path = `/v1/jobs/${body.jobId}`;
      const { body: job } = await service.call(path, as(body.jobToken));
      expect(job.jobId).to.equal(body.jobId);
      // No key names the job, and neither answer speaks of such a name.
      expect(JSON.stringify([body, job])).to.not.contain("clientRequestId");
      const prepared = await service.call(`${path}/prepare-execution`, as(body.jobToken, json({})));
      const hash = await carryOut(walletOf(world), prepared.body.execution);
      await service.call(`${path}/submissions`, as(body.jobToken, json({ transactionHash: hash })));
      const state = async () => (await service.open(body)).body.executions[0].state;
      const end = await until("its end", state, (seen) => seen !== "submitted");
      expect(end).to.equal("confirmed");
      expect((await service.call(path, { key: service.key })).status).to.equal(404);
    });

    it("/a2mcp/verify stores the token as a digest, which dies with the job", async () => {
      const { body } = await verify(trade());
      const rows = await rowsOf(service.server.service.db, "jobs", { id: body.jobId });
      expect(rows).to.have.length(1);
      expect(JSON.stringify(rows)).not.to.include(body.jobToken);
      world.clock.advance(86_400_000);
      await world.tick();
      expectStatus(await service.open(body), 403);
    });

    it("/a2mcp/verify names what is wrong with a body", async () => {
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
