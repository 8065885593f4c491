/** How an answer is kept until nothing of its job is pending. */
import { expect } from "chai";
import { createJobWaits } from "../../../api/jobs/waits.ts";
import { expectProblem, expectStatus } from "../../support/http.ts";
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
    const wait = async (jobId: string, gone = new AbortController().signal) => {
      await made.settled(jobId, 30, gone);
      ended.push(jobId);
    };
    return { asked, ending, left, look, ended, wait };
  }

  it("asks once for all of them at a time, and ends each when nothing of it is pending", async () => {
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

  it("keeps no more than five hundred at a time, also where all come together", async () => {
    const { asked, left, ended, wait, ending } = waits();
    left.add("a");
    const all = Array.from({ length: 503 }, () => wait("a"));
    await new Promise(setImmediate);
    expect([asked.length, ended.length]).to.deep.equal([500, 3]);
    ending.abort();
    await Promise.all(all);
  });

  it("ends with a client that leaves, and with the process", async () => {
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

  it("answers when the transaction is confirmed, and at once where nothing is pending", async () => {
    const { job, prepared } = await service.newPrepared();
    const path = `/v1/jobs/${job.jobId}?wait=30`;
    expect((await service.call(path)).body.executions).to.deep.equal([]);
    const hash = await carryOut(walletOf(world), prepared.execution);
    await service.submit(job.jobId, hash);
    const { body } = expectStatus(await service.call(path), 200);
    expect(body.executions.map(({ state }: any) => state)).to.deep.equal(["confirmed"]);
  });

  it("answers with what is still pending when its seconds are over", async () => {
    const { job } = await service.newPrepared();
    await service.submit(job.jobId, UNSEEN);
    const { body } = expectStatus(await service.call(`/v1/jobs/${job.jobId}?wait=1`), 200);
    expect(body.executions.map(({ state }: any) => state)).to.deep.equal(["submitted"]);
  });

  it("takes whole seconds up to thirty, and waits for no job of somebody else's", async () => {
    const { job } = await service.newPrepared();
    for (const wait of ["31", "-1", "1.5", "soon"])
      expectProblem(await service.call(`/v1/jobs/${job.jobId}?wait=${wait}`), 400, "invalid_request");
    expectProblem(await service.call("/v1/jobs/job_none?wait=30"), 404, "not_found");
  });

  it("is answered by a process that ends", async () => {
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
