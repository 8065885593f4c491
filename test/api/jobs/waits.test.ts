/** How an answer is kept until nothing of its job is pending. */
import { expect } from "chai";
import type { Caller } from "../../../api/http/route.ts";
import { createJobWaits } from "../../../api/jobs/waits.ts";
import { APPLICANT, expectProblem, expectStatus } from "../../support/http.ts";
import { carryOut, startService, testService, walletOf } from "../../support/service.ts";
import { testWorld } from "../../support/world.ts";

describe("waiting for jobs", () => {
  /** A clock by hand: each `look` is one turn of it. */
  function waits() {
    const [asked, ending] = [[] as string[][], new AbortController()];
    const left = new Set<string>();
    let turn = Promise.withResolvers<void>();
    const made = createJobWaits({
      pending: async (jobIds) => {
        asked.push([...jobIds]);
        return new Set(jobIds.filter((jobId) => left.has(jobId)));
      },
      ending: ending.signal,
      pause: () => turn.promise,
    });
    const look = async () => {
      await new Promise(setImmediate);
      const { resolve } = turn;
      turn = Promise.withResolvers();
      resolve();
      await new Promise(setImmediate);
    };
    const ended: string[] = [];
    let holders = 0;
    const someone = (): Caller => ({ kind: "key", keyId: `key_${holders++}`, limitPerMinute: 60 });
    const wait = async (jobId: string, gone = new AbortController().signal, caller = someone()) => {
      await made.settled(jobId, 30, caller, gone);
      ended.push(jobId);
    };
    return { asked, ending, left, look, ended, wait };
  }

  it("waiting for jobs asks once for all of them at a time, and ends each when nothing of it is pending", async () => {
    const { asked, left, look, ended, wait } = waits();
    left.add("a").add("b");
    const all = ["a", "a", "b", "done"].map((jobId) => wait(jobId));
    await look();
    expect(ended).to.deep.equal(["done"]);
    left.delete("a");
    await look();
    expect(ended).to.deep.equal(["done", "a", "a"]);
    left.clear();
    await look();
    await Promise.all(all);
    expect(asked).to.deep.equal([["a"], ["a"], ["b"], ["done"], ["a", "b"], ["a", "b"], ["b"]]);
    await look();
    expect(asked, "nobody waits").to.have.length(7);
  });

  it("waiting for jobs keeps no more than five hundred at a time, also where all come together", async () => {
    const { asked, left, ended, wait, ending } = waits();
    left.add("a");
    const all = Array.from({ length: 503 }, () => wait("a"));
    await new Promise(setImmediate);
    expect([asked.length, ended.length]).to.deep.equal([500, 3]);
    ending.abort();
    await Promise.all(all);
  });

  it("waiting for jobs keeps no more than fifty of one key and five of one token, and leaves room for others", async () => {
    const { left, ended, wait, ending } = waits();
    left.add("a");
    const { signal } = new AbortController();
    const key: Caller = { kind: "key", keyId: "key_greedy", limitPerMinute: 60 };
    const ofKey = Array.from({ length: 600 }, () => wait("a", signal, key));
    await new Promise(setImmediate);
    expect(ended).to.have.length(550);
    const ofToken = Array.from({ length: 10 }, () => wait("a", signal, { kind: "jobToken", jobId: "a" }));
    await new Promise(setImmediate);
    expect(ended).to.have.length(555);
    const other = wait("a");
    await new Promise(setImmediate);
    expect(ended).to.have.length(555);
    ending.abort();
    await Promise.all([...ofKey, ...ofToken, other]);
    expect(ended).to.have.length(611);
  });

  it("waiting for jobs ends with a client that leaves, and with the process", async () => {
    const { left, look, ended, wait, ending } = waits();
    left.add("a").add("b");
    const client = new AbortController();
    const both = [wait("a", client.signal), wait("b")];
    await look();
    client.abort();
    await both[0];
    expect(ended).to.deep.equal(["a"]);
    ending.abort();
    await Promise.all([...both, wait("b")]);
  });
});

describe("GET /v1/jobs/{id}?wait", () => {
  const world = testWorld();
  const service = testService(world);
  const UNSEEN = `0x${"ab".repeat(32)}`;

  it("GET /v1/jobs/{id}?wait answers when the transaction is confirmed, and at once where nothing is pending", async () => {
    const { job, prepared } = await service.newPrepared();
    const path = `/v1/jobs/${job.jobId}?wait=30`;
    expect((await service.call(path)).body.executions).to.deep.equal([]);
    const hash = await carryOut(walletOf(world), prepared.execution);
    await service.submit(job.jobId, hash);
    const { body } = expectStatus(await service.call(path), 200);
    expect(body.executions.map(({ state }: any) => state)).to.deep.equal(["confirmed"]);
  });

  it("GET /v1/jobs/{id}?wait answers with what is still pending when its seconds are over", async () => {
    const { job } = await service.newPrepared();
    await service.submit(job.jobId, UNSEEN);
    const { body } = expectStatus(await service.call(`/v1/jobs/${job.jobId}?wait=1`), 200);
    expect(body.executions.map(({ state }: any) => state)).to.deep.equal(["submitted"]);
  });

  it("GET /v1/jobs/{id}?wait takes whole seconds up to thirty, and waits for no job of somebody else's", async () => {
    const { job } = await service.newPrepared();
    for (const wait of ["31", "-1", "1.5", "soon"])
      expectProblem(await service.call(`/v1/jobs/${job.jobId}?wait=${wait}`), 400, "invalid_request");
    expectProblem(await service.call("/v1/jobs/job_none?wait=30"), 404, "not_found");
  });

  it("GET /v1/jobs/{id}?wait ends within two seconds for a key that is revoked, and for no other", async () => {
    const { keys } = service.server.service;
    const { key, record } = await keys.create(APPLICANT, "test");
    const { job: other } = await service.newPrepared();
    await service.submit(other.jobId, UNSEEN);
    const { jobId } = (await service.post("/v1/jobs", service.jobBody(), key)).body;
    expectStatus(await service.post(`/v1/jobs/${jobId}/prepare-execution`, undefined, key), 200);
    const transactionHash = `0x${"ac".repeat(32)}`;
    expectStatus(await service.post(`/v1/jobs/${jobId}/submissions`, { transactionHash }, key), 201);
    const revoked = service.call(`/v1/jobs/${jobId}?wait=30`, { key });
    const leaving = new AbortController();
    let isOtherOver = false;
    const others = service
      .call(`/v1/jobs/${other.jobId}?wait=30`, { signal: leaving.signal })
      .catch((error: Error) => error.name)
      .finally(() => {
        isOtherOver = true;
      });
    // Both requests have arrived, too.
    await service.call("/readyz");
    const started = performance.now();
    await keys.revoke(record.id, "test");
    expectProblem(await revoked, 403, "revoked_api_key");
    expect(performance.now() - started).to.be.below(2_500);
    expect(isOtherOver).to.equal(false);
    leaving.abort();
    expect(await others).to.equal("AbortError");
  });

  it("GET /v1/jobs/{id}?wait is answered by a process that ends", async () => {
    await using own = await startService(world, "sqlite::memory:");
    const { job } = await own.newPrepared();
    await own.submit(job.jobId, UNSEEN);
    const answer = own.call(`/v1/jobs/${job.jobId}?wait=30`);
    // All earlier requests have arrived, too.
    await own.call("/readyz");
    await own.stop();
    expect((await answer).status).to.equal(200);
  });
});
