import { readFile } from "node:fs/promises";
import { expect } from "chai";
import { createAttestationKeys } from "../../../api/attestation/keys.ts";
import { openAttestation } from "../../../api/attestation/open.ts";
import { ConfigError } from "../../../api/settings/config.ts";
import { Secret } from "../../../api/settings/secret.ts";
import { guardDomain } from "../../../attestor/certificate/certificate.ts";
import { signerFromPrivateKey } from "../../../attestor/certificate/signer.ts";
import { UpstreamUnavailable } from "../../../chain/chainErrors.ts";
import { localAccounts } from "../../../devnet/accounts.ts";
import { failureOf } from "../../support/failure.ts";
import { loggerTo } from "../../support/http.ts";
import { keystoreFolder, newWallet } from "../../support/keystores.ts";
import { ofSuite } from "../../support/suite.ts";

const DOMAIN = guardDomain(31337, "0x5FbDB2315678afecb367f032d93F642f64180aa3");
const newSigner = () => signerFromPrivateKey(newWallet().privateKey, DOMAIN);

describe("the choice of the attestation key", () => {
  it("the choice of the attestation key follows the guard, and forgets the old key when the guard has named the new one", () => {
    const [first, second] = [newSigner(), newSigner()];
    const changes: string[][] = [];
    const keys = createAttestationKeys(first, (...change) => changes.push(change));
    keys.offer(second);
    expect(keys.addressFor(first.address)).to.equal(first.address);
    expect(changes).to.deep.equal([]);
    expect(keys.addressFor(second.address)).to.equal(second.address);
    expect(changes).to.deep.equal([[second.address, first.address]]);
    // A node that lags behind, or a block that went away: the leaked key does not come back.
    expect(keys.addressFor(first.address)).to.equal(second.address);
    expect(() => keys.signerOf(first.address)).to.throw(UpstreamUnavailable);
    expect(keys.signerOf(second.address)).to.equal(second);
  });

  it("the choice of the attestation key waits for nothing when the same key is put in place again, or a change is taken back", () => {
    const [first, second] = [newSigner(), newSigner()];
    const changes: string[][] = [];
    const keys = createAttestationKeys(first, (...change) => changes.push(change));
    keys.offer(first);
    expect(keys.waiting()).to.equal(null);
    keys.offer(second);
    expect(keys.waiting()).to.equal(second.address);
    keys.offer(first);
    expect(keys.waiting()).to.equal(null);
    keys.addressFor(first.address);
    expect(changes).to.deep.equal([]);
  });

  it("the choice of the attestation key states the newest key to a guard that names none of them", () => {
    const [first, second] = [newSigner(), newSigner()];
    const keys = createAttestationKeys(first);
    const stranger = newSigner().address;
    expect(keys.addressFor(stranger)).to.equal(first.address);
    keys.offer(second);
    expect(keys.addressFor(stranger)).to.equal(second.address);
    expect(keys.current()).to.equal(first.address);
  });
});

describe("a keystore file in the live profile", () => {
  const first = newWallet();
  const files = ofSuite(() => keystoreFolder(first.privateKey));
  const opened = async (log: string[]) => {
    const passphrase = new Secret((await readFile(files.passphrasePath, "utf8")).trim());
    const config = {
      profile: "live",
      signers: { next: null, address: null, attestorTimeoutMs: 2_000, logTimeoutMs: 1_000 },
      attestor: { backend: "keystore", path: files.path, passphrase },
    } as const;
    return openAttestation(config, DOMAIN, async () => first.address, loggerTo(log));
  };

  it("a keystore file in the live profile is refused with a development key in it, and the error has no secret", async () => {
    const log: string[] = [];
    const { privateKey } = localAccounts().all[3]!;
    await files.put(privateKey, "a passphrase nobody should see");
    const error = await failureOf(opened(log), ConfigError);
    expect(error.message).to.include("well-known development key");
    expect(`${error.message}${log.join("")}`)
      .to.not.match(/nobody should/)
      .and.to.not.contain(privateKey.slice(2));

    const second = newWallet();
    await files.put(second.privateKey, "nor should this one be seen");
    const attestation = await opened(log);
    expect(attestation.state()).to.deep.equal({ signer: second.address, waiting: null, fault: null });
    await attestation.stop();
  }).timeout(120_000);
});
