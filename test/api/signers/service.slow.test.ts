/** Whole services whose keys are kept elsewhere, on the real chain: trades, faults, and a change of the key. */
import { expect } from "chai";
import { recoverAddress, Wallet } from "ethers";
import { openAttestation } from "../../../api/attestation/open.ts";
import { developmentLogSigner } from "../../../api/log/key.ts";
import { openLogKey } from "../../../api/log/openKey.ts";
import { createLogger } from "../../../api/metrics/logger.ts";
import { parseConfig } from "../../../api/settings/config.ts";
import {
  domainSeparator,
  guardDomain,
  hashCertificate,
  typedDataDigest,
} from "../../../attestor/certificate/certificate.ts";
import { proofCertificate } from "../../../attestor/certificate/keyProof.ts";
import { parseCheckpoint } from "../../../attestor/log/checkpoint.ts";
import { failureOf } from "../../support/failure.ts";
import { expectProblem } from "../../support/http.ts";
import { type FakeKms, startKms } from "../../support/kms.ts";
import { carryOut, rotateSigner, type Service, startService, walletOf } from "../../support/service.ts";
import { ofSuite } from "../../support/suite.ts";
import { until } from "../../support/until.ts";
import { testWorld } from "../../support/world.ts";

const NO_KEY = { ATTESTOR_PRIVATE_KEY: "" };
const LOG = createLogger({ level: "silent" });

describe("a service whose keys are kept elsewhere", () => {
  const world = testWorld();
  let service: Service | null = null;

  const rotate = (signer: string) => rotateSigner(world, signer);
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
    const faultOf = async (env: Record<string, string>) => {
      const config = parseConfig({ ...NO_KEY, ...env });
      const opened = openAttestation(config, domain(), async () => attestor.address, LOG);
      return (await failureOf(opened, Error)).message;
    };
    const signed = (arn: string): Buffer[] => {
      const calls = kms.calls.filter(({ target, body }) => target === "Sign" && body.KeyId === arn);
      return calls.map(({ body }) => Buffer.from(body.Message, "base64"));
    };

    it("a service whose keys are in AWS KMS certifies a trade, and asks for digests of its own certificates and nothing else", async () => {
      const running = await start({ ATTESTOR_KMS_KEY: attestor.id, LOG_KMS_KEY: log.arn });
      const certificates: unknown[] = [proofCertificate(attestor.address, 1)];
      for (let trade = 0; trade < 3; trade++) {
        const { body } = await prepare(running);
        expect(signerIn(body)).to.equal(attestor.address);
        certificates.push(body.execution.certificate.message);
        if (trade === 0) await carryOut(walletOf(world), body.execution);
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
      it(`a service whose keys are in AWS KMS answers 503 and gives no certificate for ${fault}, and 200 afterwards`, async () => {
        const running = await start({ ATTESTOR_KMS_KEY: attestor.arn, ATTESTOR_SIGNER_TIMEOUT_MS: "500" });
        const { jobId } = await newJob(running);
        kms.fault = fault;
        for (let call = 0; call < 4; call++) {
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

    it("a service whose keys are in AWS KMS takes the next key when the guard names it, without a request that would ask", async () => {
      const next = kms.create("secp256k1");
      const running = await start({ ATTESTOR_KMS_KEY: attestor.arn, ATTESTOR_NEXT_KMS_KEY: next.arn });
      expect(signerIn((await prepare(running)).body)).to.equal(attestor.address);
      expect((await ready(running)).attestation).to.include({
        signer: attestor.address,
        waiting: next.address,
      });
      await rotate(next.address);
      await readyWhen(running, (body) => body.attestation.signer === next.address);
      expect((await ready(running)).attestation).to.include({ waiting: null, fault: null });
      expect(signerIn((await prepare(running)).body)).to.equal(next.address);
    });

    it("a service whose keys are in AWS KMS does not start with another address than was asked for, or with a key that is missing", async () => {
      const { guard } = world.deployment;
      const wrong = await faultOf({ ATTESTOR_KMS_KEY: attestor.arn, ATTESTOR_ADDRESS: guard });
      expect(wrong).to.contain(
        `the attestation key is that of ${attestor.address}, and ATTESTOR_ADDRESS is ${guard}`,
      );
      const missing = "KMS cannot be asked, or says no: NotFoundException";
      expect(await faultOf({ ATTESTOR_KMS_KEY: "none" })).to.equal(`ATTESTOR_KMS_KEY: ${missing}`);
      const withNext = { ATTESTOR_KMS_KEY: attestor.arn, ATTESTOR_NEXT_KMS_KEY: "none" };
      expect(await faultOf(withNext)).to.equal(`ATTESTOR_NEXT_KMS_KEY: ${missing}`);
      const config = parseConfig({ ...NO_KEY, LOG_KMS_KEY: "none" });
      expect((await failureOf(openLogKey(config, LOG))).message).to.contain(`LOG_KMS_KEY: ${missing}`);
    });

    it("a service whose keys are in AWS KMS answers 503 while the log's key does not sign, and says which key it is", async () => {
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
      const { signer } = running.server.service.log;
      expect(signer.publicKey).to.not.deep.equal(developmentLogSigner().publicKey);
    });
  });
});
