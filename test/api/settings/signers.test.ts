/** Settings of keys that are kept elsewhere: one of each key, complete, and what is secret is shown nowhere. */
import { inspect } from "node:util";
import { expect } from "chai";
import { parseConfig } from "../../../api/settings/config.ts";
import { faultsWhen } from "../../support/settings.ts";

const TOKEN = {
  ATTESTOR_PKCS11_MODULE: "/usr/lib/hsm.so",
  ATTESTOR_PKCS11_TOKEN: "assay",
  ATTESTOR_PKCS11_KEY_LABEL: "attestor",
  ATTESTOR_PKCS11_PIN_FILE: "/pin",
};
const PIN = "the pin of it";
const ARN = "arn:aws:kms:eu-central-1:111122223333:key/1234abcd-12ab-34cd-56ef-1234567890ab";
const files: Record<string, string> = { "/pin": `${PIN}\n`, "/key.json": "{}", "/pass": "passphrase\n" };
const read = (path: string): string => {
  if (files[path] === undefined) throw new Error("not there");
  return files[path];
};
const parse = (env: Record<string, string>) => parseConfig(env, read);
const faults = (env: Record<string, string>) =>
  faultsWhen(() => {
    try {
      parse(env);
    } catch (error) {
      expect(inspect(error)).to.not.contain(PIN);
      throw error;
    }
  });

