/** `assay keystore prove`: what is typed and answered, its exit code, and what it prints. */
import { expect } from "chai";
import { id, Wallet } from "ethers";
import { isProofSound, KeyProof } from "../../../attestor/certificate/keyProof.ts";
import { fakeConsole } from "../../support/fakeConsole.ts";
import { lightKeystore } from "../../support/keystores.ts";
import { assayIn, wordsOf } from "../../support/typed.ts";

const KEY = id("a key to prove");
const PASSPHRASE = "correct horse battery";
const GUARD = "0x5FbDB2315678afecb367f032d93F642f64180aa3";
const PLACE = `--chain-id 31337 --guard ${GUARD}`;
const now = () => Date.UTC(2026, 10, 20, 23);

/** @param answers typed when asked */
async function prove(words: string, answers: readonly string[] = []) {
  const files = {
    "/key.json": await lightKeystore(KEY, PASSPHRASE),
    "/passphrase": `${PASSPHRASE}\n`,
    "/deployment.json": JSON.stringify({ chainId: 31337, guard: GUARD, more: 1 }),
    "/broken.json": "{}",
  };
  const { world, shown, warned } = fakeConsole(answers, files);
  const code = await assayIn(wordsOf(`keystore prove ${words}`), { ...world, now });
  return { code, shown, said: warned.join("\n") };
}

describe("assay keystore prove", () => {
  for (const [words, answers] of [
    ["/key.json --deployment /deployment.json --passphrase-file /passphrase", []],
    [`/key.json ${PLACE} --passphrase-file /passphrase`, []],
    [`/key.json ${PLACE}`, [PASSPHRASE]],
  ] as const)
    it(`prints a sound proof on one line: ${words}`, async () => {
      const { code, shown, said } = await prove(words, answers);
      expect([code, shown.length, said]).to.deep.equal([0, 1, ""]);
      const proof = KeyProof.parse(JSON.parse(shown[0]!));
      expect(proof).to.include({ signer: new Wallet(KEY).address, chainId: 31337, guard: GUARD });
      expect(proof.provedAt).to.equal(now() / 1000);
      expect(isProofSound(proof, 31337, GUARD)).to.equal(true);
    });

  for (const [words, answers, says] of [
    [`/key.json ${PLACE}`, ["not that passphrase"], "/key.json: the passphrase does not open the keystore"],
    ["/key.json --deployment /none.json", [], "/none.json cannot be read"],
    ["/key.json --deployment /broken.json", [], "/broken.json: it names no chainId and guard"],
    [`/none.json ${PLACE}`, [], "/none.json cannot be read"],
    [`/broken.json ${PLACE}`, [PASSPHRASE], "/broken.json: "],
  ] as const)
    it(`says what cannot be used, and repeats no passphrase: ${words}`, async () => {
      const { code, shown, said } = await prove(words, answers);
      expect([code, shown]).to.deep.equal([2, []]);
      expect(said).to.contain(says);
      for (const answer of answers) expect(said).to.not.contain(answer);
    });
});
