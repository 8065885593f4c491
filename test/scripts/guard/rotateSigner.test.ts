/** guard rotate-signer beside a running service, on the real chain and both databases. */
import { existsSync } from "node:fs";
import { appendFile, readFile, writeFile } from "node:fs/promises";
import { expect } from "chai";
import { type Wallet, ZeroAddress } from "ethers";
import { guardDomain } from "../../../attestor/certificate/certificate.ts";
import { proveKey } from "../../../attestor/certificate/keyProof.ts";
import { signerFromPrivateKey } from "../../../attestor/certificate/signer.ts";
import { readRoles } from "../../../chain/guard/roles.ts";
import { withSession } from "../../../scripts/admin/session.ts";
import { EXIT } from "../../../scripts/errors.ts";
import { type RotateGiven, rotate as rotateWith } from "../../../scripts/guard/rotateSigner.ts";
import { assertNewSigner, type RotationSources, rotationSources } from "../../../scripts/guard/rotation.ts";
import { fakeAdmin } from "../../support/admin.ts";
import { forEachEngine } from "../../support/database.ts";
import { keystoreFolder, newWallet } from "../../support/keystores.ts";
import { carryOut, startService, walletOf } from "../../support/service.ts";
import { ofSuite, ofTest } from "../../support/suite.ts";
import { shownIn } from "../../support/typed.ts";
import { testWorld } from "../../support/world.ts";

const NOTHING: RotationSources = { certificates: async () => null, service: async () => null };

