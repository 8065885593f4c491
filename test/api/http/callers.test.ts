/** Who asks: by a key, by the token of a job, or as nobody. */
import { expect } from "chai";
import { APPLICANT, expectProblem, json, startTestApp, testApp } from "../../support/http.ts";
import { validateAnswer } from "../../support/openapi.ts";

const PLENTY = { keyLimitPerMinute: 100_000, addressLimitPerMinute: 100_000 };

const bearer = (credential: string) => ({
  key: null,
  headers: { authorization: `Bearer ${credential}` },
});

describe("the caller of the API", () => {
  const app = testApp({ settings: PLENTY });

  it("a caller is known by a key in x-api-key or as a bearer, and by the former where both are there", async () => {
    const both = { "x-api-key": app.key, authorization: "Bearer ak_wrong" };
    for (const headers of [
      { "x-api-key": app.key },
      { authorization: `Bearer ${app.key}` },
      { authorization: `bearer   ${app.key}` },
      both,
    ] as Record<string, string>[]) {
      const { status } = await app.call("/v1/assets", { key: null, headers });
      expect(status, JSON.stringify(Object.keys(headers))).to.equal(200);
    }
  });

  it("a caller without a key is asked for one by a challenge", async () => {
    for (const headers of [
      {},
      { "x-api-key": "" },
      { "x-api-key": "  " },
      { authorization: "" },
      { authorization: "Bearer" },
      { authorization: `Basic ${btoa("a:b")}` },
    ] as Record<string, string>[]) {
      const answer = await app.call("/v1/assets", { key: null, headers });
      expectProblem(answer, 401, "missing_api_key");
      expect(answer.headers.get("www-authenticate")).to.equal('Bearer realm="assay"');
      validateAnswer(app.openapi, "GET", "/v1/assets", 401, answer.body, answer.headers);
    }
  });

  it("a caller is told whether its key is wrong, pending or revoked", async () => {
    const pending = await app.keys.apply(APPLICANT);
    const revoked = await app.keys.create(APPLICANT, "test");
    await app.keys.revoke(revoked.record.id, "test");
    for (const [key, code] of [
      ["ak_wrong", "invalid_api_key"],
      [`${app.key}, ${app.key}`, "invalid_api_key"],
      [pending.key, "key_pending_approval"],
      [revoked.key, "revoked_api_key"],
    ] as const)
      expectProblem(await app.call("/v1/assets", { key }), 403, code);
  });

  it("a caller needs a key for every operation of which the OpenAPI document says so, and for no other", async () => {
    const needsKey: string[] = [];
    for (const [template, methods] of Object.entries<any>(app.openapi.paths ?? {}))
      for (const [method, { security }] of Object.entries<any>(methods)) {
        const path = template.replace(/\{\w+\}/g, "1");
        const ask = async (key: string | null) => {
          const { status, body } = await app.call(path, { method: method.toUpperCase(), key });
          return [status, body?.code];
        };
        const told = `${method} ${template}`;
        if (security?.length === 0) {
          expect(await ask(null), told).to.not.include.members(["missing_api_key"]);
          continue;
        }
        needsKey.push(told);
        expect(await ask(null), told).to.deep.equal([401, "missing_api_key"]);
        expect(await ask("ak_wrong"), told).to.deep.equal([403, "invalid_api_key"]);
      }
    expect(needsKey).to.include.members([
      ...["get /v1/assets", "get /v1/policies", "post /v1/jobs", "get /v1/jobs/{id}/report"],
      ...["get /api/v1/assets", "get /api/v1/liquidity-scores", "get /api/v1/premium-history"],
      ...["get /api/v1/calendar", "get /api/v1/latest", "get /api/v1/corporate-actions"],
    ]);
  });

  it("a caller is known before the body is read", async () => {
    expectProblem(await app.call("/v1/jobs", { ...json("{"), key: null }), 401, "missing_api_key");
  });

  it("a caller with a job's token reaches the paths of that job, as a bearer alone, and nothing else", async () => {
    const [right, wrong] = [`jt_${"r".repeat(43)}`, `jt_${"w".repeat(43)}`];
    const seen: string[] = [];
    await using app = await startTestApp({
      resolveJobToken: async (token) => {
        seen.push(token);
        return token === right ? { jobId: "job_1" } : null;
      },
    });
    expectProblem(await app.call("/v1/assets", bearer(right)), 403, "invalid_api_key");
    expectProblem(await app.call("/v1/jobs", { ...json("{}"), ...bearer(right) }), 403, "invalid_api_key");
    expect(seen).to.deep.equal([]);
    expectProblem(await app.call("/v1/jobs/job_1", bearer(wrong)), 403, "invalid_api_key");
    expectProblem(await app.call("/v1/jobs/job_1", { key: right }), 403, "invalid_api_key");
    const other = expectProblem(await app.call("/v1/jobs/job_2", bearer(right)), 404, "not_found");
    expect(other.headers.get("ratelimit")).to.match(/^"job";r=59;t=\d+$/);
    expect(seen).to.deep.equal([wrong, right]);
  });
});
