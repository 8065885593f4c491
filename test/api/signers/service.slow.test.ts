/** Whole services whose keys are kept elsewhere, on the real chain: trades, faults, and a change of the key. */
import { readdirSync, readFileSync } from "node:fs";
import { expect } from "chai";
import { recoverAddress, Wallet } from "ethers";
import { type Attestation, openAttestation } from "../../../api/attestation/open.ts";
import { openLogKey } from "../../../api/log/files.ts";
import { developmentLogSigner } from "../../../api/log/key.ts";
import { createLogger } from "../../../api/metrics/logger.ts";
import { parseConfig } from "../../../api/settings/config.ts";
import {
  domainSeparator,
  guardDomain,
  hashCertificate,
  typedDataDigest,
} from "../../../attestor/certificate/certificate.ts";
import { proofCertificate } from "../../../attestor/certificate/keyProof.ts";
import { openCheckpoint, parseCheckpoint } from "../../../attestor/log/checkpoint.ts";
import { parseTlogProof } from "../../../attestor/log/tlogProof.ts";
import { localAccounts } from "../../../devnet/accounts.ts";
import { failureOf } from "../../support/failure.ts";
import { expectProblem, expectStatus, retryAfter } from "../../support/http.ts";
import { newWallet } from "../../support/keystores.ts";
import { type FakeKms, startKms } from "../../support/kms.ts";
import { carryOut, rotateSigner, type Service, startService, walletOf } from "../../support/service.ts";
import { openSoftToken } from "../../support/softhsm.ts";
import { ofSuite } from "../../support/suite.ts";
import { until } from "../../support/until.ts";
import { testWorld } from "../../support/world.ts";

const NO_KEY = { ATTESTOR_PRIVATE_KEY: "" };
const LOG = createLogger({ level: "silent" });

