/** A new attestation key at a restart of the service, on the real chain and through the API. */
import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
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
import { failureOf } from "../../support/failure.ts";
import { keystoreFolder, newWallet } from "../../support/keystores.ts";
import { approve, deniedBy, rotateSigner, startService, walletOf } from "../../support/service.ts";
import { ofSuite, testFolder } from "../../support/suite.ts";
import { testWorld } from "../../support/world.ts";

describe("the attestation key of a running service", () => {
  const world = testWorld();
  const first = newWallet();
  const files = ofSuite(() => keystoreFolder(first.privateKey));
  const folder = testFolder("rotation");
  const service = ofSuite(async () => {
    await rotate(first.address);
    return startService(world, `sqlite:${join(folder, "assay.db")}`, files.env);
  });

  const rotate = (signer: string) => rotateSigner(world, signer);
  const prepare = async () => {
    await world.tick();
    return (await service.newPrepared()).prepared;
  };
  const attestation = async () => (await service.call("/readyz")).body.attestation;
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
    await rotate(first.address);
    await service.restart();
    await service.recordLiquidity();
  });

  it("the attestation key of a running service is read at the start alone: after a rotation nothing is signed until then, old certificates are refused and new ones taken", async () => {
    const second = newWallet();
    const old = await prepare();
    expect(signerIn(old)).to.equal(first.address);
    expect(await guardSays(old)).to.equal(null);
    await rotate(second.address);
    await files.put(second.privateKey, "another passphrase for it");
    expect(await guardSays(old)).to.equal("CertificateSignerUnknown");
    // The guard names another key than the service holds.
    const between = await prepare();
    expect(between.execution).to.equal(null);
    expect(failed(between)).to.deep.equal(["guard-signer"]);

    await service.restart();
    expect(await attestation()).to.deep.equal({ signer: second.address, waiting: null, fault: null });
    const young = await prepare();
    expect(failed(young)).to.deep.equal([]);
    expect(young.execution.certificate.signer).to.equal(second.address);
    expect(signerIn(young)).to.equal(second.address);
    expect(await guardSays(young)).to.equal(null);
  });

  it("the attestation key of a running service stays while its file changes, and a start with a file that cannot be used fails", async () => {
    const spoil: Record<string, () => Promise<void>> = {
      "half a keystore": () => writeFile(files.path, '{"version":3,"crypto":{'),
      "another passphrase": () => writeFile(files.passphrasePath, "not the passphrase of it\n"),
      "no file": () => rm(files.path),
      "an empty file": () => writeFile(files.path, ""),
    };
    for (const [what, act] of Object.entries(spoil)) {
      await act();
      expect(signerIn(await prepare()), what).to.equal(first.address);
      await failureOf(startService(world, "sqlite::memory:", files.env), Error);
      await files.put(first.privateKey, "the passphrase is right again");
    }
  });

  it("the attestation key of a running service is the one that the evidence names, also when another was promoted during the request", async () => {
    await world.tick();
    const running = service.server.service;
    const { jobId } = await service.newJob();
    const job = (await findJob(running.db, jobId, { kind: "key", keyId: service.keyId }))!;
    const asked: string[] = [];
    // The guard names another key right after the facts were gathered.
    const attestation = {
      assertSigning: () => {},
      current: () => newWallet().address,
      signerOf: (address: string) => {
        asked.push(address);
        return running.attestation.signerOf(address);
      },
    };
    const { execution } = await prepareExecution({ ...running, attestation }, job, 300);
    expect(asked).to.deep.equal([first.address]);
    expect(execution?.certificate.signer).to.equal(first.address);

    // A key that is gone by then signs nothing; the caller may try again, and has lost no call.
    const gone = () => {
      throw new UpstreamUnavailable("replaced");
    };
    const late = { ...running, attestation: { ...attestation, signerOf: gone } };
    const error = await prepareExecution(late, job, 300).catch((thrown: unknown) => thrown);
    expect(error).to.be.instanceOf(UpstreamUnavailable);
    for (const status of [200, 429]) expect((await service.prepare(jobId)).status).to.equal(status);
  });
});
