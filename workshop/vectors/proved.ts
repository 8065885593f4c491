/**
 * The vectors with proofs: trades of a local world, whose reports have state proofs and signed prices. Also the same
 * with one change in what is proved, in the proofs or in the log's proof.
 */
import { LOCAL_ORIGIN } from "../../api/settings/logSettings.ts";
import { randomStream } from "../../devnet/random.ts";
import { carryOut, type Service, startService, walletOf } from "../../test/support/service.ts";
import { createWorld, type TestWorld } from "../../test/support/world.ts";
import { type Candidate, type DocumentVector, vectorOf } from "./candidate.ts";
import { changedDocuments, type Path } from "./changes.ts";

const SYMBOLS = ["TSLAx", "AAPLx"];
/** Whole settlement tokens for a buy; the last ones cross ticks, or are too large for a policy. */
const SIZES = [1n, 250n, 2_000n, 9_000n, 40_000n, 200_000n];
const CHANGED = 40;

/** @param seed of the changes, and of what a service draws: names of jobs and salts of the log */
export async function provedVectors(seed: number): Promise<DocumentVector[]> {
  const world = await createWorld();
  // The port is another one each time, and `signUrl` would have it.
  const env = { PUBLIC_URL: "https://assay.example", LOG_ORIGIN: LOCAL_ORIGIN };
  const service = await startService(world, "sqlite::memory:", env, { randomBytes: bytesFrom(seed) });
  try {
    await world.tick();
    await service.recordLiquidity();
    const sound = [
      ...(await trades(service, world)),
      ...(await otherTrades(service, world)),
      await executedTrade(service, world),
    ];
    const trust = { signer: world.accounts.attestation.address };
    const documents = sound.map(({ document }) => document);
    const changed = changedDocuments(documents, { seed, count: CHANGED, trust, within: isProof });
    return [...sound.map((each) => ({ ...each, trust })), ...changed].map(vectorOf);
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

/** What proofs are about, and the proofs themselves. */
function isProof(path: Path): boolean {
  return /^report\.((proofs|log|facts)|evidence\.(guard|proofs|quote\.pools|references\.\d+\.proof|chain))\b/.test(
    path.join("."),
  );
}

type Trade = Omit<Candidate, "trust">;

async function trades(service: Service, world: TestWorld): Promise<Trade[]> {
  const made: Trade[] = [];
  for (const symbol of SYMBOLS)
    for (const size of SIZES) {
      const wanted = { outputAssetKey: world.assetKey(symbol), amountInRaw: String(size * 1_000_000n) };
      made.push(await traded(service, wanted, `buy of ${symbol} for ${size} dollars`));
    }
  return made;
}

/** Prepared where it is allowed, else the job with its report. */
async function traded(
  service: Service,
  wanted: Parameters<Service["jobBody"]>[0],
  name: string,
): Promise<Trade> {
  const { body: job } = await service.post("/v1/jobs", service.jobBody(wanted));
  const { body } = await service.post(`/v1/jobs/${job.jobId}/prepare-execution`, {});
  const isPrepared = body.execution !== undefined && body.execution !== null;
  return {
    name: `${isPrepared ? "a prepared" : "a denied"} ${name}`,
    document: JSON.stringify(isPrepared ? body : job),
  };
}

/** Shares with 18 decimals, in thousandths. */
const SOLD = [5n, 900n, 40_000n];
/** AAPLx trades in V3 best, TSLAx in V2. */
async function otherTrades(service: Service, world: TestWorld): Promise<Trade[]> {
  const made: Trade[] = [];
  for (const symbol of SYMBOLS)
    for (const size of SOLD) {
      const wanted = {
        inputAssetKey: world.assetKey(symbol),
        outputAssetKey: world.assetKey("USDL"),
        amountInRaw: String(size * 10n ** 15n),
      };
      made.push(await traded(service, wanted, `sell of ${size} thousandths of ${symbol}`));
    }
  const recipientAddress = world.accounts.deployer.address;
  const { body: job } = await service.post("/v1/jobs", service.jobBody({ recipientAddress }));
  return [
    ...made,
    { name: "a buy for somebody whom the guard does not allow", document: JSON.stringify(job) },
  ];
}

/** The job as its owner sees it when the trade is confirmed. */
async function executedTrade(service: Service, world: TestWorld): Promise<Trade> {
  await world.tick();
  const { body: job } = await service.post("/v1/jobs", service.jobBody());
  const { body: prepared } = await service.post(`/v1/jobs/${job.jobId}/prepare-execution`, {});
  const transactionHash = await carryOut(walletOf(world), prepared.execution);
  await service.post(`/v1/jobs/${job.jobId}/submissions`, { transactionHash });
  const confirmed = await service.jobWhen(job.jobId, ({ executions }) => executions[0].state === "confirmed");
  return { name: "a job whose trade was executed", document: JSON.stringify(confirmed) };
}
