import { expect } from "chai";
import { createAttestationKeys } from "../../../api/attestation/keys.ts";
import { openAttestation } from "../../../api/attestation/open.ts";
import { watchKeystore } from "../../../api/attestation/watch.ts";
import { createLogger } from "../../../api/metrics/logger.ts";
import { Secret } from "../../../api/settings/secret.ts";
import { guardDomain } from "../../../attestor/certificate/certificate.ts";
import { signerFromPrivateKey } from "../../../attestor/certificate/signer.ts";
import { UpstreamUnavailable } from "../../../chain/chainErrors.ts";
import { localAccounts } from "../../../devnet/accounts.ts";
import { loggerTo } from "../../support/http.ts";
import { keystoreFolder, newWallet } from "../../support/keystores.ts";
import { ofSuite } from "../../support/suite.ts";
import { until } from "../../support/until.ts";

const DOMAIN = guardDomain(31337, "0x5FbDB2315678afecb367f032d93F642f64180aa3");
const newSigner = () => signerFromPrivateKey(newWallet().privateKey, DOMAIN);

describe("the choice of the attestation key", () => {
  it("follows the guard, and forgets the old key when the guard has named the new one", () => {
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

  it("waits for nothing when the same key is put in place again, or a change is taken back", () => {
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

  it("states the newest key to a guard that names none of them", () => {
    const [first, second] = [newSigner(), newSigner()];
    const keys = createAttestationKeys(first);
    const stranger = newSigner().address;
    expect(keys.addressFor(stranger)).to.equal(first.address);
    keys.offer(second);
    expect(keys.addressFor(stranger)).to.equal(second.address);
    expect(keys.current()).to.equal(first.address);
  });
});

describe("a keystore file beside a key that waits elsewhere", () => {
  it("takes neither its place nor its turn: the key of a token or a cloud goes on waiting", async () => {
    const [first, elsewhere, another] = [newSigner(), newSigner(), newSigner()];
    const keys = createAttestationKeys(first);
    keys.offer(elsewhere);
    const file = { content: "one", signer: first };
    const watch = watchKeystore({
      keys,
      first: { keystore: "none", passphrase: new Secret("p") },
      read: async () => ({ keystore: file.content, passphrase: new Secret("p") }),
      open: async () => file.signer,
      logger: createLogger({ level: "silent" }),
      pollMs: 5,
    });
    const seen = async (content: string, signer: typeof first, refused: boolean) => {
      Object.assign(file, { content, signer });
      await until(`refused: ${refused}`, () => watch.refused === refused);
      expect(keys.waiting()).to.equal(elsewhere.address);
    };
    try {
      await seen("another", another, true);
      await seen("the same under another passphrase", first, false);
      expect(keys.addressFor(elsewhere.address)).to.equal(elsewhere.address);
    } finally {
      await watch.stop();
    }
  });
});

describe("a keystore file in the live profile", () => {
  const log: string[] = [];
  const first = newWallet();
  const files = ofSuite(() => keystoreFolder(first.privateKey));
  const attestation = ofSuite(() => {
    const { path, passphrasePath: passphraseFile } = files;
    const passphrase = new Secret("the first passphrase");
    const config = {
      profile: "live",
      signers: { next: null, address: null, attestorTimeoutMs: 2_000, logTimeoutMs: 1_000 },
      attestor: { backend: "keystore", path, passphrase, passphraseFile },
    } as const;
    return openAttestation(config, DOMAIN, async () => first.address, loggerTo(log));
  });

  const stateIs = (keystore: string) => until(keystore, () => attestation.state().keystore === keystore);

  it("a keystore file in the live profile is refused with a development key in it, and the log says why and no secret", async () => {
    await files.put(localAccounts().all[3]!.privateKey, "a passphrase nobody should see");
    await stateIs("refused");
    expect(attestation.state()).to.include({ signer: first.address, waiting: null });
    const line = JSON.parse(log.at(-1)!);
    expect(line.level).to.equal(50);
    expect(line.fault).to.include("well-known development key");
    expect(line.signer).to.equal(first.address);

    const second = newWallet();
    await files.put(second.privateKey, "nor should this one be seen");
    await stateIs("ok");
    expect(attestation.state().waiting).to.equal(second.address);
    const told = log.join("");
    expect(told).to.not.match(/nobody should|nor should/);
    for (const wallet of [first, second]) expect(told).to.not.contain(wallet.privateKey.slice(2));
  }).timeout(120_000);
});
