/** `assay keystore`: makes the encrypted keystore of the attestation key. The key is never shown. */
import { encryptKeystoreJson, getBytes, hexlify, randomBytes, Wallet } from "ethers";
import { logSigner, markedAsLogKey } from "../../api/log/key.ts";
import { OriginSetting } from "../../api/settings/logSettings.ts";
import { vkeyText } from "../../attestor/log/note.ts";
import { argument, command, text } from "../command.ts";
import { passphraseFrom, type World } from "../console.ts";
import { EXIT, Unusable } from "../errors.ts";
import { matching } from "../typed.ts";

const SHORTEST_PASSPHRASE = 12;

/** Makes the keystore's JSON of a private key, 32 bytes in hexadecimal. */
type Encrypt = (privateKey: string, passphrase: string) => Promise<string>;

const byScrypt: Encrypt = (privateKey, passphrase) =>
  encryptKeystoreJson({ address: new Wallet(privateKey).address, privateKey }, passphrase);

const FILE = { file: argument("the keystore to write; an existing file is never overwritten") };
const PASSPHRASE = {
  passphraseFile: text("FILE", "take the passphrase from the first line of a file instead of asking"),
};
const notes = [
  "Web3 Secret Storage, version 3. Key and passphrase are asked for without echo, or read from standard input, one line",
  "each; they are never arguments.",
];

export const keystoreCommands = (encrypt: Encrypt) => ({
  create: command({
    summary: "Make an encrypted keystore with a new key, and print the key's address",
    positionals: FILE,
    options: {
      ...PASSPHRASE,
      log: text(
        "ORIGIN",
        "the key of the decision log of that name (Ed25519); prints its verifier key",
        matching(OriginSetting),
      ),
    },
    notes,
    usage: "keystore create takes one file and only --passphrase-file FILE and --log ORIGIN",
    run: async ({ file, passphraseFile, log: origin }, world) => {
      await assertFree(file, world);
      const key = hexlify(randomBytes(32));
      const keystore = await encrypt(key, await newPassphrase(passphraseFile, world));
      const seed = getBytes(key);
      await writeKeystore(file, origin === undefined ? keystore : markedAsLogKey(keystore, seed), world);
      world.out(origin === undefined ? addressOf(key) : vkeyText(logSigner(seed).keyOf(origin)));
      return EXIT.ok;
    },
  }),
  import: command({
    summary: "Make an encrypted keystore with a key that you type in, and print its address",
    positionals: FILE,
    options: PASSPHRASE,
    notes,
    // What stands here too many may be a key.
    usage: "keystore import takes one file and only --passphrase-file FILE",
    run: async ({ file, passphraseFile }, world) => {
      await assertFree(file, world);
      const key = await askKey(world);
      const address = addressOf(key);
      await writeKeystore(file, await encrypt(key, await newPassphrase(passphraseFile, world)), world);
      world.out(address);
      return EXIT.ok;
    },
  }),
});

/** Before anything is asked; the write itself refuses again. @throws Unusable */
async function assertFree(file: string, world: World): Promise<void> {
  if (await world.exists(file)) throw new Unusable(`${file}: it already exists`);
}

async function askKey(world: World): Promise<string> {
  const typed = (await world.ask("Private key (0x and 64 hexadecimal digits): ")).trim();
  return typed.startsWith("0x") ? typed : `0x${typed}`;
}

function addressOf(privateKey: string): string {
  try {
    if (/^0x[0-9a-fA-F]{64}$/.test(privateKey)) return new Wallet(privateKey).address;
  } catch {
    // Out of the curve's range; the library's own words could carry the key.
  }
  throw new Unusable("this is not a private key: 0x and 64 hexadecimal digits, on the curve secp256k1");
}

/** What is typed is typed twice. */
async function newPassphrase(file: string | undefined, world: World): Promise<string> {
  const question = `Passphrase (at least ${SHORTEST_PASSPHRASE} characters): `;
  const passphrase = await passphraseFrom(file, question, world);
  if (passphrase.length < SHORTEST_PASSPHRASE)
    throw new Unusable(`the passphrase has fewer than ${SHORTEST_PASSPHRASE} characters`);
  if (file === undefined && (await world.ask("Repeat the passphrase: ")) !== passphrase)
    throw new Unusable("the passphrases differ");
  return passphrase;
}

async function writeKeystore(file: string, keystore: string, world: World): Promise<void> {
  try {
    await world.writeSecret(file, `${keystore}\n`);
  } catch (error) {
    throw new Unusable(`${file} cannot be written: ${(error as Error).message}`);
  }
}

export const { create: createKeystore, import: importKeystore } = keystoreCommands(byScrypt);
