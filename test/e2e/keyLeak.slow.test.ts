/** A leaked attestation key, from the alarm to the first trade after it; the service runs all the time. */
import { readFile, writeFile } from "node:fs/promises";
import { expect } from "chai";
import { guardDomain } from "../../attestor/certificate/certificate.ts";
import { proveKey } from "../../attestor/certificate/keyProof.ts";
import { signerFromPrivateKey } from "../../attestor/certificate/signer.ts";
import { GUARD_ABI } from "../../chain/guard/events.ts";
import { writeLocalFile } from "../../devnet/localFile.ts";
import { localFileOf } from "../../devnet/service.ts";
import { EXIT } from "../../scripts/adminErrors.ts";
import { pause } from "../../scripts/pause.ts";
import { openRecords } from "../../scripts/records/records.ts";
import { rotateSigner } from "../../scripts/rotateSigner.ts";
import { rotationSources } from "../../scripts/rotation/sources.ts";
import { unpause } from "../../scripts/unpause.ts";
import { type FakeAdmin, fakeAdmin, keys } from "../support/admin.ts";
import { forAlikeEngines } from "../support/database.ts";
import { type KeystoreFolder, keystoreFolder, newWallet } from "../support/keystores.ts";
import { run } from "../support/programs.ts";
import { type Service, startService, walletOf } from "../support/service.ts";
import { until } from "../support/until.ts";
import { testWorld } from "../support/world.ts";

describe("a leaked attestation key", () => {
  forAlikeEngines((engine) => {
    const world = testWorld();
    let service: Service;
    let files: KeystoreFolder;
    let admin: FakeAdmin;
    let databaseUrl: string;

    before(async () => {
      databaseUrl = await engine.createUrl();
      files = await keystoreFolder(world.accounts.attestation.privateKey);
      service = await startService(world, databaseUrl, files.env);
      admin = await fakeAdmin(world);
      const { deployment } = world;
      const places = { baseUrl: service.url, rpcUrl: world.url, apiKey: service.key };
      const { address: signer } = world.accounts.attestation;
      await writeLocalFile(admin.path(""), localFileOf(deployment, { ...places, signer }));
    });
    after(async () => {
      await service.stop();
      await files.remove();
      await admin.remove();
    });

    /** The agent's program, which sees the service by its local.json. */
    const agent = async (...args: string[]) => {
      await world.tick();
      await service.recordLiquidity();
      const { code, output } = await run("cli/agent.ts", args, { DATA_DIR: admin.path("") });
      return { code, output };
    };
    const guardSays = ({ to, data }: { to: string; data: string }) =>
      walletOf(world)
        .call({ to, data })
        .then(
          () => "taken",
          (error: { data: string }) => GUARD_ABI.parseError(error.data)?.name,
        );
    /** @returns the path of the key's proof */
    const prove = async ({ privateKey }: { privateKey: string }, file: string) => {
      const { guard } = world.deployment;
      const signer = signerFromPrivateKey(privateKey, guardDomain(31337, guard));
      const proof = await proveKey(signer, 31337, guard, Math.floor(Date.now() / 1000));
      await writeFile(admin.path(file), JSON.stringify(proof));
      return admin.path(file);
    };
    const execute = (file: string) => agent("--execute", admin.path(file));
    const prepare = async (file: string) => {
      const { code, output } = await agent("--prepare-only", admin.path(file));
      expect(code, output).to.equal(0);
      return JSON.parse(await readFile(admin.path(file), "utf8")).execution;
    };

    it("a leaked attestation key is over after pause, rotation at once and unpause: old certificates are dead, the agent trades with the new key", async () => {
      const { pauser, deployer, attestation } = world.accounts;
      const old = await prepare("old.json");
      expect(old.certificate.signer).to.equal(attestation.address);

      // The alarm: whichever operator is awake has the pauser's key.
      const network = { ...admin.world.network, accounts: async () => keys(pauser.privateKey) };
      const alarm = { reason: "the key is in a public log", execute: true };
      expect(await pause({ ...admin.world, network }, alarm)).to.equal(EXIT.ok);
      expect((await execute("old.json")).output).to.contain("TradingPaused");
      const denied = await agent();
      expect(denied.code, denied.output).to.equal(3);
      expect(denied.output).to.contain("guard-active");

      // A new key: made, proved, put in place; the service holds it and waits.
      const fresh = newWallet();
      const proof = await prove(fresh, "proof.json");
      await files.put(fresh.privateKey, "a passphrase that nobody has seen");
      await until("the key", () => service.server.services.attestation().waiting === fresh.address);
      admin.take();
      const rotate = { proof, immediate: true, service: service.url };
      const sources = rotationSources({ DATABASE_URL: databaseUrl });
      expect(await rotateSigner(admin.world, rotate, sources)).to.equal(EXIT.ok);
      expect(admin.take()).to.contain("1 of them dies at once").and.to.contain("holds the new key");
      expect(await rotateSigner(admin.world, { ...rotate, execute: true }, sources)).to.equal(EXIT.ok);
      expect(admin.take()).to.contain(`The service at ${service.url} signs with the new key.`);

      expect(await unpause(admin.world, { execute: true, reason: "rotated" })).to.equal(EXIT.ok);
      // The agent itself mistrusts a certificate of a key that the guard does not name; and so does the guard.
      expect((await execute("old.json")).code).to.not.equal(0);
      expect(await guardSays(old.guardCall)).to.equal("CertificateSignerUnknown");

      const young = await prepare("young.json");
      expect(young.certificate.signer).to.equal(fresh.address);
      const { code, output } = await execute("young.json");
      expect(code, output).to.equal(0);
      expect(output).to.match(/confirmed\s+block \d+/);

      const history = await openRecords(admin.world.deploymentsDir, 31337).readHistory();
      expect(
        history.map(({ command, from, reason, outcome }) => ({ command, from, reason, outcome })),
      ).to.deep.equal([
        {
          command: "guard pause",
          from: pauser.address,
          reason: "the key is in a public log",
          outcome: "confirmed",
        },
        { command: "guard rotate-signer", from: deployer.address, reason: null, outcome: "confirmed" },
        { command: "guard unpause", from: deployer.address, reason: "rotated", outcome: "confirmed" },
      ]);
    });

    it("a leaked attestation key was never the case on a quiet day: with an overlap the agent executes the old certificate, and nothing pauses", async () => {
      const old = await prepare("quiet.json");
      const fresh = newWallet();
      const proof = await prove(fresh, "quiet-proof.json");
      await files.put(fresh.privateKey);
      const rotate = { proof, overlap: "600", execute: true };
      const sources = rotationSources({ DATABASE_URL: databaseUrl });
      expect(await rotateSigner(admin.world, { ...rotate, service: service.url }, sources)).to.equal(EXIT.ok);
      const { code, output } = await execute("quiet.json");
      expect(code, output).to.equal(0);
      expect(old.certificate.signer).to.not.equal(fresh.address);
      expect((await prepare("quiet-new.json")).certificate.signer).to.equal(fresh.address);
    });
  });
});
