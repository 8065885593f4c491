/** Keys in AWS KMS: AWS's own client against a server that speaks its protocol, and all that can go wrong with it. */
import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { inspect, promisify } from "node:util";
import { expect } from "chai";
import { recoverAddress } from "ethers";
import fc from "fast-check";
import { logSignerFromBackend } from "../../../api/log/key.ts";
import { openKmsKey } from "../../../api/signers/aws/kms.ts";
import type { Curve } from "../../../api/signers/backend.ts";
import { BackendFault, faultText, isWrongAnswer } from "../../../api/signers/backend.ts";
import { certificateSignerOf } from "../../../api/signers/certificates.ts";
import {
  domainSeparator,
  hashCertificate,
  typedDataDigest,
} from "../../../attestor/certificate/certificate.ts";
import { proofCertificate } from "../../../attestor/certificate/keyProof.ts";
import { openCheckpoint } from "../../../attestor/log/checkpoint.ts";
import { DOMAIN } from "../../attestor/fixtures.ts";
import { failureOf } from "../../support/failure.ts";
import { type KmsFault, startKms, withVariables } from "../../support/kms.ts";
import { ofSuite } from "../../support/suite.ts";

const HALF_ORDER = 0x7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0n;
const EMPTY = { origin: "assay.example.com/log", size: 0, root: new Uint8Array(32) };

