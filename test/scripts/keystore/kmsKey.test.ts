/** Keys in AWS KMS, shown and proved by `assay keystore`. */
import { expect } from "chai";
import { isProofSound, KeyProof } from "../../../attestor/certificate/keyProof.ts";
import { parseVkey } from "../../../attestor/log/note.ts";
import { fakeConsole } from "../../support/fakeConsole.ts";
import { startKms } from "../../support/kms.ts";
import { ofSuite } from "../../support/suite.ts";
import { assayIn } from "../../support/typed.ts";

const GUARD = "0x5FbDB2315678afecb367f032d93F642f64180aa3";
const PLACE = ["--chain-id", "31337", "--guard", GUARD];
const now = () => Date.UTC(2026, 10, 20, 23);

async function run(words: string[]) {
  const { world, shown } = fakeConsole();
  return { code: await assayIn(["keystore", ...words], { ...world, now }), shown };
}

describe("assay keystore for keys in AWS KMS", function () {
  this.timeout(30_000);
  const kms = ofSuite(startKms);

  it("shows the address or the verifier key, and proves that the key is available", async () => {
    const { arn, address } = kms.create("secp256k1");
    expect((await run(["show", "--kms", arn])).shown).to.deep.equal([address]);
    const { id } = kms.create("ed25519");
    const { shown } = await run(["show", "--kms", id, "--log", "assay.example.com/log"]);
    expect(parseVkey(shown[0]!).name).to.equal("assay.example.com/log");
    const proof = KeyProof.parse(JSON.parse((await run(["prove", "--kms", arn, ...PLACE])).shown[0]!));
    expect(isProofSound(proof, 31337, GUARD)).to.equal(true);
    expect(proof.signer).to.equal(address);
  });

  it("gives no proof that is not the key's", async () => {
    const { arn } = kms.create("secp256k1");
    kms.fault = "signature of another key";
    const proved = await run(["prove", "--kms", arn, ...PLACE]);
    kms.fault = "none";
    expect(proved).to.deep.equal({ code: 2, shown: [] });
  });
});