describe("guard rotate-signer", () => {
  const chain = testWorld();
  const admin = ofTest(() => fakeAdmin(chain));

  const roles = () => readRoles(chain.provider, chain.deployment.guard);
  const history = () => admin.records.readHistory();
  async function proofOf(
    { privateKey }: { privateKey: string },
    changes: object = {},
    at = { chainId: 31337, guard: chain.deployment.guard },
  ): Promise<string> {
    const signer = signerFromPrivateKey(privateKey, guardDomain(at.chainId, at.guard));
    const path = admin.path(`proof-${signer.address}.json`);
    const proof = await proveKey(signer, at.chainId, at.guard, 1_790_000_000);
    await writeFile(path, JSON.stringify({ ...proof, ...changes }));
    return path;
  }
  async function rotate(args: RotateGiven, sources: RotationSources = NOTHING) {
    const code = await shownIn(admin.world, () => rotateWith(admin.world, args, sources));
    return { code, text: admin.take() };
  }
  /** To a key of its own. */
  async function rotated(): Promise<Wallet> {
    const wallet = newWallet();
    const { code, text } = await rotate({ proof: await proofOf(wallet), execute: true });
    expect(code, text).to.equal(EXIT.ok);
    return wallet;
  }

  it("warns of a proof that is old or from the future, and of a key that was the guard's before", async () => {
    const first = await rotated();
    const day = 24 * 3_600;
    const provedAt = 1_790_000_000;
    const at = (seconds: number) => ({ ...admin.world, now: () => seconds * 1000 });
    const shown = async (wallet: Wallet, now: number) => {
      const code = await rotateWith(at(now), { proof: await proofOf(wallet) }, NOTHING);
      expect(code).to.equal(EXIT.ok);
      return admin.take();
    };
    expect(await shown(newWallet(), provedAt + 60)).to.not.contain("WARNING");
    expect(await shown(newWallet(), provedAt + 3 * day)).to.contain("WARNING  the proof is 3 day(s) old");
    expect(await shown(newWallet(), provedAt - 2 * day)).to.contain("WARNING  the proof is from the future");
    const second = await rotated();
    const former = `WARNING  ${first.address} was the attestation key before`;
    expect(await shown(first, provedAt + 60)).to.contain(former);
    expect(second.address).to.equal((await roles()).signer);
    await appendFile(admin.records.path("history.jsonl"), "a note\n");
    expect(await shown(first, provedAt + 60)).to.match(/WARNING {2}.*history\.jsonl \(line 3\) is not JSON/);
  });

  it("shows what will be and sends nothing, then rotates and keeps it in the history", async () => {
    const wallet = newWallet();
    const proof = await proofOf(wallet);
    // As `npm run assay` without --silent would have written it.
    await writeFile(
      proof,
      `\n> assay@0.2.0 assay\n> node scripts/assay.ts keystore prove\n\n${await readFile(proof, "utf8")}`,
    );
    const before = await roles();
    const dry = await rotate({ proof });
    expect(dry.code).to.equal(EXIT.ok);
    expect(dry.text)
      .to.contain(`attestation key: ${before.signer} -> ${wallet.address}`)
      .and.to.contain(`rotateSigner(newSigner: ${wallet.address})`)
      .and.to.contain(`certificates of ${before.signer} end at once`)
      .and.to.contain("SignerRotated(")
      .and.to.contain("Dry run: nothing was sent.");
    expect((await roles()).signer).to.equal(before.signer);

    const { code } = await rotate({ proof, execute: true, reason: "yearly change" });
    expect(code).to.equal(EXIT.ok);
    expect((await roles()).signer).to.equal(wallet.address);
    const call = { name: "rotateSigner", args: [wallet.address] };
    expect((await history()).map((entry) => [entry.call, entry.reason, entry.outcome])).to.deep.equal([
      [call, "yearly change", "confirmed"],
    ]);
    // A second run of the same change.
    const again = await rotate({ proof, execute: true });
    expect(again).to.deep.equal({
      code: EXIT.ok,
      text: `${wallet.address} is already the attestation key.\nNothing to do: the chain is already as it should be.`,
    });
    expect(await history()).to.have.length(1);
  });

  it("requires a proof that can be read", async () => {
    expect((await rotate({ execute: true })).code).to.equal(EXIT.unusable);
    for (const file of ["none.json", "other.json"]) {
      await writeFile(admin.path("other.json"), '{"schema":"assay.key-proof/2"}');
      const { code, text } = await rotate({ proof: admin.path(file), execute: true });
      expect(code).to.equal(EXIT.unusable);
      expect(text).to.contain(admin.path(file));
    }
    expect(await history()).to.deep.equal([]);
  });

  it("refuses zero, a proof for elsewhere or of another key, and any account with another power over the guard", async () => {
    const wallet = newWallet();
    const { deployer, pauser } = chain.accounts;
    const now = await roles();
    const elsewhere = { chainId: 56, guard: chain.deployment.guard };
    const otherGuard = { chainId: 31337, guard: wallet.address };
    const byAnother = "the signature of its proof is by another key";
    const cases: [string, () => Promise<string>][] = [
      ["it is the zero address", () => proofOf(wallet, { signer: ZeroAddress })],
      ["its proof is for chain 56, and this is 31337", () => proofOf(wallet, {}, elsewhere)],
      [`its proof is for the guard ${wallet.address}`, () => proofOf(wallet, {}, otherGuard)],
      [byAnother, () => proofOf(wallet, { signer: newWallet().address })],
      [byAnother, () => proofOf(wallet, { provedAt: 1 })],
      ["it is an admin", () => proofOf(deployer)],
      ["it is a pauser", () => proofOf(pauser)],
    ];
    for (const [why, proof] of cases) {
      const { code, text } = await rotate({ proof: await proof(), execute: true });
      expect(code, why).to.equal(EXIT.failed);
      expect(text).to.contain(`cannot become the attestation key: ${why}`);
    }
    expect((await roles()).signer).to.equal(now.signer);
  });

  it("refuses a development key on a live chain", async () => {
    const now = await roles();
    await withSession(admin.world, async (session) => {
      const live = { ...session, connection: { ...session.connection, live: true } };
      const key = chain.accounts.users[4]!;
      const proof = JSON.parse(await readFile(await proofOf(key), "utf8"));
      const refused = await assertNewSigner(live, now, proof).catch((error: Error) => error.message);
      expect(refused).to.contain("everybody has this development key");
      await assertNewSigner(session, now, proof);
      return EXIT.ok;
    });
  });

  forEachEngine((engine) => {
    let sources: RotationSources;
    const first = newWallet();
    const files = ofSuite(() => keystoreFolder(first.privateKey));
    const service = ofSuite(async () => {
      const url = await engine.createUrl();
      sources = rotationSources({ DATABASE_URL: url }, fetch);
      return startService(chain, url, files.env);
    });
    beforeEach(async () => {
      await files.put(first.privateKey);
      await rotate({ proof: await proofOf(first), execute: true });
      await service.restart();
      await chain.tick(600);
      await service.recordLiquidity();
    });

    async function prepare() {
      const { prepared } = await service.newPrepared();
      expect(prepared.report.decision).to.equal("ALLOW");
      return prepared;
    }

    it("names the certificates that it ends, and leaves out what was executed, is over or is of an earlier key", async () => {
      const over = await prepare();
      await chain.tick(400);
      const executed = await prepare();
      await service.submit(executed.jobId, await carryOut(walletOf(chain), executed.execution));
      await service.jobWhen(executed.jobId, (job) => job.executions[0].state === "confirmed");
      const early = await prepare();
      await chain.tick(100);
      const late = await prepare();
      const proof = await proofOf(newWallet());

      const { text } = await rotate({ proof }, sources);
      expect(text).to.contain(
        "Prepared 2 certificates could be executed now and end with the rotation: their agents must prepare again",
      );
      for (const { jobId } of [early, late]) expect(text).to.contain(`ends: ${jobId} version 2, which had`);
      for (const { jobId } of [over, executed]) expect(text).to.not.contain(jobId);
      expect((await rotate({ proof }, NOTHING)).text).to.contain("not known here");
      // Those of another guard, or of another chain's guard at the same address, are no business of this one.
      const { guard } = chain.deployment;
      const { blockTime: now } = await roles();
      expect(await sources.certificates({ chainId: 31337, guard, now })).to.have.length(2);
      expect(await sources.certificates({ chainId: 56, guard, now })).to.deep.equal([]);
      const another = { chainId: 31337, guard: newWallet().address, now };
      expect(await sources.certificates(another)).to.deep.equal([]);
      // The guard refuses them as soon as it has another key.
      await rotated();
      const next = await rotate({ proof: await proofOf(newWallet()) }, sources);
      expect(next.text).to.contain("Prepared no certificate could be executed now");
    });

    it("tells whether the service holds the new key, and sees it sign with it after the rotation", async () => {
      const second = newWallet();
      const proof = await proofOf(second);
      const without = await rotate({ proof, service: service.url }, sources);
      expect(without.text).to.contain("does NOT hold the new key");
      const { signer } = await roles();
      const waiting = { ...sources, service: async () => ({ signer, waiting: second.address }) };
      const withIt = await rotate({ proof, service: service.url }, waiting);
      expect(withIt.text).to.contain("holds the new key and signs with it as soon as the guard names it");
      await files.put(second.privateKey, "the passphrase of the second");
      await service.restart();
      const restarted = await rotate({ proof, service: service.url }, sources);
      expect(restarted.text).to.contain("already signs with the new key");
      const done = await rotate({ proof, service: service.url, execute: true }, sources);
      expect(done.code, done.text).to.equal(EXIT.ok);
      expect(done.text).to.contain(`The service at ${service.url} signs with the new key.`);
      expect((await prepare()).execution.certificate.signer).to.equal(second.address);
    });

    it("warns when the service does not take the new key", async () => {
      const start = Date.now();
      // Ten seconds pass in half a one.
      const world = { ...admin.world, now: () => start + (Date.now() - start) * 20 };
      const proof = await proofOf(newWallet());
      const args = { proof, execute: true, service: service.url };
      const code = await rotateWith(world, args, sources);
      expect(code).to.equal(EXIT.ok);
      expect(admin.take()).to.contain("WARNING  The service at").and.to.contain("denies every trade");
    });
  });

  it("knows nothing of a database that is not there, and makes none", async () => {
    const missing = admin.path("none.db");
    const sources = rotationSources({ DATABASE_URL: `sqlite:${missing}` }, fetch);
    expect(await sources.certificates({ chainId: 1, guard: ZeroAddress, now: 0 })).to.equal(null);
    expect(existsSync(missing)).to.equal(false);
    expect(await sources.service("http://127.0.0.1:9")).to.equal(null);
    expect(await sources.service("no address")).to.equal(null);
  });
});
