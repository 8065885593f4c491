/** /v1/jobs: creation, reports, ownership and bad input, on a real chain and both databases. */
import { expect } from "chai";
import { countOf, forEachEngine } from "../../support/database.ts";
import { APPLICANT, expectProblem, expectStatus, retryAfter } from "../../support/http.ts";
import { startService, withoutProof } from "../../support/service.ts";
import { ofSuite } from "../../support/suite.ts";
import { testWorld } from "../../support/world.ts";

describe("POST /v1/jobs", () => {
  const world = testWorld();

  forEachEngine((engine) => {
    const service = ofSuite(async () => {
      await world.tick();
      return startService(world, await engine.createUrl());
    });

    const counts = async () => {
      const { db } = service.server.service;
      const tables = { jobs: 0, reports: 0, executions: 0 };
      for (const table of ["jobs", "reports", "executions"] as const)
        tables[table] = await countOf(db, table);
      return tables;
    };

    it("POST /v1/jobs answers a job with its first report, which allows the trade", async () => {
      const body = service.jobBody();
      const { status, body: job } = await service.post("/v1/jobs", body);
      expect(status).to.equal(201);
      expect(job.intent).to.include({ ownerAddress: body.ownerAddress, recipientAddress: body.ownerAddress });
      expect(job.payment).to.deep.equal({ phase: "free", state: "not_required" });
      expect(job.entitlement).to.deep.equal({ granted: true, reason: "free" });
      expect(Date.parse(job.expiresAt) - Date.parse(job.createdAt)).to.equal(86_400_000);
      expect(job.reports).to.have.length(1);
      expect(job.reports[0]).to.include({ version: 1, kind: "initial", decision: "ALLOW" });
      expect(job.report.findings.filter(({ outcome }: any) => outcome !== "pass")).to.deep.equal([]);
      expect(job.report.evidence.references.map(({ source }: any) => source)).to.include("simulated");
      expect(job.executions).to.deep.equal([]);
      const found = (await service.call(`/v1/jobs/${job.jobId}`)).body;
      expect(withoutProof(found)).to.deep.equal(withoutProof(job));
      const { hints, ...report } = (await service.call(`/v1/jobs/${job.jobId}/report`)).body;
      expect(hints).to.deep.equal([]);
      expect(withoutProof(report)).to.deep.equal(withoutProof(job.report));
    });

    it("POST /v1/jobs accepts addresses in any case and answers them checksummed", async () => {
      const body = service.jobBody();
      const lower = {
        ...body,
        ownerAddress: String(body.ownerAddress).toLowerCase(),
        inputAssetKey: String(body.inputAssetKey).toLowerCase(),
      };
      const { status, body: job } = await service.post("/v1/jobs", lower);
      expect(status).to.equal(201);
      expect(job.intent.ownerAddress).to.equal(body.ownerAddress);
      expect(job.intent.inputAssetKey).to.equal(body.inputAssetKey);
    });

    it("POST /v1/jobs answers the same request with the same job, and says so", async () => {
      const body = service.jobBody();
      const first = await service.post("/v1/jobs", body);
      const again = await service.post("/v1/jobs", body);
      expect(first.headers.get("idempotent-replayed")).to.equal(null);
      expect(again.status).to.equal(200);
      expect(again.headers.get("idempotent-replayed")).to.equal("true");
      expect(withoutProof(again.body)).to.deep.equal(withoutProof(first.body));
    });

    it("POST /v1/jobs refuses another trade under a taken clientRequestId", async () => {
      const body = service.jobBody();
      await service.post("/v1/jobs", body);
      const answer = await service.post("/v1/jobs", { ...body, amountInRaw: "1000000" });
      expectProblem(answer, 409, "idempotency_conflict");
    });

    it("POST /v1/jobs makes one job of ten identical requests at once", async () => {
      const before = await counts();
      const body = service.jobBody();
      const answers = await Promise.all(Array.from({ length: 10 }, () => service.post("/v1/jobs", body)));
      expect(new Set(answers.map((answer) => answer.body.jobId)).size).to.equal(1);
      expect(answers.filter(({ status }) => status === 201)).to.have.length(1);
      expect(await counts()).to.deep.equal({ ...before, jobs: before.jobs + 1, reports: before.reports + 1 });
    });

    it("POST /v1/jobs lets two keys use one clientRequestId, for a job each", async () => {
      const { key } = await service.server.service.keys.create(APPLICANT, "test");
      const body = service.jobBody();
      const mine = (await service.post("/v1/jobs", body)).body;
      const theirs = expectStatus(await service.post("/v1/jobs", body, key), 201);
      expect(theirs.body.jobId).not.to.equal(mine.jobId);
    });

    it("POST /v1/jobs keeps its jobs over a restart", async () => {
      const { body: job } = await service.post("/v1/jobs", service.jobBody());
      await service.restart();
      const found = (await service.call(`/v1/jobs/${job.jobId}`)).body;
      expect(withoutProof(found)).to.deep.equal(withoutProof(job));
    });

    const address = "0x70997970C51812dc3A010C7d01b50e0d17dc79C8";
    const wrongChecksum = address.replace("C5", "c5");
    /** A body with another value of a field, and the path of the fault, which is the field if left out. */
    type Bad = [what: string, field: string, value: unknown, path?: string | null];
    const fields = ["clientRequestId", "ownerAddress", "inputAssetKey", "outputAssetKey", "amountInRaw"];
    const invalid: Bad[] = [
      ...[...fields, "policyId", "maxSlippageBps"].flatMap((field): Bad[] => [
        [`no ${field}`, field, undefined],
        [`${field} null`, field, null],
        [`${field} an object`, field, { a: 1 }],
        [`${field} oversized`, field, "9".repeat(5_000)],
      ]),
      ["a clientRequestId with a space", "clientRequestId", "a b"],
      ["an empty clientRequestId", "clientRequestId", ""],
      ["an owner with a wrong checksum", "ownerAddress", wrongChecksum],
      ["the zero owner", "ownerAddress", `0x${"0".repeat(40)}`],
      ["a recipient with a wrong checksum", "recipientAddress", wrongChecksum],
      ["an amount as a number", "amountInRaw", 1],
      ["an amount of zero", "amountInRaw", "0"],
      ["a negative amount", "amountInRaw", "-1"],
      ["a fractional amount", "amountInRaw", "1.5"],
      ["an amount with leading zeros", "amountInRaw", "007"],
      ["an amount over 256 bits", "amountInRaw", (2n ** 256n).toString()],
      ["a negative slippage", "maxSlippageBps", -1],
      ["a slippage over 10000", "maxSlippageBps", 10_001],
      ["a fractional slippage", "maxSlippageBps", 0.5],
      ["an unknown member", "recipientAdress", address, null],
      ["an unpaired surrogate", "policyId", "\ud800"],
      ["limits that name none", "limits", {}],
      ["a limit that nobody knows", "limits", { maxFeeBps: 1 }],
      ["a demanded output of nothing", "limits", { minAmountOutRaw: "0" }, "limits.minAmountOutRaw"],
      ["the same asset twice", "outputAssetKey", () => world.assetKey("USDL")],
    ];
    const unsupported: Bad[] = [
      ["an asset of another chain", "outputAssetKey", () => world.assetKey("AAPLx").replace("31337", "1")],
      ["an unknown asset", "inputAssetKey", `eip155:31337:${address}`],
      ["two stocks", "inputAssetKey", () => world.assetKey("TSLAx"), "outputAssetKey"],
    ];
    for (const [status, code, cases] of [
      [400, "invalid_request", invalid],
      [422, "unsupported_asset", unsupported],
      [422, "unknown_policy", [["an unknown policy", "policyId", "LOOSE"]] as Bad[]],
      [
        422,
        "limit_too_wide",
        [
          ["a premium", { maxPremiumBps: 101 }],
          ["an impact", { maxImpactBps: 51, maxPremiumBps: 100 }],
          ["an age", { maxReferenceAgeSeconds: 61 }],
        ].map(([what, limits]): Bad => {
          const [name] = Object.keys(limits!);
          return [`${what} beyond the policy's bound`, "limits", limits, `limits.${name}`];
        }),
      ],
    ] as const)
      for (const [what, field, value, path = field] of cases)
        it(`POST /v1/jobs answers ${status} ${code} to ${what} and stores nothing`, async () => {
          const before = await counts();
          const changes = { [field]: typeof value === "function" ? value() : value };
          const answer = await service.post("/v1/jobs", service.jobBody(changes));
          expect(answer.status, answer.text).to.equal(status);
          expect(answer.body.code).to.equal(code);
          expect(answer.headers.get("content-type")).to.include("application/problem+json");
          if (path !== null) expect(answer.body.errors.map((error: any) => error.path)).to.include(path);
          expect(answer.text.length).to.be.lessThan(5_000);
          expect(await counts()).to.deep.equal(before);
        });

    it("a report is found by its version, where there is one and the version is a number", async () => {
      const { body: job } = await service.post("/v1/jobs", service.jobBody());
      expect((await service.call(`/v1/jobs/${job.jobId}/report?version=1`)).body.version).to.equal(1);
      expect((await service.call(`/v1/jobs/${job.jobId}/report?version=2`)).status).to.equal(404);
      for (const version of ["0", "-1", "x", "1e3", "99999999999999"])
        expect((await service.call(`/v1/jobs/${job.jobId}/report?version=${version}`)).body.code).to.equal(
          "invalid_request",
        );
    });
  });
});

describe("POST /v1/jobs while the chain's RPC is away", () => {
  const world = testWorld();
  const service = ofSuite(() => startService(world, "sqlite::memory:", { RPC_URL: "http://127.0.0.1:9" }));

  it("POST /v1/jobs while the chain's RPC is away answers 503 upstream_unavailable with Retry-After, stores nothing, and recovers", async () => {
    const answer = await service.post("/v1/jobs", service.jobBody());
    expectProblem(answer, 503, "upstream_unavailable");
    expect(retryAfter(answer)).to.be.greaterThan(0);
    expect(answer.text).not.to.include("127.0.0.1");
    expect(await service.server.service.db.selectFrom("jobs").selectAll().execute()).to.deep.equal([]);
    const ready = await service.call("/readyz");
    expect([ready.status, ready.body.checks]).to.deep.equal([503, { database: "up", chain: "down" }]);
  });
});
