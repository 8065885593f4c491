/** Keys in a token or in AWS KMS, shown and proved by `assay keystore`. */
import { expect } from "chai";
import { isProofSound, KeyProof } from "../../../attestor/certificate/keyProof.ts";
import { parseVkey } from "../../../attestor/log/note.ts";
import { PlainError, UsageError } from "../../../cli/console.ts";
import { keystoreCommand } from "../../../cli/keystore/keystoreCommand.ts";
import { fakeConsole } from "../../support/fakeConsole.ts";
import { newWallet } from "../../support/keystores.ts";
import { startKms } from "../../support/kms.ts";
import { openSoftToken, PIN } from "../../support/softhsm.ts";
import { ofSuite } from "../../support/suite.ts";

const GUARD = "0x5FbDB2315678afecb367f032d93F642f64180aa3";
const PLACE = ["--chain-id", "31337", "--guard", GUARD];
const now = () => Date.UTC(2026, 10, 20, 23);

async function run(args: string[], answers: readonly string[] = []) {
  const { world, shown, warned } = fakeConsole(answers, { "/pin": `${PIN}\n` });
  const outcome = await keystoreCommand(args, world, now).catch((error: Error) => error);
  return { outcome, shown, warned };
}

describe("assay keystore for keys that are no files", function () {
  this.timeout(30_000);

  describe("in a PKCS#11 token", () => {
    const token = ofSuite(openSoftToken);
    const wallet = newWallet();
    const named = (label: string) => ["--pkcs11", token.module, "--token", "assay", "--key", label];

    before(() => {
      token.put(wallet.privateKey, "attestor");
      token.generate("secp256k1", "open", { id: "07", extractable: true });
      token.generate("ed25519", "log");
    });

    it("shows the address, with the PIN from a file or typed in", async () => {
      for (const [more, answers] of [[["--pin-file", "/pin"], []] as const, [[], [PIN]] as const]) {
        const { outcome, shown } = await run(["show", ...named("attestor"), ...more], answers);
        expect(outcome).to.equal(0);
        expect(shown).to.deep.equal([wallet.address]);
      }
    });

    it("shows the verifier key of a log", async () => {
      const args = ["show", ...named("log"), "--log", "assay.example.com/log", "--pin-file", "/pin"];
      const { shown } = await run(args);
      expect(parseVkey(shown[0]!).name).to.equal("assay.example.com/log");
    });

    it("proves that the key is available, as for a keystore", async () => {
      const { outcome, shown } = await run(["prove", ...named("attestor"), ...PLACE, "--pin-file", "/pin"]);
      expect(outcome).to.equal(0);
      const proof = KeyProof.parse(JSON.parse(shown[0]!));
      expect(proof).to.include({ signer: wallet.address, chainId: 31337, guard: GUARD });
      expect(isProofSound(proof, 31337, GUARD)).to.equal(true);
    });

    it("warns of a key that the token would give away", async () => {
      const key = ["--pkcs11", token.module, "--token", "assay", "--key-id", "07"];
      const { warned } = await run(["show", ...key], [PIN]);
      expect(warned).to.deep.equal(["WARNING  the private key can be read out of the token"]);
    });

    it("says what is wrong, and never the PIN", async () => {
      const { outcome } = await run(["show", ...named("attestor")], ["not the pin"]);
      expect(outcome).to.be.instanceOf(PlainError).with.property("message", "the token refuses the PIN");
      const wrong = [
        ["show"],
        ["show", "--pkcs11", token.module, "--token", "assay"],
        ["show", "--pkcs11", token.module, "--token", "assay", "--slot", "1", "--key", "a"],
        ["show", "--pkcs11", token.module, "--token", "assay", "--key", "a", "--key-id", "07"],
        ["show", "--kms", "a", "--key", "a"],
        ["show", "--kms", "a", "--log", "https://no.name"],
        ["show", "--pin", PIN],
        ["prove", "/key.json", ...named("attestor"), ...PLACE],
        ["prove", ...named("attestor")],
      ];
      for (const args of wrong) {
        const { outcome: refused } = await run(args);
        expect(refused, args.join(" ")).to.be.instanceOf(UsageError);
        expect((refused as Error).message).to.not.contain(PIN);
      }
    });
  });

  describe("in AWS KMS", () => {
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
      const { outcome, shown } = await run(["prove", "--kms", arn, ...PLACE]);
      kms.fault = "none";
      expect(outcome).to.be.instanceOf(PlainError);
      expect(shown).to.deep.equal([]);
    });
  });
});