describe("a service whose keys are kept elsewhere", () => {
  const world = testWorld();
  let service: Service | null = null;

  const rotate = (signer: string, overlapSeconds?: number) => rotateSigner(world, signer, overlapSeconds);
  const start = async (env: Record<string, string>) => {
    service = await startService(world, "sqlite::memory:", { ...NO_KEY, ...env });
    return service;
  };
  const newJob = async (running: Service) => {
    await world.tick();
    return running.newJob();
  };
  const prepare = async (running: Service) => running.prepare((await newJob(running)).jobId);
  const ready = async (running: Service) => (await running.call("/readyz")).body;
  const readyWhen = (running: Service, holds: (body: any) => boolean) =>
    until("such a /readyz", () => ready(running), holds);
  const domain = () => guardDomain(world.deployment.chainId, world.deployment.guard);
  const digestOf = (certificate: any) =>
    typedDataDigest(domainSeparator(domain()), hashCertificate(certificate));
  const signerIn = ({ execution }: any) =>
    recoverAddress(digestOf(execution.certificate.message), execution.certificate.signature);

  afterEach(async () => {
    await service?.stop();
    service = null;
    expect(holders(), "processes that hold a token").to.deep.equal([]);
  });

  describe("in a PKCS#11 token", () => {
    const { address, privateKey } = newWallet();
    const token = ofSuite(openSoftToken);

    const held = async (env: Record<string, string>): Promise<Attestation> => {
      const config = parseConfig({ ...NO_KEY, ...env });
      return await openAttestation(config, domain(), async () => address, LOG);
    };
    const withNext = (label = "next") => ({
      ...token.env("ATTESTOR", "attestor"),
      ATTESTOR_NEXT_PKCS11_KEY_LABEL: label,
    });
    const faultOf = async (env: Record<string, string>) => (await failureOf(held(env), Error)).message;
    before(() => {
      token.put(privateKey, "attestor");
      token.generate("secp256k1", "next");
      token.generate("ed25519", "log");
    });

    it("certifies a trade that the guard carries out, proved by a log that is signed there too", async () => {
      await rotate(address);
      const keys = { ...token.env("ATTESTOR", "attestor"), ...token.env("LOG", "log") };
      const running = await start({ ...keys, ATTESTOR_ADDRESS: address });
      const { body } = expectStatus(await prepare(running), 200);
      expect(signerIn(body)).to.equal(address);
      const logKey = running.server.services.log.signer;
      expect(logKey.isDevelopmentKey).to.equal(false);
      const { checkpoint } = parseTlogProof(body.report.log.proof);
      openCheckpoint(checkpoint, { logs: [logKey.keyOf(running.server.services.log.origin)] });

      const { jobId } = body.report;
      await running.submit(jobId, await carryOut(walletOf(world), body.execution));
      await world.mine(3);
      await running.jobWhen(jobId, ({ executions }) => executions[0]?.state === "confirmed");
      const { attestation, log } = await ready(running);
      expect(attestation).to.deep.equal({ signer: address, waiting: null, keystore: "none", fault: null });
      expect(log.keyFault).to.equal(null);
    });

    it("answers 503 while the token hangs, says why, and signs by itself when it is back", async () => {
      await rotate(address);
      const env = token.env("ATTESTOR", "attestor");
      const running = await start({ ...env, ATTESTOR_SIGNER_TIMEOUT_MS: "1000" });
      const { jobId } = await newJob(running);
      const gone = "there is no token with the label assay";
      const frozen = freezeHolders();
      // As with a module that does not return: opening it anew hangs, too.
      await token.pullOut();
      try {
        const refused = expectProblem(await running.prepare(jobId), 503, "unavailable");
        expect(refused.body.detail).to.equal("The attestation key cannot sign at the moment; try again.");
        expect(retryAfter(refused)).to.be.within(1, 5);
        const { status, attestation } = await ready(running);
        expect(status).to.equal("ready");
        expect(attestation.fault).to.be.oneOf(["it did not answer within 1000 ms", gone]);
        // Nothing else waits for it.
        expect((await newJob(running)).report.decision).to.equal("ALLOW");
        await readyWhen(running, ({ attestation: { fault } }) => fault === gone);
      } finally {
        await token.putBack();
        for (const pid of frozen) expect(() => process.kill(pid, 0)).to.throw();
      }
      await readyWhen(running, ({ attestation: { fault } }) => fault === null);
      // The calls that failed cost nothing of the limit of two.
      for (let n = 0; n < 2; n++) expect((await running.prepare(jobId)).status).to.equal(200);
    });

    it("takes the next key of the token when the guard names it, without a request that would ask, and lets go of the one before", async () => {
      await rotate(address);
      const running = await start(withNext());
      expect(holders()).to.have.length(2);
      expect(signerIn((await prepare(running)).body)).to.equal(address);
      const { waiting } = (await ready(running)).attestation;
      await rotate(waiting);
      await readyWhen(running, ({ attestation: { signer } }) => signer === waiting);
      await until("a single holder", () => holders().length <= 1);
      expect(holders()).to.have.length(1);
      expect((await ready(running)).attestation).to.include({ signer: waiting, waiting: null, fault: null });
      expect(signerIn((await prepare(running)).body)).to.equal(waiting);
    });

    it("does not start with another address than was asked for, or live with a development key", async () => {
      const { guard } = world.deployment;
      const wrong = await faultOf({ ...token.env("ATTESTOR", "attestor"), ATTESTOR_ADDRESS: guard });
      expect(wrong).to.contain(`the attestation key is that of ${address}, and ATTESTOR_ADDRESS is ${guard}`);
      token.put(localAccounts().deployer.privateKey, "development");
      const config = parseConfig({ ...NO_KEY, ...token.env("ATTESTOR", "development") });
      const live = { ...config, profile: "live" } as const;
      const known = await failureOf(openAttestation(live, domain(), async () => address, LOG));
      expect(known.message).to.contain("is a well-known development key");
      expect(holders()).to.deep.equal([]);
    });

    it("does not start where a key is missing, and names the settings that it belongs to", async () => {
      const missing = "the token has no private key with the label none";
      expect(await faultOf(token.env("ATTESTOR", "none"))).to.equal(`ATTESTOR_PKCS11: ${missing}`);
      expect(await faultOf(withNext("none"))).to.equal(`ATTESTOR_NEXT_PKCS11: ${missing}`);
      const config = parseConfig({ ...NO_KEY, ...token.env("LOG", "attestor") });
      const { message } = await failureOf(openLogKey(config, LOG));
      const curve = "the private key with the label attestor is none of the curve ed25519";
      expect(message).to.contain(`LOG_PKCS11: ${curve}`);
      expect(holders()).to.deep.equal([]);
    });
  });

  describe("in AWS KMS", () => {
    const kms = ofSuite(startKms);
    let attestor: ReturnType<FakeKms["create"]>;
    let log: ReturnType<FakeKms["create"]>;

    before(() => {
      attestor = kms.create("secp256k1");
      log = kms.create("ed25519");
    });
    beforeEach(async () => {
      kms.fault = "none";
      kms.calls.splice(0);
      await rotate(attestor.address);
    });
    const signed = (arn: string): Buffer[] => {
      const calls = kms.calls.filter(({ target, body }) => target === "Sign" && body.KeyId === arn);
      return calls.map(({ body }) => Buffer.from(body.Message, "base64"));
    };

    it("certifies a trade, and in a whole run its key is given digests of its own certificates and nothing else", async () => {
      const running = await start({ ATTESTOR_KMS_KEY: attestor.id, LOG_KMS_KEY: log.arn });
      const certificates: unknown[] = [proofCertificate(attestor.address, 1)];
      for (let n = 0; n < 3; n++) {
        const { body } = await prepare(running);
        expect(signerIn(body)).to.equal(attestor.address);
        certificates.push(body.execution.certificate.message);
        if (n === 0) await carryOut(walletOf(world), body.execution);
      }
      // What is denied, malformed or about nothing is not signed.
      await running.post("/v1/jobs", running.jobBody({ maxSlippageBps: 0 }));
      await running.post("/v1/jobs", { digest: `0x${"11".repeat(32)}` });
      await running.post(`/v1/jobs/job_${"0".repeat(26)}/prepare-execution`);
      const digests = certificates.map((each) => digestOf(each));
      expect(signed(attestor.arn).map((digest) => `0x${digest.toString("hex")}`)).to.deep.equal(digests);
      const texts = signed(log.arn).map(String);
      expect(texts.length).to.be.greaterThan(3);
      for (const text of texts)
        expect(parseCheckpoint(text).origin).to.match(/^assay\.localhost\/log(\/\d{4})?$/);
      // No other call was made with either key.
      expect(new Set(kms.calls.map(({ target }) => target))).to.deep.equal(new Set(["GetPublicKey", "Sign"]));
    });

    const faults = ["signature of another key", "signature of other bytes", "throttling", "silence"] as const;
    for (const fault of faults)
      it(`answers 503 and gives no certificate for ${fault}, and 200 afterwards`, async () => {
        const running = await start({ ATTESTOR_KMS_KEY: attestor.arn, ATTESTOR_SIGNER_TIMEOUT_MS: "500" });
        const { jobId } = await newJob(running);
        kms.fault = fault;
        for (let n = 0; n < 4; n++) {
          const { status, body, headers } = await running.prepare(jobId);
          expect({ status, code: body.code }).to.deep.equal({ status: 503, code: "unavailable" });
          expect(Number(headers.get("retry-after"))).to.be.within(1, 5);
          expect(JSON.stringify(body)).to.not.match(/"signature"|arn:aws|Exception/);
        }
        const { attestation } = await ready(running);
        expect(attestation.fault).to.be.oneOf([
          "the signature is not one of the attestation key",
          "KMS cannot be asked, or says no: ThrottlingException",
          "it did not answer within 500 ms",
        ]);
        kms.fault = "none";
        await readyWhen(running, (body) => body.attestation.fault === null);
        expect((await running.prepare(jobId)).status).to.equal(200);
      });

    it("answers 503 while the log's key does not sign, and says which key it is", async () => {
      const running = await start({
        ATTESTOR_PRIVATE_KEY: world.accounts.attestation.privateKey,
        LOG_KMS_KEY: log.arn,
        LOG_WAIT_MS: "10000",
      });
      await rotate(new Wallet(world.accounts.attestation.privateKey).address);
      const { jobId } = await newJob(running);
      kms.fault = "signature of another key";
      expectProblem(await running.prepare(jobId), 503, "unavailable");
      const body = await readyWhen(running, ({ log: { keyFault } }) => keyFault !== null);
      expect(body.log.keyFault).to.equal("the signature is not one of the log's key");
      expect(body.attestation.fault).to.equal(null);
      kms.fault = "none";
      // The lease comes back to who can sign.
      await readyWhen(running, ({ log: { fault, keyFault } }) => fault === null && keyFault === null);
      // A signature that was asked for before may fail once more. What is refused costs nothing of the limit of two.
      await until(
        "a certified trade",
        () => running.prepare(jobId),
        ({ status }) => status === 200,
      );
      const { signer } = running.server.services.log;
      expect(signer.publicKey).to.not.deep.equal(developmentLogSigner().publicKey);
    });
  });
});

/** Processes of this one that hold a token. */
function holders(): number[] {
  return readdirSync("/proc")
    .filter((name) => /^[0-9]+$/.test(name))
    .map(Number)
    .filter((pid) => {
      try {
        const parent = /^PPid:\s+([0-9]+)$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1];
        const command = readFileSync(`/proc/${pid}/cmdline`, "utf8");
        return Number(parent) === process.pid && command.includes("pkcs11/child.ts");
      } catch {
        return false;
      }
    });
}

function freezeHolders(): number[] {
  const pids = holders();
  expect(pids).to.have.length(1);
  for (const pid of pids) process.kill(pid, "SIGSTOP");
  return pids;
}
