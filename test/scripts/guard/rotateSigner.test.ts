/** `assay guard rotate-signer`: what it shows, refuses and warns of, and beside a running service on both databases. */
import { existsSync } from "node:fs";
import { appendFile, writeFile } from "node:fs/promises";
import { expect } from "chai";
import { Wallet, ZeroAddress } from "ethers";
import { guardDomain } from "../../../attestor/certificate/certificate.ts";
import { type KeyProof, proveKey } from "../../../attestor/certificate/keyProof.ts";
import { signerFromPrivateKey } from "../../../attestor/certificate/signer.ts";
import { readRoles } from "../../../chain/guard/roles.ts";
import { withSession } from "../../../scripts/admin/session.ts";
import { assertNewSigner, preparedCertificates } from "../../../scripts/guard/rotation.ts";
import { adminsOf, fakeAdmin, typedBy } from "../../support/admin.ts";
import { adminTable, type Row } from "../../support/adminTable.ts";
import { forEachEngine } from "../../support/database.ts";
import { keystoreFolder, newWallet } from "../../support/keystores.ts";
import { expectSaid } from "../../support/said.ts";
import { carryOut, startService, walletOf } from "../../support/service.ts";
import { ofSuite } from "../../support/suite.ts";
import { type TestWorld, testWorld } from "../../support/world.ts";

const DAY = 86_400;
const PROVED_AT = 1_790_000_000;
const [FIRST, SECOND] = ["c1", "c2"].map((byte) => new Wallet(`0x${byte.repeat(32)}`)) as [Wallet, Wallet];
const ROTATE = "guard rotate-signer --proof $DIR/proof.json";
const SECOND_ROTATION = "guard rotate-signer --proof $DIR/second.json --execute";

type Changes = Partial<KeyProof>;

/** What `assay keystore prove` prints, for this guard or another one. */
async function proofBy(
  { deployment }: TestWorld,
  { privateKey }: { privateKey: string },
  changes: Changes = {},
  elsewhere: { chainId?: number; guard?: string } = {},
): Promise<string> {
  const { chainId, guard } = { chainId: deployment.chainId, guard: deployment.guard, ...elsewhere };
  const signer = signerFromPrivateKey(privateKey, guardDomain(chainId, guard));
  return JSON.stringify({ ...(await proveKey(signer, chainId, guard, PROVED_AT)), ...changes });
}

const PROOF: NonNullable<Row["files"]> = { "proof.json": (chain) => proofBy(chain, FIRST) };
const BOTH: NonNullable<Row["files"]> = { ...PROOF, "second.json": (chain) => proofBy(chain, SECOND) };
const at = (seconds: number) => ({ now: () => (PROVED_AT + seconds) * 1_000 });

const refused = (why: string, proof: (chain: TestWorld) => Promise<string>): Row => ({
  name: `refuses a proof: ${why}`,
  files: { "proof.json": proof },
  types: `${ROTATE} --execute`,
  code: 1,
  says: [`cannot become the attestation key: ${why}`],
});

/** A service that holds these keys. */
const service = (signer: string, waiting: string | null) => ({
  fetch: async () => Response.json({ attestation: { signer, waiting } }),
});
const told = (says: string, options: Row["options"]): Row => ({
  name: `asks the service which key it holds: it ${says}`,
  files: PROOF,
  options,
  types: `${ROTATE} --service http://service`,
  says: [`Service  http://service ${says}`],
});

