import { expect } from "chai";
import { id, Wallet } from "ethers";
import { isProofSound, KeyProof } from "../../../attestor/certificate/keyProof.ts";
import { PlainError, UsageError } from "../../../scripts/errors.ts";
import { proveKeystore } from "../../../scripts/keystore/prove.ts";
import { fakeConsole } from "../../support/fakeConsole.ts";
import { lightKeystore } from "../../support/keystores.ts";
import { typed } from "../../support/typed.ts";

const KEY = id("a key to prove");
const PASSPHRASE = "correct horse battery";
const GUARD = "0x5FbDB2315678afecb367f032d93F642f64180aa3";
const PLACE = ["--chain-id", "31337", "--guard", GUARD];
const now = () => Date.UTC(2026, 10, 20, 23);

async function prove(args: string[], answers: string[] = []) {
  const files: Record<string, string> = {
    "/key.json": await lightKeystore(KEY, PASSPHRASE),
    "/passphrase": `${PASSPHRASE}\n`,
    "/deployment.json": JSON.stringify({ chainId: 31337, guard: GUARD, more: 1 }),
    "/broken.json": "{}",
  };
  const { world, shown, warned } = fakeConsole(answers, files);
  const outcome = await typed(proveKeystore, args, { ...world, now }).catch((error: Error) => error);
  return { outcome, shown: [...shown, ...warned] };
}

describe("assay keystore prove", () => {
  it("prints a sound proof on one line, for the guard of a deployment's record or a named one", async () => {
    for (const place of [["--deployment", "/deployment.json"], PLACE]) {
      const { outcome, shown } = await prove(["/key.json", ...place, "--passphrase-file", "/passphrase"]);
      expect(outcome).to.equal(0);
      expect(shown).to.have.length(1);
      const proof = KeyProof.parse(JSON.parse(shown[0]!));
      expect(proof).to.include({ signer: new Wallet(KEY).address, chainId: 31337, guard: GUARD });
      expect(proof.provedAt).to.equal(now() / 1000);
      expect(isProofSound(proof, 31337, GUARD)).to.equal(true);
    }
  });

  it("asks for the passphrase, and refuses a wrong one without repeating it", async () => {
    expect((await prove(["/key.json", ...PLACE], [PASSPHRASE])).outcome).to.equal(0);
    const { outcome, shown } = await prove(["/key.json", ...PLACE], ["not that passphrase"]);
    expect(outcome).to.be.instanceOf(PlainError);
    expect((outcome as Error).message).to.equal("/key.json: the passphrase does not open the keystore");
    expect(shown).to.deep.equal([]);
  });

  it("says what is missing or unreadable", async () => {
    const usage = [[], ["/key.json"], ["/key.json", "--guard", GUARD], ["/key.json", ...PLACE, "secret"]];
    for (const args of usage)
      expect((await prove(args)).outcome, args.join(" ")).to.be.instanceOf(UsageError);
    const both = ["/key.json", ...PLACE, "--deployment", "/deployment.json"];
    expect((await prove(both)).outcome).to.be.instanceOf(UsageError);
    for (const file of ["/none.json", "/broken.json"])
      expect((await prove(["/key.json", "--deployment", file])).outcome).to.be.instanceOf(PlainError);
    expect((await prove(["/none.json", ...PLACE])).outcome).to.be.instanceOf(PlainError);
    expect((await prove(["/broken.json", ...PLACE], [PASSPHRASE])).outcome).to.be.instanceOf(PlainError);
  });
});
