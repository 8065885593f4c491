/** Settings of keys that are kept elsewhere: one of each key. */
import { expect } from "chai";
import { parseConfig } from "../../../api/settings/config.ts";
import { faultsWhen } from "../../support/settings.ts";

const ARN = "arn:aws:kms:eu-central-1:111122223333:key/1234abcd-12ab-34cd-56ef-1234567890ab";
const files: Record<string, string> = { "/key.json": "{}", "/pass": "passphrase\n" };
const read = (path: string): string => {
  if (files[path] === undefined) throw new Error("not there");
  return files[path];
};
const parse = (env: Record<string, string>) => parseConfig(env, read);
const faults = (env: Record<string, string>) => faultsWhen(() => parse(env));

describe("settings of signers", () => {
  it("settings of signers name a key in AWS KMS", () => {
    const both = parse({ ATTESTOR_KMS_KEY: ARN, LOG_KMS_KEY: "alias/log" });
    expect(both.attestor).to.deep.equal({ backend: "aws-kms", key: ARN });
    const { backend } = parse({ LOG_KMS_KEY: "alias/log" }).log;
    expect(backend).to.deep.equal({ backend: "aws-kms", key: "alias/log" });
  });

  it("settings of signers name one place of a key, and no keystore beside it", () => {
    expect(faults({ ATTESTOR_KEYSTORE: "/key.json", ATTESTOR_KMS_KEY: ARN })[0]).to.equal(
      "ATTESTOR_KEYSTORE and ATTESTOR_KMS_KEY are both set: set one of them",
    );
    const logKey = { LOG_KEYSTORE: "/key.json", LOG_KEYSTORE_PASSPHRASE_FILE: "/pass" };
    expect(faults({ ...logKey, LOG_KMS_KEY: ARN })).to.deep.equal([
      "LOG_KEYSTORE and LOG_KMS_KEY are both set: set one of them",
    ]);
  });

  it("settings of signers must agree with ATTESTOR_SIGNER and LOG_SIGNER, where these are set", () => {
    const kms = { ATTESTOR_KMS_KEY: ARN };
    expect(parse({ ...kms, ATTESTOR_SIGNER: "aws-kms" }).attestor?.backend).to.equal("aws-kms");
    expect(faults({ ...kms, ATTESTOR_SIGNER: "keystore" })).to.deep.equal([
      "ATTESTOR_SIGNER is keystore, but ATTESTOR_KMS_KEY is set",
    ]);
    expect(faults({ ATTESTOR_SIGNER: "aws-kms", LOG_SIGNER: "keystore" })).to.deep.equal([
      "ATTESTOR_SIGNER is aws-kms, so ATTESTOR_KMS_KEY is required",
      "LOG_SIGNER is keystore, so LOG_KEYSTORE is required",
    ]);
    expect(faults({ ATTESTOR_SIGNER: "hsm" })).to.deep.equal([
      'ATTESTOR_SIGNER must be one of keystore, aws-kms, not "hsm"',
    ]);
  });

  it("settings of signers that are wrong in themselves are all reported at once", () => {
    const names = {
      ATTESTOR_KMS_KEY: "a b",
      ATTESTOR_SIGNER_TIMEOUT_MS: "99",
      LOG_SIGNER_TIMEOUT_MS: "1401",
    };
    expect(faults({ ...names, ATTESTOR_ADDRESS: "0x1" })).to.have.length(4);
  });

  it("settings of signers name the next key, also beside a keystore", () => {
    const kept = { ATTESTOR_KEYSTORE: "/key.json", ATTESTOR_KEYSTORE_PASSPHRASE_FILE: "/pass" };
    const moving = parse({ ...kept, ATTESTOR_NEXT_KMS_KEY: ARN });
    expect(moving.attestor?.backend).to.equal("keystore");
    expect(moving.signers.next).to.deep.equal({ backend: "aws-kms", key: ARN });
  });

  it("the live profile takes settings of signers as it takes keystores", () => {
    const places = { RPC_URL: "http://127.0.0.1:1", DEPLOYMENT_FILE: "/d", PUBLIC_URL: "https://a.example" };
    const live = { ASSAY_PROFILE: "live", ...places };
    expect(parse({ ...live, ATTESTOR_KMS_KEY: ARN, LOG_KMS_KEY: ARN }).profile).to.equal("live");
  });
});