describe("the settings of keys that are kept elsewhere", () => {
  it("name a key in a token, whose PIN is in a file or in a variable, and is never shown", () => {
    const fromFile = parse(TOKEN);
    const named = { backend: "pkcs11", token: { label: "assay" }, key: { label: "attestor" } };
    expect(fromFile.attestor).to.deep.include({ ...named, module: "/usr/lib/hsm.so" });
    const { ATTESTOR_PKCS11_PIN_FILE: _, ...rest } = TOKEN;
    const direct = parse({ ...rest, ATTESTOR_PKCS11_PIN: PIN });
    for (const { attestor, ...config } of [fromFile, direct]) {
      if (attestor?.backend !== "pkcs11") throw new Error("another backend");
      expect(attestor.pin.reveal()).to.equal(PIN);
      const shown = inspect({ attestor, config }, { depth: 9 }) + JSON.stringify({ attestor, config });
      expect(shown).to.not.contain(PIN);
    }
  });

  it("name a token by its slot and a key by its id too", () => {
    const { ATTESTOR_PKCS11_TOKEN: _, ATTESTOR_PKCS11_KEY_LABEL: __, ...rest } = TOKEN;
    const { attestor } = parse({ ...rest, ATTESTOR_PKCS11_SLOT: "7", ATTESTOR_PKCS11_KEY_ID: "0A" });
    expect(attestor).to.deep.include({ token: { slot: 7 }, key: { id: "0a" } });
  });

  it("name a key in AWS KMS", () => {
    const both = parse({ ATTESTOR_KMS_KEY: ARN, LOG_KMS_KEY: "alias/log" });
    expect(both.attestor).to.deep.equal({ backend: "aws-kms", key: ARN });
    const { backend } = parse({ LOG_KMS_KEY: "alias/log" }).log;
    expect(backend).to.deep.equal({ backend: "aws-kms", key: "alias/log" });
  });

  it("are the only ones of a key", () => {
    expect(faults({ ...TOKEN, ATTESTOR_KMS_KEY: ARN })).to.deep.equal([
      "ATTESTOR_PKCS11_MODULE and ATTESTOR_KMS_KEY are both set: set one of them",
    ]);
    expect(faults({ ATTESTOR_KEYSTORE: "/key.json", ATTESTOR_KMS_KEY: ARN })[0]).to.equal(
      "ATTESTOR_KEYSTORE and ATTESTOR_KMS_KEY are both set: set one of them",
    );
    const logKey = { LOG_KEYSTORE: "/key.json", LOG_KEYSTORE_PASSPHRASE_FILE: "/pass" };
    expect(faults({ ...logKey, LOG_KMS_KEY: ARN })).to.deep.equal([
      "LOG_KEYSTORE and LOG_KMS_KEY are both set: set one of them",
    ]);
    expect(faults({ ATTESTOR_NEXT_KMS_KEY: ARN, ATTESTOR_NEXT_PKCS11_KEY_LABEL: "b" })).to.deep.equal([
      "ATTESTOR_NEXT_KMS_KEY and a key of ATTESTOR_NEXT_PKCS11 are both set: set one of them",
    ]);
  });

  it("agree with ATTESTOR_SIGNER and LOG_SIGNER, where these are set", () => {
    expect(parse({ ...TOKEN, ATTESTOR_SIGNER: "pkcs11" }).attestor?.backend).to.equal("pkcs11");
    expect(faults({ ...TOKEN, ATTESTOR_SIGNER: "aws-kms" })).to.deep.equal([
      "ATTESTOR_SIGNER is aws-kms, but ATTESTOR_PKCS11_MODULE is set",
    ]);
    expect(faults({ ATTESTOR_SIGNER: "aws-kms", LOG_SIGNER: "keystore" })).to.deep.equal([
      "ATTESTOR_SIGNER is aws-kms, so ATTESTOR_KMS_KEY is required",
      "LOG_SIGNER is keystore, so LOG_KEYSTORE is required",
    ]);
    expect(faults({ ATTESTOR_SIGNER: "hsm" })).to.deep.equal([
      'ATTESTOR_SIGNER must be one of keystore, pkcs11, aws-kms, not "hsm"',
    ]);
  });

  it("are complete, and all that is missing is said at once", () => {
    expect(faults({ ATTESTOR_PKCS11_MODULE: "/usr/lib/hsm.so" })).to.deep.equal([
      "ATTESTOR_PKCS11_MODULE needs either ATTESTOR_PKCS11_TOKEN or ATTESTOR_PKCS11_SLOT",
      "ATTESTOR_PKCS11_MODULE needs either ATTESTOR_PKCS11_KEY_LABEL or ATTESTOR_PKCS11_KEY_ID",
      "ATTESTOR_PKCS11_MODULE needs either ATTESTOR_PKCS11_PIN_FILE or ATTESTOR_PKCS11_PIN",
    ]);
    expect(faults({ ...TOKEN, ATTESTOR_PKCS11_PIN_FILE: "/none" })).to.deep.equal([
      "ATTESTOR_PKCS11_PIN_FILE names a file that cannot be read: /none",
    ]);
    expect(faults({ ...TOKEN, ATTESTOR_PKCS11_PIN: PIN })).to.have.length(1);
    const names = { ATTESTOR_PKCS11_SLOT: "x", ATTESTOR_PKCS11_KEY_ID: "0", ATTESTOR_KMS_KEY: "a b" };
    expect(faults(names)).to.have.length(3);
    const times = { ATTESTOR_SIGNER_TIMEOUT_MS: "99", LOG_SIGNER_TIMEOUT_MS: "1401" };
    expect(faults({ ...times, ATTESTOR_ADDRESS: "0x1" })).to.have.length(3);
  });

  it("name a next key wholly or not at all: one without its key would be missed when the guard names it", () => {
    for (const [name, value] of [
      ["ATTESTOR_NEXT_PKCS11_TOKEN", "assay"],
      ["ATTESTOR_NEXT_PKCS11_PIN", PIN],
    ] as const)
      expect(faults({ ...TOKEN, [name]: value }).join()).to.contain(
        "needs either ATTESTOR_NEXT_PKCS11_KEY_LABEL or ATTESTOR_NEXT_PKCS11_KEY_ID",
      );
  });

  it("never repeat a PIN that is wrong in itself", () => {
    expect(faults({ ...TOKEN, ATTESTOR_PKCS11_PIN: "x".repeat(3_000) }).join()).to.not.contain("xxx");
  });

  it("take the token of the next key from those of the present one, as far as they leave it out", () => {
    const { next } = parse({ ...TOKEN, ATTESTOR_NEXT_PKCS11_KEY_LABEL: "next" }).signers;
    const named = { module: "/usr/lib/hsm.so", token: { label: "assay" }, key: { label: "next" } };
    expect(next).to.deep.include(named);
    const other = { ATTESTOR_NEXT_PKCS11_KEY_ID: "02", ATTESTOR_NEXT_PKCS11_SLOT: "3" };
    const bySlot = parse({ ...TOKEN, ...other }).signers.next;
    expect(bySlot).to.deep.include({ token: { slot: 3 }, key: { id: "02" } });
    // From a keystore into a cloud.
    const kept = { ATTESTOR_KEYSTORE: "/key.json", ATTESTOR_KEYSTORE_PASSPHRASE_FILE: "/pass" };
    const moving = parse({ ...kept, ATTESTOR_NEXT_KMS_KEY: ARN });
    expect(moving.attestor?.backend).to.equal("keystore");
    expect(moving.signers.next).to.deep.equal({ backend: "aws-kms", key: ARN });
  });

  it("are as good as keystores in the live profile", () => {
    const places = { RPC_URL: "http://127.0.0.1:1", DEPLOYMENT_FILE: "/d", PUBLIC_URL: "https://a.example" };
    const live = { ASSAY_PROFILE: "live", ...places };
    expect(parse({ ...live, ATTESTOR_KMS_KEY: ARN, LOG_KMS_KEY: ARN }).profile).to.equal("live");
    expect(faults(live)).to.deep.equal([
      "ATTESTOR_KEYSTORE is required in the live profile",
      "LOG_KEYSTORE is required in the live profile",
    ]);
  });
});
