import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect } from "chai";
import { encryptKeystoreJson, Wallet } from "ethers";
import { localAccounts } from "../../../devnet/accounts.ts";
import { attestorAddress } from "../../../scripts/admin/world.ts";
import { testFolder } from "../../support/suite.ts";

const WALLET = new Wallet(`0x${"a1".repeat(32)}`);

describe("The key that the service here signs with", () => {
  const dir = testFolder("attestor");

  it("The key that the service here signs with is named by its keystore, without a passphrase", async () => {
    const path = join(dir, "key.json");
    await writeFile(path, await encryptKeystoreJson(WALLET, "a long passphrase", { scrypt: { N: 2 } }));
    const env = { ATTESTOR_KEYSTORE: path, ASSAY_PROFILE: "live" };
    expect(await attestorAddress(env)).to.equal(WALLET.address);
  });

  it("The key that the service here signs with is the local world's, or the one that is set, in the local profile alone", async () => {
    expect(await attestorAddress({})).to.equal(localAccounts().attestation.address);
    expect(await attestorAddress({ ATTESTOR_PRIVATE_KEY: WALLET.privateKey })).to.equal(WALLET.address);
    expect(await attestorAddress({ ASSAY_PROFILE: "live" })).to.equal(null);
  });

  it("The key that the service here signs with fails in one line when its file is not a keystore, without quoting it", async () => {
    const path = join(dir, "wrong.json");
    await writeFile(path, WALLET.privateKey);
    for (const env of [{ ATTESTOR_KEYSTORE: path }, { ATTESTOR_PRIVATE_KEY: `${WALLET.privateKey}00` }]) {
      const message = await attestorAddress(env).catch((error: Error) => error.message);
      expect(message).to.match(/is not a keystore|is not a private key/);
      expect(message).to.not.contain(WALLET.privateKey);
    }
  });
});
