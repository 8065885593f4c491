/** A new attestation key while the service runs, on the real chain and through the API. */
import { copyFile, rm, writeFile } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "chai";
import { recoverAddress } from "ethers";
import { prepareExecution } from "../../../api/jobs/prepare.ts";
import { findJob } from "../../../api/jobs/store.ts";
import {
  domainSeparator,
  hashCertificate,
  typedDataDigest,
} from "../../../attestor/certificate/certificate.ts";
import { UpstreamUnavailable } from "../../../chain/chainErrors.ts";
import { TradeGuard__factory } from "../../../types/contracts/factories/contracts/TradeGuard__factory.ts";
import { keystoreFolder, newWallet } from "../../support/keystores.ts";
import { approve, deniedBy, rotateSigner, startService, walletOf } from "../../support/service.ts";
import { ofSuite } from "../../support/suite.ts";
import { until } from "../../support/until.ts";
import { testWorld } from "../../support/world.ts";

describe("the attestation key of a running service", () => {
  const world = testWorld();
  const first = newWallet();
  const files = ofSuite(() => keystoreFolder(first.privateKey));
  const service = ofSuite(async () => {
    await rotate(first.address, 0);
    return startService(world, "sqlite::memory:", files.env);
  });

  const rotate = (signer: string, overlapSeconds: number) => rotateSigner(world, signer, overlapSeconds);
  const prepare = async () => {
    await world.tick();
    return (await service.newPrepared()).prepared;
  };
  const attestation = async () => (await service.call("/readyz")).body.attestation;
  const stateWith = (wanted: Record<string, unknown>) =>
    until("its state", attestation, (seen) =>
      Object.entries(wanted).every(([name, value]) => seen[name] === value),
    );
  /** Long enough for the service to have looked at the files twice. */
  const twoLooks = () => sleep(700);
  const signerIn = ({ execution }: any) => {
    const { domain, message, signature } = execution.certificate;
    return recoverAddress(typedDataDigest(domainSeparator(domain), hashCertificate(message)), signature);
  };
  const failed = ({ report }: any) => deniedBy(report);

  /** What the guard says to the prepared trade: null when it takes it, else the name of its error. */
  async function guardSays({ execution }: any): Promise<string | null> {
    const owner = walletOf(world);
    const { approval, guardCall } = execution;
    await approve(owner, approval);
    try {
      await owner.call({ to: guardCall.to, data: guardCall.data });
      return null;
    } catch (error) {
      const { data } = error as { data: string };
      return TradeGuard__factory.createInterface().parseError(data)?.name ?? data;
    }
  }

  beforeEach(async () => {
    await files.put(first.privateKey);
    await rotate(first.address, 0);
    await service.recordLiquidity();
    await stateWith({ signer: first.address, waiting: null, keystore: "ok" });
  });

  it("signs with the old key until the guard names the new one, and no trade is denied on the way", async () => {
    const second = newWallet();
    await files.put(second.privateKey, "another passphrase for it");
    await stateWith({ signer: first.address, waiting: second.address, keystore: "ok" });
    const old = await prepare();
    expect(signerIn(old)).to.equal(first.address);
    expect(await guardSays(old)).to.equal(null);

    await rotate(second.address, 600);
    const young = await prepare();
    expect(failed(young)).to.deep.equal([]);
    expect(young.execution.certificate.signer).to.equal(second.address);
    expect(signerIn(young)).to.equal(second.address);
    const held = { signer: second.address, waiting: null, keystore: "ok", fault: null };
    expect(await attestation()).to.deep.equal(held);
    // With an overlap the old certificate lives on beside the new one.
    expect(await guardSays(old)).to.equal(null);
    expect(await guardSays(young)).to.equal(null);
  });

  it("the attestation key of a running service is another one at once after a rotation without overlap: the old certificate is refused, the new one taken", async () => {
    const second = newWallet();
    const old = await prepare();
    expect(await guardSays(old)).to.equal(null);
    await rotate(second.address, 0);
    // Between guard and file, nothing is signed: the guard would refuse the old key's certificate.
    const between = await prepare();
    expect(between.execution).to.equal(null);
    expect(failed(between)).to.deep.equal(["guard-signer"]);

    await files.put(second.privateKey);
    await stateWith({ signer: second.address, waiting: null });
    const young = await prepare();
    expect(signerIn(young)).to.equal(second.address);
    expect(await guardSays(young)).to.equal(null);
    expect(await guardSays(old)).to.equal("CertificateSignerUnknown");
  });

  it("the attestation key of a running service stays the one before while the new file cannot be used, and says so", async () => {
    const second = newWallet();
    const spoil: Record<string, () => Promise<void>> = {
      "half a keystore": () => writeFile(files.path, '{"version":3,"crypto":{'),
      "another passphrase": () => writeFile(files.passphrasePath, "not the passphrase of it\n"),
      "no file": () => rm(files.path),
      "an empty file": () => writeFile(files.path, ""),
    };
    for (const [what, act] of Object.entries(spoil)) {
      await act();
      await stateWith({ keystore: "refused", signer: first.address, waiting: null });
      const prepared = await prepare();
      expect(failed(prepared), what).to.deep.equal([]);
      expect(signerIn(prepared), what).to.equal(first.address);
      await files.put(first.privateKey, "the passphrase is right again");
      await stateWith({ keystore: "ok" });
    }
    await files.put(second.privateKey);
    await stateWith({ waiting: second.address });
  });

  it("the attestation key of a running service does not take half of a change: a keystore whose passphrase comes a moment later", async () => {
    const second = newWallet();
    const other = await keystoreFolder(second.privateKey);
    await other.put(second.privateKey, "the passphrase of the second");
    await copyFile(other.path, files.path);
    await stateWith({ keystore: "refused", signer: first.address });
    await copyFile(other.passphrasePath, files.passphrasePath);
    await stateWith({ keystore: "ok", waiting: second.address });
    await other.remove();
  });

  it("takes the newest of several that came before the guard named one, and takes a change back", async () => {
    const [second, third] = [newWallet(), newWallet()];
    await files.put(second.privateKey);
    await stateWith({ waiting: second.address });
    await files.put(third.privateKey);
    await stateWith({ waiting: third.address });
    await rotate(second.address, 0);
    await twoLooks();
    // The guard names a key that was replaced: nothing is signed.
    expect(failed(await prepare())).to.deep.equal(["guard-signer"]);
    await rotate(first.address, 0);
    expect(signerIn(await prepare())).to.equal(first.address);
    await files.put(first.privateKey);
    await stateWith({ waiting: null, signer: first.address });
  });

  it("the attestation key of a running service is the one that the evidence names, also when another was promoted during the request", async () => {
    await world.tick();
    const { jobs, chain } = service.server.services;
    const { jobId } = await service.newJob();
    const job = (await findJob(service.server.db, jobId, { kind: "key", keyId: service.keyId }))!;
    const asked: string[] = [];
    // The guard names another key right after the facts were gathered.
    const attestation = {
      assertSigning: () => {},
      current: () => newWallet().address,
      signerOf: (address: string) => {
        asked.push(address);
        return jobs.attestation.signerOf(address);
      },
    };
    const { execution } = await prepareExecution({ ...jobs, chain, attestation }, job, 300);
    expect(asked).to.deep.equal([first.address]);
    expect(execution?.certificate.signer).to.equal(first.address);

    // A key that is gone by then signs nothing; the caller may try again, and has lost no call.
    const gone = () => {
      throw new UpstreamUnavailable("replaced");
    };
    const late = { ...jobs, attestation: { ...attestation, signerOf: gone } };
    const error = await prepareExecution(late, job, 300).catch((thrown: unknown) => thrown);
    expect(error).to.be.instanceOf(UpstreamUnavailable);
    for (const status of [200, 429]) expect((await service.prepare(jobId)).status).to.equal(status);
  });
});
