/** Another's job is asked for as one that does not exist: by the same statements, so that no time tells them apart. */
import { expect } from "chai";
import type { CompiledQuery } from "kysely";
import { APPLICANT, expectProblem, json } from "../../support/http.ts";
import { toolResult } from "../../support/mcp.ts";
import { startService } from "../../support/service.ts";
import { ofSuite } from "../../support/suite.ts";
import { testWorld } from "../../support/world.ts";

describe("the jobs of others", () => {
  const world = testWorld();
  const asked: CompiledQuery[] = [];
  const onQuery = (query: CompiledQuery) => void asked.push(query);
  const service = ofSuite(() => startService(world, "sqlite::memory:", {}, { onQuery }));

  it("the jobs of others are not found, by the same statements as jobs that do not exist, by key, by token and by any tool", async () => {
    const { key } = await service.server.service.keys.create(APPLICANT, "test");
    const others = (await service.newJob()).jobId;
    const unknown = "job_AAAAAAAAAAAAAAAAAAAAAA";
    const { jobToken } = (await service.verify(service.verifyBody())).body;
    /** Statements about a job. */
    const statementsOf = async (jobId: string, ask: (jobId: string) => Promise<unknown>) => {
      asked.length = 0;
      await ask(jobId);
      return asked.filter(({ parameters }) => parameters.includes(jobId)).map(({ sql }) => sql);
    };
    const hash = `0x${"ab".repeat(32)}`;
    for (const [path, body] of [
      ["", undefined],
      ["?wait=30", undefined],
      ["/report", undefined],
      ["/prepare-execution", {}],
      ["/submissions", { transactionHash: hash }],
    ] as const)
      for (const [headers, count] of [
        [{ "x-api-key": key }, 1],
        [{ authorization: `Bearer ${jobToken}` }, 0],
      ] as const) {
        const ask = async (jobId: string) => {
          const init = { ...(body === undefined ? {} : json(body)), key: null };
          const all = { ...init, headers: { ...headers, "content-type": "application/json" } };
          expectProblem(await service.call(`/v1/jobs/${jobId}${path}`, all), 404, "not_found");
        };
        const statements = await statementsOf(unknown, ask);
        expect(statements, path).to.have.length(count);
        expect(await statementsOf(others, ask), path).to.deep.equal(statements);
      }
    for (const [name, args] of [
      ["get_verification", {}],
      ["get_verification", { version: 1 }],
      ["prepare_guard_trade", {}],
      ["purchase_verification", {}],
      ["purchase_verification", { paymentSignature: "e30=" }],
      ["get_execution_status", {}],
      ["get_execution_status", { transactionHash: hash }],
    ] as const) {
      const ask = async (jobId: string) => {
        const { content } = await toolResult(service.url, name, { jobId, ...args }, { key });
        expect(JSON.parse(content[0].text).code, name).to.equal("not_found");
      };
      const statements = await statementsOf(unknown, ask);
      expect(statements, name).to.have.length(1);
      expect(await statementsOf(others, ask), name).to.deep.equal(statements);
    }
    // What was submitted for it was not recorded.
    expect((await service.call(`/v1/jobs/${others}`)).body.executions).to.deep.equal([]);
  });
});
