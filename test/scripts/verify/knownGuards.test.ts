import { mkdir, writeFile } from "node:fs/promises";
import { join, relative, resolve } from "node:path";
import { expect } from "chai";
import { id, ZeroAddress } from "ethers";
import { installation, knownGuards } from "../../../scripts/verify/knownGuards.ts";
import { addressFor, GUARD, REGISTRY } from "../../attestor/fixtures.ts";
import { folderOfTest } from "../../support/suite.ts";

const [FIRST, SECOND, THIRD] = [addressFor("first key"), addressFor("second key"), addressFor("third key")];

/** As `deploy` writes it, as far as it is read. */
const RECORD = {
  schema: "assay.deployed/1",
  chainId: 56,
  network: "bsc",
  guard: GUARD,
  executor: addressFor("executor"),
  codeHash: { guard: id("guard"), executor: id("executor") },
  roles: { admin: addressFor("admin"), pauser: null, signer: FIRST },
  deployedAtBlock: 100,
};

/** A line of the history, as `guard rotate-signer` writes it. */
function rotation(at: string, previousSigner: string, newSigner: string, guard = GUARD) {
  const args = { previousSigner, newSigner };
  return { at, chainId: 56, guard, events: [{ name: "SignerRotated", args }] };
}

const PLACE = { chainId: 31_337, guard: GUARD, executor: addressFor("executor"), deployedAtBlock: 1 };
const LOCAL = { ...PLACE, source: "simulated", signer: FIRST, registry: REGISTRY };

describe("the guards that an installation knows", () => {
  const root = folderOfTest("known");
  beforeEach(async () => {
    await mkdir(join(root, "deployments"));
    await mkdir(join(root, "data", "chain"), { recursive: true });
  });

  const write = (path: string, content: unknown) =>
    writeFile(join(root, path), typeof content === "string" ? content : JSON.stringify(content));
  const known = () => knownGuards({ deployments: join(root, "deployments"), dataDir: join(root, "data") });
  const history = (...lines: object[]) =>
    write("deployments/56.history.jsonl", lines.map((line) => `${JSON.stringify(line)}\n`).join(""));

  it("the guards that an installation knows are none without files, or with files that say nothing", async () => {
    expect(await known()).to.deep.equal([]);
    for (const content of ["", "{", "[]", {}, { ...RECORD, guard: "0x12" }, { ...RECORD, chainId: 1 }]) {
      await write("deployments/56.json", content);
      expect(await known(), JSON.stringify(content)).to.deep.equal([]);
    }
    await write("deployments/example.desired.json", RECORD);
    await write("deployments/56.desired.json", RECORD);
    expect(await known()).to.deep.equal([]);
    const none = join(root, "none");
    expect(await knownGuards({ deployments: none, dataDir: none })).to.deep.equal([]);
  });

  it("come from what deploy recorded, with the key of then", async () => {
    await write("deployments/56.json", RECORD);
    expect(await known()).to.deep.equal([
      {
        chainId: 56,
        address: GUARD,
        record: "deployments/56.json",
        keys: [{ address: FIRST, endedAt: null }],
        codeHash: id("guard"),
        deployedAtBlock: 100,
      },
    ]);
    // The market file is beside it.
    await write("deployments/56.market.json", { registry: REGISTRY });
    expect((await known())[0]?.registry).to.deep.equal(REGISTRY);
  });

  it("the guards that an installation knows have the keys of the history, each with its end, and no other guard's", async () => {
    await write("deployments/56.json", RECORD);
    await history(
      rotation("2026-09-01T00:00:00.000Z", ZeroAddress, FIRST),
      rotation("2026-09-02T00:00:00.000Z", FIRST, SECOND),
      rotation("2026-09-03T00:00:00.000Z", FIRST, THIRD, addressFor("another guard")),
      { at: "2026-09-03T00:00:00.000Z", guard: GUARD, events: [{ name: "Paused", args: { by: FIRST } }] },
      // Naming the present key again ends no key.
      rotation("2026-09-04T00:00:00.000Z", SECOND, SECOND),
      rotation("2026-09-05T00:00:00.000Z", SECOND, FIRST),
    );
    const [guard] = await known();
    expect(guard?.keys).to.deep.equal([
      { address: FIRST, endedAt: Date.UTC(2026, 8, 2) / 1_000 },
      { address: SECOND, endedAt: Date.UTC(2026, 8, 5) / 1_000 },
      { address: FIRST, endedAt: null },
    ]);
  });

  it("the guards that an installation knows have no key that is called present where the history cannot be read whole", async () => {
    await write("deployments/56.json", RECORD);
    const toNone = JSON.stringify(rotation("2026-09-02T00:00:00.000Z", FIRST, "0x12"));
    for (const broken of ["{", "null", '{"at":"yesterday"}', toNone]) {
      await write("deployments/56.history.jsonl", `${broken}\n`);
      expect((await known())[0]?.keys, broken).to.deep.equal([]);
    }
  });

  it("come from the local world for its own chain alone", async () => {
    await write("data/chain/deployment.json", LOCAL);
    const [guard] = await known();
    const keys = [{ address: FIRST, endedAt: null }];
    expect(guard).to.deep.include({ chainId: 31_337, address: GUARD, keys, deployedAtBlock: 1 });
    expect(guard?.registry).to.deep.equal(REGISTRY);
    await write("data/chain/deployment.json", JSON.stringify(LOCAL).replaceAll("31337", "56"));
    expect(await known()).to.deep.equal([]);
  });

  it("the guards that an installation knows have no key where the local world's file names none, as those of before did", async () => {
    const { signer: _, ...before } = LOCAL;
    await write("data/chain/deployment.json", before);
    expect((await known())[0]?.keys).to.deep.equal([]);
  });

  it("the guards that an installation knows are looked for beside the program, or in the DATA_DIR that the user has set", () => {
    const program = resolve(import.meta.dirname, "../../..");
    expect(installation({})).to.deep.equal({
      deployments: join(program, "deployments"),
      dataDir: join(program, "data"),
    });
    expect(installation({ DATA_DIR: "" }).dataDir).to.equal(join(program, "data"));
    expect(installation({ DATA_DIR: relative(process.cwd(), root) }).dataDir).to.equal(root);
  });
});
