/** Submitted hashes that are no trades, and a node that fails on one. */
import { type FlakyRpc, flakyRpc } from "../../../test/support/flakyRpc.ts";
import { createPaidWorld } from "../../../test/support/payments.ts";
import { postgresServer } from "../../../test/support/postgres.ts";
import { carryOut, type Service, startService, walletOf } from "../../../test/support/service.ts";
import { confirmedAfter, preparedTrade, randomHash, submitBogus } from "../../../test/support/submitted.ts";
import { type Outcome, promises, type Rehearsal } from "../rehearsal.ts";
import { seconds } from "../watch.ts";

const BOGUS = 100_000;
const LIMIT_MS = 2_000;
const PATIENCE_MS = 20_000;

/** The service on a chain that is asked through something that can fail. */
async function withService(use: (service: Service, rpc: FlakyRpc) => Promise<Outcome>): Promise<Outcome> {
  const world = await createPaidWorld();
  const rpc = await flakyRpc(world.url);
  try {
    const service = await startService(world, await (await postgresServer()).createDatabase(), {
      RPC_URL: rpc.url,
    });
    try {
      return await use(service, rpc);
    } finally {
      await service.stop();
    }
  } finally {
    await rpc.close();
    await world.stop();
  }
}

/** An honest trade: how long after its submission it is confirmed. */
async function honestTrade(service: Service): Promise<number> {
  const { jobId, execution } = await preparedTrade(service);
  const transactionHash = await carryOut(walletOf(service.world), execution);
  await service.post(`/v1/jobs/${jobId}/submissions`, { transactionHash });
  return confirmedAfter(service, jobId, PATIENCE_MS);
}

export const bogusHashes: Rehearsal = {
  fault: "100,000 submitted hashes that no node knows",
  run: () =>
    withService(async (service) => {
      const { hold, broken } = promises();
      const { body } = await service.post("/v1/jobs", service.jobBody());
      await submitBogus(service.server.db, body.jobId, BOGUS, service.world.clock.now());
      const statuses: number[] = [];
      for (let n = 0; n < 10; n++) {
        const own = await service.post(`/v1/jobs/${body.jobId}/submissions`, {
          transactionHash: randomHash(),
        });
        statuses.push(own.status);
      }
      const took = await honestTrade(service);
      hold("an honest trade is confirmed within 2 s", took < LIMIT_MS);
      hold("who submits many more is told to wait", statuses.at(-1) === 429);
      return {
        clients: `an honest trade is confirmed after ${seconds(took)}; whose job has too many: ${statuses.at(-1)}`,
        recoveredAfterMs: null,
        operator: "the log: lines for /submissions with status 429",
        broken,
      };
    }),
};

export const failingHash: Rehearsal = {
  fault: "A submitted hash that the node answers with an error, or never",
  run: () =>
    withService(async (service, rpc) => {
      const { hold, broken } = promises();
      const bad = randomHash();
      let asked = 0;
      rpc.decide = (_method, _transaction, params) => {
        if (params[0] !== bad) return null;
        asked++;
        return { error: { code: -32_603, message: "internal error" } };
      };
      const { body } = await service.post("/v1/jobs", service.jobBody());
      await service.post(`/v1/jobs/${body.jobId}/submissions`, { transactionHash: bad });
      while (asked === 0) await new Promise((resolve) => setTimeout(resolve, 20));
      const took = await honestTrade(service);
      const own = (await service.call(`/v1/jobs/${body.jobId}`)).body.executions[0].state;
      hold("an honest trade is confirmed within 2 s", took < LIMIT_MS);
      hold("its own execution stays as it is", own === "submitted");
      return {
        clients: `its own execution stays ${own}; an honest trade is confirmed after ${seconds(took)}`,
        recoveredAfterMs: null,
        operator: "the log: submissions could not be checked; will try again, with their number",
        broken,
      };
    }),
};