const ROWS: readonly Row[] = [
  {
    name: "shows what will be and sends nothing",
    files: PROOF,
    types: ROTATE,
    says: [
      `attestation key: $SIGNER -> ${FIRST.address}`,
      `rotateSigner(newSigner: ${FIRST.address})`,
      "certificates of $SIGNER end at once",
      "SignerRotated(",
      "Prepared not known here (no database at DATABASE_URL)",
      "Service  not asked",
      "Dry run: nothing was sent.",
    ],
  },
  {
    name: "rotates once, and has nothing to do the second time",
    files: PROOF,
    types: [`${ROTATE} --execute --reason "yearly change"`, `${ROTATE} --execute`],
    says: [
      `${FIRST.address} is already the attestation key.\nNothing to do: the chain is already as it should be.`,
    ],
    sends: ["rotateSigner confirmed"],
    becomes: { signer: FIRST.address },
    after: async (admin) => {
      const [entry] = await admin.records.readHistory();
      expect(entry).to.deep.include({ reason: "yearly change" });
      expect(entry?.call).to.deep.equal({ name: "rotateSigner", args: [FIRST.address] });
    },
  },
  {
    name: "takes a proof as npm run assay without --silent would have written it",
    files: {
      "proof.json": async (chain) =>
        `\n> assay@0.2.0 assay\n> node scripts/assay.ts keystore prove\n\n${await proofBy(chain, FIRST)}`,
    },
    types: ROTATE,
  },
  { name: "needs a proof file that is there", types: ROTATE, code: 2, says: ["$DIR/proof.json"] },
  {
    name: "needs a proof file of this form",
    files: { "proof.json": () => '{"schema":"assay.key-proof/2"}' },
    types: ROTATE,
    code: 2,
    says: ["$DIR/proof.json"],
  },
  {
    name: "warns of nothing soon after the proof",
    files: PROOF,
    options: at(60),
    types: ROTATE,
    saysNot: ["WARNING"],
  },
  {
    name: "warns of a proof that is old",
    files: PROOF,
    options: at(3 * DAY),
    types: ROTATE,
    says: ["WARNING  the proof is 3 day(s) old"],
  },
  {
    name: "warns of a proof that is from the future",
    files: PROOF,
    options: at(-2 * DAY),
    types: ROTATE,
    says: ["WARNING  the proof is from the future"],
  },
  {
    name: "warns of a key that was the guard's before",
    files: BOTH,
    first: [`${ROTATE} --execute`, SECOND_ROTATION],
    types: ROTATE,
    says: [`WARNING  ${FIRST.address} was the attestation key before`],
  },
  refused("it is the zero address", (chain) => proofBy(chain, FIRST, { signer: ZeroAddress })),
  refused("its proof is for chain 56, and this is 31337", (chain) =>
    proofBy(chain, FIRST, {}, { chainId: 56 }),
  ),
  refused(`its proof is for the guard ${SECOND.address}`, (chain) =>
    proofBy(chain, FIRST, {}, { guard: SECOND.address }),
  ),
  refused("the signature of its proof is by another key", (chain) =>
    proofBy(chain, FIRST, { signer: SECOND.address }),
  ),
  refused("it is an admin", (chain) => proofBy(chain, chain.accounts.deployer)),
  refused("it is a pauser", (chain) => proofBy(chain, chain.accounts.pauser)),
  told("does not say which key it holds", {}),
  told("already signs with the new key", service(FIRST.address, null)),
  told(
    "holds the new key and signs with it as soon as the guard names it",
    service(ZeroAddress, FIRST.address),
  ),
  told(`signs with ${SECOND.address} and does NOT hold the new key`, service(SECOND.address, null)),
  {
    name: "warns when the service does not take the new key",
    files: PROOF,
    options: () => {
      const start = Date.now();
      // Ten seconds pass in half a one.
      return { now: () => start + (Date.now() - start) * 20 };
    },
    types: `${ROTATE} --service http://service --execute`,
    says: [
      "WARNING  The service at http://service does not sign with the new key yet: it denies every trade",
    ],
    sends: ["rotateSigner confirmed"],
    becomes: { signer: FIRST.address },
  },
];

