/** The client against a real service: every call of both APIs, on the local chain. */
import { expect } from "chai";
import { createClient } from "../../client/client.ts";
import { APPLICANT } from "../support/http.ts";
import { carryOut, testService, walletOf, withoutProof } from "../support/service.ts";
import { testWorld } from "../support/world.ts";
import { failureOf } from "./failure.ts";

describe("the client against the service", () => {
  const world = testWorld();
  const service = testService(world);
  const client = (more = {}) => createClient({ baseUrl: service.url, apiKey: service.key, ...more });
  const open = (more = {}) => createClient({ baseUrl: service.url, ...more });
  const body = (changes = {}) => service.jobBody(changes) as any;

  it("reads all six answers of the data API", async () => {
    const { data } = client();
    const { count, assets } = await data.assets();
    expect(count).to.equal(assets.length).and.to.be.greaterThan(0);
    const [first] = assets;
    expect((await data.assets({ address: first!.address })).assets).to.deep.equal([first]);
    const { scores } = await data.liquidityScores();
    expect(scores.map(({ symbol }) => symbol)).to.include("AAPLx");
    const premium = await data.premiumHistory({ symbol: "AAPLx", days: 2, chain: "bnb" });
    expect([premium.symbol, premium.days]).to.deep.equal(["AAPLx", 2]);
    expect((await data.marketOverview({ days: 3 })).days).to.equal(3);
    expect((await data.publicPremiumHistory({ symbol: "AAPLx", days: 4 })).days).to.equal(4);
    expect((await data.basisHistory({ underlying: "AAPL", days: 5 })).underlying).to.equal("AAPL");
    const { actions } = await data.corporateActions({ kind: "split,dividend", limit: 5 });
    expect(actions).to.have.length.at.most(5);
    const latest = await data.latest({ chain: "bnb", q: "apple" });
    expect(latest.tokens.map(({ symbol }) => symbol)).to.deep.equal(["AAPLx"]);
    const page = await data.premiumHistory({ symbol: "AAPLx", from: "2026-11-01", to: "2026-11-02" });
    expect(page).to.include.keys("from", "to");
    const detailed = await data.premiumHistory({ symbol: "AAPLx", days: 1, inputs: 1 });
    for (const { inputs } of detailed.points) expect(inputs).to.be.an("object");
    const { days } = await data.calendar({ from: "2026-12-24", to: "2026-12-26" });
    expect(days.map(({ kind, name }) => `${kind} ${name}`)).to.deep.equal([
      "half Christmas Eve",
      "closed Christmas Day",
    ]);
  });

  it("reads the public data without a key, and sends none", async () => {
    const sent: Headers[] = [];
    const watching: typeof fetch = (input, init) => {
      sent.push(new Headers(init?.headers));
      return fetch(input, init);
    };
    const watched = client({ fetch: watching });
    await watched.data.marketOverview();
    await watched.describeVerify();
    expect(sent).to.have.length(2);
    for (const headers of sent)
      for (const name of ["x-api-key", "authorization"]) expect(headers.get(name)).to.equal(null);
    expect((await open().data.marketOverview()).days).to.equal(90);
  });

  it("brings a trade from assets and policies to a confirmed execution", async () => {
    const { assets, registryHash } = await client().assets();
    expect(assets.map(({ symbol }) => symbol)).to.include.members(["USDL", "AAPLx"]);
    const { policies } = await client().policies();
    const ids = policies.map(({ policyId }) => policyId);
    expect(ids).to.have.members(["STRICT_LIVE", "EXTENDED_HOURS", "LAST_CLOSE"]);

    const request = body();
    const job = await client().createJob(request);
    expect((await client().createJob(request)).jobId, "the same body again").to.equal(job.jobId);
    const { report, receipt } = await client().report(job.jobId, { version: 1 });
    // The log may have proved it meanwhile.
    expect(withoutProof(report)).to.deep.equal(withoutProof(job.report));
    expect([report.decision, report.registryHash, receipt]).to.deep.equal(["ALLOW", registryHash, null]);

    const prepared = await client().prepare(job.jobId, { deadlineSeconds: 600 });
    expect(prepared.reportVersion).to.equal(2);
    expect((await client().report(job.jobId)).report).to.deep.equal(prepared.report);
    const hash = await carryOut(walletOf(world), prepared.execution);
    const execution = await client().submit(job.jobId, hash);
    expect(execution.transactionHash).to.equal(hash);
    const [confirmed] = (await client().job(job.jobId, { wait: 30 })).executions;
    expect(confirmed?.confirmed?.evidenceHash).to.equal(prepared.report.evidenceHash);
  });

  it("lists assets and policies without a key", async () => {
    const { assets } = await open().assets();
    expect(assets.map(({ symbol }) => symbol)).to.include("AAPLx");
    expect((await open().policies()).policies).to.have.length(3);
  });

  it("goes on from a one-shot verification with the job's token, key or not", async () => {
    const { example, schema } = await open().describeVerify();
    expect(await open().verifyInput()).to.deep.equal({ example, schema });
    const { jobToken, jobId, execution, receipt } = await open().verify(example);
    expect([execution, receipt]).to.deep.equal([null, null]);
    expect((await open({ jobToken }).job(jobId)).jobId).to.equal(jobId);
    const both = client({ jobToken });
    expect((await both.prepare(jobId)).jobId).to.equal(jobId);
    expect((await both.policies()).policies).to.have.length(3);
  });

  it("keeps members of a report that it does not know, since the report's hash may depend on them", async () => {
    const { jobId, report } = await client().createJob(body());
    const newer = { ...report, evidence: { ...report!.evidence, newer: true } };
    const changed = (answer: unknown) => open({ fetch: async () => Response.json(answer) }).report(jobId);
    expect((await changed(newer)).report).to.deep.equal(newer);
    const failure = await failureOf(changed({ ...newer, decision: "MAYBE" }));
    expect(failure.message).to.match(/a shape that this client does not know, at decision\.$/);
  });

  it("applies for a key, which awaits approval", async () => {
    const pending = await open().applyForKey({ ...APPLICANT });
    const failure = await failureOf(open({ apiKey: pending.api_key }).assets());
    expect([failure.status, failure.code]).to.deep.equal([403, "key_pending_approval"]);
  });

  it("tells what the service refused: status, code, fields, the request's name", async () => {
    const wrong = await failureOf(client().createJob(body({ amountInRaw: "-1", policyId: "" })));
    expect([wrong.status, wrong.code]).to.deep.equal([400, "invalid_request"]);
    expect(wrong.errors.map(({ path }) => path)).to.have.members(["amountInRaw", "policyId"]);
    expect(wrong.message).to.match(/^invalid_request \(400\): .*amountInRaw must be/);
    expect(wrong.requestId).to.be.a("string").and.not.equal("");

    const empty = await failureOf(open().verify({} as any));
    expect(empty.code).to.equal("input_required");
    expect(empty.members).to.have.keys(["schema", "example"]);

    const symbol = await failureOf(client().data.premiumHistory({ symbol: "A/../B" }));
    expect(symbol.code).to.equal("bad_symbol");
    const missing = await failureOf(open().job("job_none"));
    expect([missing.status, missing.code]).to.deep.equal([401, "missing_api_key"]);
    expect((await failureOf(client().job("job_none"))).code).to.equal("not_found");
  });

  it("the client against the service does not wait five minutes for a third preparation, but says how long it would take", async () => {
    const { jobId } = await client().createJob(body());
    await client().prepare(jobId);
    await client().prepare(jobId);
    const slept: number[] = [];
    const third = client({ sleep: async (ms: number) => void slept.push(ms) });
    const failure = await failureOf(third.prepare(jobId));
    expect(failure.code).to.equal("rate_limited");
    expect(failure.retryAfterSeconds).to.be.within(250, 300);
    expect(slept).to.deep.equal([]);
  });

  it("finds a service that stands under a path, and one whose address ends in a slash", async () => {
    const seen: string[] = [];
    const under = (baseUrl: string) =>
      createClient({
        baseUrl,
        fetch: (input) => {
          seen.push(String(input));
          return fetch(new URL("/api/market-overview", service.url));
        },
      });
    await under("https://example.org/assay/").data.marketOverview({ days: 1 });
    await under("https://example.org")
      .data.basisHistory({ underlying: "A&B C" })
      .catch(() => {});
    expect(seen[0]).to.equal("https://example.org/assay/api/market-overview?days=1");
    expect(seen[1]).to.equal("https://example.org/api/basis/history?underlying=A%26B+C");
  });
});
