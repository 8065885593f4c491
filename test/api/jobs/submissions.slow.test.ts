/** What a submission may cost: one that the node cannot answer costs its own turn, and nobody may leave many. */
import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "chai";
import { changeRows, rowsOf } from "../../support/database.ts";
import { flakyRpc, isTradeSearch } from "../../support/flakyRpc.ts";
import { expectProblem, json, loggerTo, retryAfter } from "../../support/http.ts";
import { buyerOf, startPaidService, testPaidWorld } from "../../support/payments.ts";
import { carryOut, preparedTrade, startService, walletOf } from "../../support/service.ts";
import { ofSuite } from "../../support/suite.ts";
import { until } from "../../support/until.ts";

const randomHash = () => `0x${randomBytes(32).toString("hex")}`;

describe("a submission", () => {
  const world = testPaidWorld();
  const rpc = ofSuite(() => flakyRpc(world.url));
  const log: string[] = [];
  const databaseIn = (name: string) => `sqlite:${join(world.dataDir, name)}.db`;
  const service = ofSuite(async () => {
    await world.tick(0);
    const logger = loggerTo(log, "warn");
    return startService(world, databaseIn("free"), { RPC_URL: rpc.url }, { logger });
  });
  afterEach(() => {
    rpc.decide = () => null;
  });

  const newJob = async (): Promise<string> => (await service.newJob()).jobId;
  const submit = (jobId: string, hash: string, of = service) => of.submit(jobId, hash);
  async function trade(): Promise<{ jobId: string; hash: string }> {
    const { jobId, execution } = await preparedTrade(service);
    return { jobId, hash: await carryOut(walletOf(world), execution) };
  }
  /** Makes and submits a trade that is confirmed, no later than the node is given for one of the others. */
  async function expectConfirmed(): Promise<void> {
    const { jobId, hash } = await trade();
    await submit(jobId, hash);
    await service.jobWhen(jobId, (job) => job.executions[0].state === "confirmed");
  }
  /** Submits hashes that the node knows nothing of but what `decide` says. */
  async function submitSpecial(count: number): Promise<Set<string>> {
    const special = new Set<string>();
    for (let left = count; left > 0; left -= 8) {
      const jobId = await newJob();
      for (let index = 0; index < Math.min(8, left); index++) {
        const hash = randomHash();
        special.add(hash);
        expect((await submit(jobId, hash)).status).to.equal(201);
      }
    }
    return special;
  }

  /** As if these had been submitted twenty minutes ago: until the watcher has given them up. */
  async function passMinutes(column: "job_id" | "key_id", value: string): Promise<void> {
    const { db } = service.server.service;
    const old = { submitted_at: Math.floor(world.clock.now() / 1000) - 1_200, next_look_at: 0 };
    const unseen = { [column]: value, state: "submitted" } as const;
    const left = async () => changeRows(db, "executions", old, unseen);
    await until("the end of what was not seen", left, (rows) => rows === 0n);
  }

  it("a submission whose hash the node answers with an error holds up nobody else's", async () => {
    const poison = new Set<string>();
    rpc.decide = (method, _transaction, params) =>
      isTradeSearch(method, params) || poison.has(String(params[0]))
        ? { error: { code: -32_603, message: "internal error" } }
        : null;
    for (const hash of await submitSpecial(8)) poison.add(hash);
    log.length = 0;
    await expectConfirmed();
    const all = await rowsOf(service.server.service.db, "executions");
    const own = all.filter(({ transaction_hash }) => poison.has(transaction_hash));
    expect(own.map(({ state }) => state)).to.deep.equal(Array(8).fill("submitted"));
    expect(log.join("")).to.include("submissions could not be checked; will try again");
  });

  for (const gives of [true, false])
    it(`a submission whose hash the node never answers holds up nobody else's, where the node gives ${gives ? "" : "no "}events`, async () => {
      const silent = new Set<string>();
      rpc.decide = (method, _transaction, params) => {
        if (!gives && isTradeSearch(method, params))
          return { error: { code: -32_005, message: "limit exceeded" } };
        return silent.has(String(params[0])) ? new Promise(() => {}) : null;
      };
      for (const hash of await submitSpecial(24)) silent.add(hash);
      await sleep(1_000);
      await expectConfirmed();
    });

  it("a submission is refused while eight others of the job are in no block, and taken again when they are given up", async () => {
    await passMinutes("key_id", service.keyId);
    const jobId = await newJob();
    for (let count = 0; count < 8; count++) expect((await submit(jobId, randomHash())).status).to.equal(201);
    const refused = expectProblem(await submit(jobId, randomHash()), 429, "rate_limited");
    expect(retryAfter(refused)).to.be.greaterThan(0);
    await passMinutes("job_id", jobId);
    expect((await submit(jobId, randomHash())).status).to.equal(201);
  });

  it("a submission is refused while 64 others of the key are in no block, also by a link to the trade, and of another key taken", async () => {
    const second = { name: "Second", email: "second@example.org", purpose: "tests" };
    const { key } = await service.server.service.keys.create(second, "test");
    const statuses: number[] = [];
    let jobId = "";
    for (let count = 0; count < 65; count++) {
      if (count % 8 === 0) jobId = (await service.post("/v1/jobs", service.jobBody(), key)).body.jobId;
      const asked = { transactionHash: randomHash() };
      statuses.push((await service.post(`/v1/jobs/${jobId}/submissions`, asked, key)).status);
    }
    expect(statuses).to.deep.equal([...Array(64).fill(201), 429]);
    const { body: prepared } = await service.post(`/v1/jobs/${jobId}/prepare-execution`, {}, key);
    const headers = { authorization: `Bearer ${/st_[^:]+/.exec(prepared.signUrl)}` };
    const asked = { ...json({ transactionHash: randomHash() }), key: null };
    const linked = await service.call(`/v1/jobs/${jobId}/submissions`, {
      ...asked,
      headers: { ...headers, "content-type": "application/json" },
    });
    expectProblem(linked, 429, "rate_limited");
    await passMinutes("key_id", service.keyId);
    expect((await submit(await newJob(), randomHash())).status).to.equal(201);
  });

  it("a submission of a job that is not paid for is asked for payment first", async () => {
    await using paid = await startPaidService(world, databaseIn("paid"));
    const { body: job } = await paid.post("/v1/jobs", paid.jobBody());
    expectProblem(await submit(job.jobId, randomHash(), paid), 402, "payment_required");
    expect((await paid.call(`/v1/jobs/${job.jobId}`)).body.executions).to.deep.equal([]);
    const buyer = buyerOf(paid);
    const headers = { "x-api-key": paid.key };
    expect((await buyer.pay(`/v1/jobs/${job.jobId}/report`, { headers })).status).to.equal(200);
    expect((await submit(job.jobId, randomHash(), paid)).status).to.equal(201);
  });
});
