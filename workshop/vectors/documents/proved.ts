/** Trades of a local world, as its service answers them: with state proofs, signed prices and entries of its log. */
import { LOCAL_ORIGIN } from "../../../api/settings/logSettings.ts";
import { randomStream } from "../../../devnet/random.ts";
import { carryOut, type Service, startService, walletOf } from "../../../test/support/service.ts";
import { createWorld, type TestWorld } from "../../../test/support/world.ts";
import type { Candidate } from "../documentVector.ts";

type JobBody = Parameters<Service["jobBody"]>[0];

/** AAPLx trades in V3 best, TSLAx in V2. */
const SYMBOLS = ["TSLAx", "AAPLx"];
/** Whole settlement tokens for a buy; the last ones cross ticks, or are too large for a policy. */
const BOUGHT = [1n, 250n, 2_000n, 9_000n, 40_000n, 200_000n];
/** Shares with 18 decimals, in thousandths. */
const SOLD = [5n, 900n, 40_000n];

/** @param seed of what a service draws: names of jobs and salts of the log */
export async function provedDocuments(seed: number): Promise<Candidate[]> {
  const world = await createWorld();
  // The port is another one each time, and `signUrl` would have it.
  const env = { PUBLIC_URL: "https://assay.example", LOG_ORIGIN: LOCAL_ORIGIN };
  const service = await startService(world, "sqlite::memory:", env, { randomBytes: bytesFrom(seed) });
  const trust = { signer: world.accounts.attestation.address };
  const made: Candidate[] = [];
  const add = (name: string, document: unknown) => {
    made.push({ name, document: JSON.stringify(document), trust });
  };
  const addTrade = async (what: string, wanted: JobBody) => {
    const { isPrepared, document } = await traded(service, wanted);
    add(`${isPrepared ? "a prepared" : "a denied"} ${what}`, document);
  };
  try {
    await world.tick();
    await service.recordLiquidity();
    for (const symbol of SYMBOLS) {
      const stock = world.assetKey(symbol);
      for (const dollars of BOUGHT) {
        const amountInRaw = String(dollars * 1_000_000n);
        await addTrade(`buy of ${symbol} for ${dollars} dollars`, { outputAssetKey: stock, amountInRaw });
      }
      for (const thousandths of SOLD) {
        const amountInRaw = String(thousandths * 10n ** 15n);
        const sold = { inputAssetKey: stock, outputAssetKey: world.assetKey("USDL"), amountInRaw };
        await addTrade(`sell of ${thousandths} thousandths of ${symbol}`, sold);
      }
    }
    const recipientAddress = world.accounts.deployer.address;
    const { body: job } = await service.post("/v1/jobs", service.jobBody({ recipientAddress }));
    add("a buy for somebody whom the guard does not allow", job);
    add("a job whose trade was executed", await executed(service, world));
    return made;
  } finally {
    await service.stop();
    await world.stop();
  }
}

/** A stream for each length, so that what is drawn at any time, such as names of requests, changes no other draw. */
function bytesFrom(seed: number): (count: number) => Uint8Array {
  const streams = new Map<number, () => number>();
  return (count) => {
    const stream = streams.get(count) ?? randomStream(seed, "bytes", count);
    streams.set(count, stream);
    return Uint8Array.from({ length: count }, () => Math.floor(stream() * 256));
  };
}

/** Prepared where it is allowed, else the job with its report. */
async function traded(service: Service, wanted: JobBody) {
  const { body: job } = await service.post("/v1/jobs", service.jobBody(wanted));
  const { body } = await service.post(`/v1/jobs/${job.jobId}/prepare-execution`, {});
  const isPrepared = body.execution !== undefined && body.execution !== null;
  return { isPrepared, document: isPrepared ? body : job };
}

/** The job as its owner sees it when the trade is confirmed. */
async function executed(service: Service, world: TestWorld): Promise<unknown> {
  await world.tick();
  const { body: job } = await service.post("/v1/jobs", service.jobBody());
  const { body: prepared } = await service.post(`/v1/jobs/${job.jobId}/prepare-execution`, {});
  const transactionHash = await carryOut(walletOf(world), prepared.execution);
  await service.post(`/v1/jobs/${job.jobId}/submissions`, { transactionHash });
  return service.jobWhen(job.jobId, ({ executions }) => executions[0].state === "confirmed");
}
