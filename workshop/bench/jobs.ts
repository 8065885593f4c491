/**
 * The main job's speed: certificates against bare signing, POST /v1/jobs against a bare handler that
 * stores one row as durably.
 */
import { createServer } from "node:http";
import { keccak256 } from "ethers";
import express from "express";
import { guardDomain, type VerificationCertificate } from "../../attestor/certificate/certificate.ts";
import { signerFromPrivateKey } from "../../attestor/certificate/signer.ts";
import { digestSigner } from "../../attestor/evm/signature.ts";
import type { Asset, Registry } from "../../attestor/registry.ts";
import { migrate } from "../../database/migrate.ts";
import { openDatabase } from "../../database/open.ts";
import { localAccounts } from "../../devnet/accounts.ts";
import { listening } from "../../test/support/ports.ts";
import { ENGINES, openDatabases, startChain, startService } from "./fixtures.ts";
import { type Contestant, printRates, printTargets, sideBySide } from "./measure.ts";

const ROUNDS = 9;
const CERTIFICATES_A_ROUND = 200;
const REQUESTS_A_ROUND = 96;
const CLIENTS = 8;
/** Of each side before it is measured: a server that has run for a minute is compiled as one that has run for days. */
const WARM_UP_REQUESTS = 3_000;
/** A trade of so many times the amount moves the price too far. */
const DENIED_TIMES = 80;

export async function bench(): Promise<void> {
  const certificates = printRates("Certificates, one core", await sideBySide(signing(), ROUNDS));
  printTargets({ name: "certificates", measured: certificates, atLeast: 0.9 });
  for (const engine of ENGINES) {
    await using databases = await openDatabases(engine);
    await using chain = await startChain();
    await using service = await startService(chain, { DATABASE_URL: await databases.create() });
    await using bare = await startBareHandler(await databases.create());
    await jobs(databases.title, service, bare.url);
  }
}

function signing(): [Contestant, Contestant] {
  const { privateKey } = localAccounts().attestation;
  const signer = signerFromPrivateKey(privateKey, guardDomain(31337, localAccounts().deployer.address));
  const key = digestSigner(privateKey);
  const hash = (n: number) => keccak256(new Uint8Array([n & 255, n >> 8]));
  const certificate = (n: number): VerificationCertificate => ({
    intentHash: hash(n),
    evidenceHash: hash(n + 1),
    jobId: hash(n + 3),
    reportVersion: "2",
    issuedAt: "1763000000",
    expiresAt: "1763000120",
  });
  const certificates = Array.from({ length: CERTIFICATES_A_ROUND }, (_, n) => certificate(n));
  const digests = certificates.map(({ intentHash }) => intentHash);
  return [
    {
      name: "CertificateSigner: EIP-712 hash and signature",
      async round() {
        for (const each of certificates) await signer.sign(each);
        return certificates.length;
      },
    },
    {
      name: "bare secp256k1 signature of a ready digest, same library",
      async round() {
        for (const digest of digests) key.sign(digest);
        return digests.length;
      },
    },
  ];
}

/** @param bare URL of the handler that is the baseline */
async function jobs(
  title: string,
  { server, url, apiKey }: Awaited<ReturnType<typeof startService>>,
  bare: string,
): Promise<void> {
  const { registry } = server.service.deployment;
  const allowed = { url: `${url}/v1/jobs`, apiKey, trade: distinctTrades(registry) };
  const denied = { ...allowed, trade: distinctTrades(registry, DENIED_TIMES) };
  const stored = { ...allowed, url: bare };
  await expectDecision(allowed, "ALLOW");
  await expectDecision(denied, "DENY");
  for (const asked of [allowed, denied, stored]) await flood(asked, WARM_UP_REQUESTS)();

  const ofBare = printRates(
    `${title}: ${CLIENTS} clients, distinct pairs and amounts, the chain on the other core`,
    await sideBySide(
      [
        {
          name: "POST /v1/jobs: facts, evidence, judgement, two rows",
          round: flood(allowed, REQUESTS_A_ROUND),
        },
        {
          name: "bare Express handler, one durable insert",
          round: flood(stored, REQUESTS_A_ROUND * 10),
        },
      ],
      ROUNDS,
    ),
  );
  const ofAllowed = printRates(
    `${title}: trades that are too large`,
    await sideBySide(
      [
        { name: "a job that is denied", round: flood(denied, REQUESTS_A_ROUND) },
        { name: "a job that is allowed", round: flood(allowed, REQUESTS_A_ROUND) },
      ],
      ROUNDS,
    ),
  );
  printTargets(
    { name: `${title}: jobs`, measured: ofBare, atLeast: 0.45 },
    { name: `${title}: a DENY beside an ALLOW`, measured: ofAllowed, atLeast: 1 },
  );
}

interface Asked {
  readonly url: string;
  readonly apiKey: string;
  /** The body of the next request. */
  trade(): Record<string, unknown>;
}

async function post({ url, apiKey, trade }: Asked): Promise<string> {
  const answer = await fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json", "x-api-key": apiKey },
    body: JSON.stringify(trade()),
  });
  const text = await answer.text();
  if (answer.status !== 201) throw new Error(`${url} answered ${answer.status}`);
  return text;
}

/** A round of so many clients at once, each with one request after the other until all are answered. */
const flood = (asked: Asked, requests: number) => async () => {
  let left = requests;
  const client = async () => {
    while (left-- > 0) await post(asked);
  };
  await Promise.all(Array.from({ length: CLIENTS }, client));
  return requests;
};

async function expectDecision(asked: Asked, decision: "ALLOW" | "DENY"): Promise<void> {
  if (!(await post(asked)).includes(`"decision":"${decision}"`)) throw new Error(`this was no ${decision}`);
}

/**
 * One trade after the other: buys and sales of every stock in turn, each of an amount of its own, so that none share a quote.
 * @param times how many times as large
 */
function distinctTrades({ assets }: Registry, times = 1): Asked["trade"] {
  const settlement = assets.find(({ kind }) => kind === "settlement") as Asset;
  const pairs = assets
    .filter(({ kind }) => kind === "stock")
    .flatMap((stock) => [[settlement, stock, 250] as const, [stock, settlement, 1] as const]);
  let sent = 0;
  return () => {
    const [input, output, units] = pairs[++sent % pairs.length] as (typeof pairs)[number];
    return {
      clientRequestId: `bench-${times}-${sent}`,
      ownerAddress: localAccounts().agent.address,
      inputAssetKey: input.assetKey,
      outputAssetKey: output.assetKey,
      amountInRaw: String(BigInt(units * times) * 10n ** BigInt(input.decimals) + BigInt(sent)),
      policyId: "STRICT_LIVE",
      maxSlippageBps: 50,
    };
  };
}

async function startBareHandler(databaseUrl: string) {
  const db = openDatabase(databaseUrl);
  await migrate(db);
  let next = 0;
  const app = express();
  app.post("/", express.json(), async (_request, response) => {
    await db
      .insertInto("owner_nonces")
      .values({ owner: `owner-${++next}`, next: 0 })
      .execute();
    response.status(201).json({ next });
  });
  const { url, close } = await listening(createServer(app));
  return {
    url,
    async [Symbol.asyncDispose]() {
      await close();
      await db.destroy();
    },
  };
}