describe("guard rotate-signer", () => {
  const chain = testWorld();
  const adminAt = adminsOf(chain);
  adminTable(chain, ROWS);

  const roles = () => readRoles(chain.provider, chain.deployment.guard);

  it("is not stopped by a line of the history that cannot be read", async () => {
    const admin = await adminAt();
    expectSaid(await typedBy(admin, "guard pause --reason drill --execute"), 0);
    await appendFile(admin.records.path("history.jsonl"), "a note\n");
    await writeFile(admin.path("proof.json"), await proofBy(chain, FIRST));
    const line = `guard rotate-signer --proof ${admin.path("proof.json")}`;
    expectSaid(await typedBy(admin, line), 0, /WARNING {2}.*history\.jsonl \(line 2\) is not JSON/);
    expectSaid(await typedBy(admin, "guard unpause --execute"), 0);
  });

  it("refuses a development key on a live chain", async () => {
    const now = await roles();
    const proof: KeyProof = JSON.parse(await proofBy(chain, chain.accounts.users[4]!));
    await withSession((await adminAt()).world, async (session) => {
      const live = { ...session, connection: { ...session.connection, live: true } };
      const refusal = await assertNewSigner(live, now, proof).catch((error: Error) => error.message);
      expect(refusal).to.contain("everybody has this development key");
      await assertNewSigner(session, now, proof);
    });
  });

  forEachEngine((engine) => {
    const key = newWallet();
    const files = ofSuite(() => keystoreFolder(key.privateKey));
    let url: string;
    const running = ofSuite(async () => {
      url = await engine.createUrl();
      return startService(chain, url, files.env);
    });
    const admin = ofSuite(() => fakeAdmin(chain, { env: { DATABASE_URL: url }, fetch }));
    beforeEach(async () => {
      await files.put(key.privateKey);
      await rotate(key, "--execute");
      await running.restart();
      await chain.tick(600);
      await running.recordLiquidity();
    });

    async function rotate(to: { privateKey: string }, options = ""): Promise<string> {
      await writeFile(admin.path("proof.json"), await proofBy(chain, to));
      return expectSaid(
        await typedBy(admin, `guard rotate-signer --proof ${admin.path("proof.json")} ${options}`),
        0,
      );
    }
    async function prepare() {
      const { prepared } = await running.newPrepared();
      expect(prepared.report.decision).to.equal("ALLOW");
      return prepared;
    }

    it("names the certificates that it ends, and leaves out what was executed, is over or is of an earlier key", async () => {
      const over = await prepare();
      await chain.tick(400);
      const executed = await prepare();
      await running.submit(executed.jobId, await carryOut(walletOf(chain), executed.execution));
      await running.jobWhen(executed.jobId, (job) => job.executions[0].state === "confirmed");
      const early = await prepare();
      await chain.tick(100);
      const late = await prepare();

      const text = await rotate(FIRST);
      expect(text).to.contain(
        "Prepared 2 certificates could be executed now and end with the rotation: their agents must prepare again",
      );
      for (const { jobId } of [early, late]) expect(text).to.contain(`ends: ${jobId} version 2, which had`);
      for (const { jobId } of [over, executed]) expect(text).to.not.contain(jobId);
      // Those of another guard, or of another chain's guard at the same address, are no business of this one.
      const now = await roles();
      const found = (chainId: number, guard = now.guard) =>
        preparedCertificates({ DATABASE_URL: url }, chainId, { ...now, guard });
      expect(await found(31337)).to.have.length(2);
      expect(await found(56)).to.deep.equal([]);
      expect(await found(31337, newWallet().address)).to.deep.equal([]);
      // The guard refuses them as soon as it has another key.
      await rotate(FIRST, "--execute");
      expect(await rotate(SECOND)).to.contain("Prepared no certificate could be executed now");
    });

    it("sees the service sign with the new key after the rotation", async () => {
      const next = newWallet();
      await files.put(next.privateKey, "the passphrase of the second");
      await running.restart();
      expect(await rotate(next, `--service ${running.url} --execute`)).to.contain(
        `The service at ${running.url} signs with the new key.`,
      );
      expect((await prepare()).execution.certificate.signer).to.equal(next.address);
    });
  });

  it("knows nothing of a database that is not there, and makes none", async () => {
    const admin = await adminAt();
    const missing = admin.path("none.db");
    const found = await preparedCertificates({ DATABASE_URL: `sqlite:${missing}` }, 31337, await roles());
    expect(found).to.equal(null);
    expect(existsSync(missing)).to.equal(false);
  });
});