describe("a key in AWS KMS", () => {
  const kms = ofSuite(startKms);
  afterEach(() => {
    kms.fault = "none";
    kms.faultEverywhere = false;
  });

  const opened = (key: string, curve: Curve = "secp256k1", timeoutMs = 10_000) =>
    openKmsKey({ key, curve, timeoutMs });
  const failing = async (work: () => Promise<unknown>): Promise<Error> => {
    const error = await failureOf(work(), Error);
    expect(inspect(error, { depth: 2 })).to.not.contain(kms.env.AWS_SECRET_ACCESS_KEY);
    return error;
  };

  it("a key in AWS KMS signs any certificate so that the guard's check finds the key, for any s that KMS chose", async () => {
    const { id, address } = kms.create("secp256k1");
    const signer = certificateSignerOf(await opened(id), DOMAIN);
    expect(signer.address).to.equal(address);
    const separator = domainSeparator(DOMAIN);
    const times = fc.integer({ min: 1, max: 253_402_300_799 });
    const chosen = fc.constantFrom<KmsFault>("none", "low s", "high s");
    await fc.assert(
      fc.asyncProperty(times, chosen, async (at, fault) => {
        kms.fault = fault;
        const certificate = proofCertificate(address, at);
        const signature = await signer.sign(certificate);
        expect(BigInt(`0x${signature.slice(66, 130)}`) <= HALF_ORDER).to.equal(true);
        const digest = typedDataDigest(separator, hashCertificate(certificate));
        expect(recoverAddress(digest, signature)).to.equal(address);
      }),
      { numRuns: 60 },
    );
  });

  it("a key in AWS KMS is asked for digests alone, by the key's own ARN after an alias was looked up", async () => {
    const { id, arn, address } = kms.create("secp256k1");
    kms.alias("attestor", id);
    const signer = certificateSignerOf(await opened("alias/attestor"), DOMAIN);
    // An alias that is moved while the service runs changes nothing.
    kms.alias("attestor", kms.create("secp256k1").id);
    kms.calls.splice(0);
    const certificate = proofCertificate(address, 5);
    await signer.sign(certificate);
    const digest = typedDataDigest(domainSeparator(DOMAIN), hashCertificate(certificate));
    const Message = Buffer.from(digest.slice(2), "hex").toString("base64");
    const how = { MessageType: "DIGEST", SigningAlgorithm: "ECDSA_SHA_256" };
    expect(kms.calls).to.deep.equal([{ target: "Sign", body: { KeyId: arn, Message, ...how } }]);
  });

  it("a key in AWS KMS is the log's with Ed25519", async () => {
    const { id } = kms.create("ed25519");
    const signer = logSignerFromBackend(await opened(id, "ed25519"));
    const note = await signer.sign(EMPTY);
    expect(openCheckpoint(note, { logs: [signer.keyOf(EMPTY.origin)] })).to.include({ size: 0 });
    const faults = [
      "signature of other bytes",
      "signature of another key",
      "garbage in place of DER",
    ] as const;
    const told = ["the signature is not one of the log's key", "it gave 71 bytes in place of a signature"];
    for (const fault of faults) {
      kms.fault = fault;
      expect((await failing(async () => signer.sign(EMPTY))).message, fault).to.be.oneOf(told);
    }
  });

  const wrong: Partial<Record<KmsFault, string>> = {
    "signature of other bytes": "the signature is not one of the attestation key",
    "signature of another key": "the signature is not one of the attestation key",
    "garbage in place of DER": "KMS answers what is no signature",
    "DER with more behind it": "KMS answers what is no signature",
    "no signature": "KMS answers without a signature",
  };
  const away: Partial<Record<KmsFault, string>> = {
    "no JSON": "KMS cannot be asked, or says no: SyntaxError",
    throttling: "KMS cannot be asked, or says no: ThrottlingException",
    "access denied": "KMS cannot be asked, or says no: AccessDeniedException",
    "internal error": "KMS cannot be asked, or says no: KMSInternalException",
    silence: "it did not answer within 700 ms",
    "an answer that never ends": "it did not answer within 700 ms",
    "a huge answer": "KMS answers too much",
  };
  for (const [fault, message] of Object.entries({ ...wrong, ...away }))
    it(`a key in AWS KMS gives no certificate for ${fault}, and signs when KMS is well again`, async () => {
      const { id, address } = kms.create("secp256k1");
      // The official client asks again before it gives up, which may take longer.
      const key = await opened(id, "secp256k1", message.includes("within 700 ms") ? 700 : 10_000);
      const signer = certificateSignerOf(key, DOMAIN);
      kms.fault = fault as KmsFault;
      const error = await failing(() => signer.sign(proofCertificate(address, 1)));
      expect(faultText(error)).to.equal(message);
      expect(isWrongAnswer(error)).to.equal(fault in wrong || fault === "a huge answer");
      kms.fault = "none";
      await signer.sign(proofCertificate(address, 2));
      await key.stop();
    });

  it("a key in AWS KMS gives no certificate when the connection is closed, and tells no more than the kind of error", async () => {
    const { id, address } = kms.create("secp256k1");
    const signer = certificateSignerOf(await opened(id), DOMAIN);
    kms.fault = "a closed connection";
    const error = await failing(() => signer.sign(proofCertificate(address, 1)));
    expect(faultText(error)).to.match(/^KMS cannot be asked, or says no: [A-Za-z]+$|^it did not answer/);
  });

  it("a key in AWS KMS whose pair was replaced signs nothing more", async () => {
    const { id, address } = kms.create("secp256k1");
    const signer = certificateSignerOf(await opened(id), DOMAIN);
    kms.replace(id);
    const error = await failing(() => signer.sign(proofCertificate(address, 1)));
    expect(error.message).to.equal("the signature is not one of the attestation key");
    expect(isWrongAnswer(error)).to.equal(true);
  });

  it("a key in AWS KMS is refused at the start when it is of another kind, not there, or cannot be read", async () => {
    const { id } = kms.create("secp256k1");
    const faultOf = async (...given: Parameters<typeof opened>) => {
      const error = await failing(() => opened(...given));
      expect(error).to.be.instanceOf(BackendFault);
      return error.message;
    };
    expect(await faultOf(id, "ed25519")).to.equal(
      "the key is none that signs by ED25519_SHA_512 with ECC_NIST_EDWARDS25519",
    );
    expect(await faultOf("alias/none")).to.equal("KMS cannot be asked, or says no: NotFoundException");
    kms.fault = "access denied";
    kms.faultEverywhere = true;
    expect(await faultOf(id)).to.equal("KMS cannot be asked, or says no: AccessDeniedException");
  });

  it("a key in AWS KMS is asked in the region that its ARN names, with signed requests", async () => {
    const { arn, id } = kms.create("secp256k1");
    const wrong = { AWS_REGION: "us-east-1", AWS_ACCESS_KEY_ID: "another" };
    for (const [name, value] of Object.entries(wrong)) {
      const variables = { [name]: value };
      const putBack = withVariables(variables);
      try {
        // The server refuses requests that are signed for another region than its own.
        if (variables.AWS_REGION) await (await opened(arn)).stop();
        expect((await failing(() => opened(id))).message).to.contain("InvalidSignatureException");
      } finally {
        putBack();
      }
    }
  });

  it("a key in AWS KMS does not start where the package is not installed, and says how to install it", async () => {
    const args = ["--input-type=module", "--eval", WITHOUT_THE_PACKAGE];
    const { stdout } = await promisify(execFile)(process.execPath, args);
    const { attestation, log } = JSON.parse(stdout);
    const { version } = createRequire(import.meta.url)("@aws-sdk/client-kms/package.json");
    const command = `npm install --no-save --no-workspaces @aws-sdk/client-kms@${version}`;
    for (const { code, message } of [attestation, log]) {
      expect(code).to.equal("missing_package");
      expect(message)
        .to.match(/^missing_package: /)
        .and.to.contain(command);
    }
    expect(readFileSync(join(ROOT, "docs/run/keys.md"), "utf8")).to.contain(command);
  });
});

const ROOT = join(import.meta.dirname, "../../..");
const WITHOUT_THE_PACKAGE = `
  import { registerHooks } from "node:module";
  registerHooks({
    resolve(name, context, next) {
      if (name === "@aws-sdk/client-kms") throw new Error("Cannot find package");
      return next(name, context);
    },
  });
  const { openAttestation } = await import(${JSON.stringify(join(ROOT, "api/attestation/open.ts"))});
  const { openLogKey } = await import(${JSON.stringify(join(ROOT, "api/log/openKey.ts"))});
  const { createLogger } = await import(${JSON.stringify(join(ROOT, "api/metrics/logger.ts"))});
  const key = { backend: "aws-kms", key: "alias/none" };
  const config = {
    attestor: key,
    log: { backend: key, origin: "assay.example.com/log" },
    signers: { next: null, address: null, attestorTimeoutMs: 100, logTimeoutMs: 100 },
    profile: "local",
  };
  const logger = createLogger({ level: "silent" });
  const failed = (work) => work.then(() => null, ({ code, message }) => ({ code, message }));
  const attestation = await failed(openAttestation(config, ${JSON.stringify(DOMAIN)}, async () => "", logger));
  const log = await failed(openLogKey(config, logger));
  process.stdout.write(JSON.stringify({ attestation, log }));
`;
