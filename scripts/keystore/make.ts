/** `assay keystore`: makes the encrypted keystore of the attestation key. The key is never shown. */
import { encryptKeystoreJson, getBytes, hexlify, randomBytes, Wallet } from "ethers";
import { logSigner, markedAsLogKey } from "../../api/log/key.ts";
import { OriginSetting } from "../../api/settings/logSettings.ts";
import { vkeyText } from "../../attestor/log/note.ts";
import { command, text } from "../command.ts";
import { readFirstLine, type World } from "../console.ts";
import { EXIT, PlainError, UsageError } from "../errors.ts";

const SHORTEST_PASSPHRASE = 12;
const LONGEST_PASSPHRASE = 4_096;

export interface KeystoreTools {
  /** A new private key, 32 bytes in hexadecimal. */
  newKey(): string;
  encrypt(privateKey: string, passphrase: string): Promise<string>;
}

const REAL_TOOLS: KeystoreTools = {
  newKey: () => hexlify(randomBytes(32)),
  encrypt: (privateKey, passphrase) =>
    encryptKeystoreJson({ address: new Wallet(privateKey).address, privateKey }, passphrase),
};

const FILE = { file: { words: "the keystore to write; an existing file is never overwritten" } };
const PASSPHRASE = {
  passphraseFile: text("FILE", "take the passphrase from the first line of a file instead of asking"),
};
const notes = [
  "Web3 Secret Storage, version 3. Key and passphrase are asked for without echo, or read from standard input, one line",
  "each; they are never arguments.",
];

/** @param tools how keys are made and encrypted */
export const keystoreCommands = (tools: KeystoreTools) => ({
  create: command({
    summary: "Make an encrypted keystore with a new key, and print the key's address",
    positionals: FILE,
    options: {
      ...PASSPHRASE,
      log: text("ORIGIN", "the key of the decision log of that name (Ed25519); prints its verifier key"),
    },
    notes,
    usage: "keystore create takes one file and only --passphrase-file FILE and --log ORIGIN",
    run: ({ file, passphraseFile, log: origin }, world) => {
      if (origin !== undefined && !OriginSetting.safeParse(origin).success)
        throw new UsageError("--log takes the name of a log such as assay.example.com/log");
      const kind = origin === undefined ? certifying : ofLog(origin);
      return make({ file, passphraseFile, kind, newKey: async () => tools.newKey() }, world, tools);
    },
  }),
  import: command({
    summary: "Make an encrypted keystore with a key that you type in, and print its address",
    positionals: FILE,
    options: PASSPHRASE,
    notes,
    // What stands here too many may be a key.
    usage: "keystore import takes one file and only --passphrase-file FILE",
    run: ({ file, passphraseFile }, world) =>
      make({ file, passphraseFile, kind: certifying, newKey: () => askKey(world) }, world, tools),
  }),
});

interface Making {
  readonly file: string;
  readonly passphraseFile: string | undefined;
  readonly kind: (privateKey: string) => Made;
  newKey(): Promise<string>;
}

async function make(making: Making, world: World, tools: KeystoreTools): Promise<number> {
  const { file, passphraseFile, kind } = making;
  // Before anything is asked; the write itself refuses again.
  if (await world.exists(file)) throw new PlainError(`${file}: it already exists`);
  const privateKey = await making.newKey();
  const { shown, marked } = kind(privateKey);
  const passphrase =
    passphraseFile === undefined
      ? await askPassphrase(world)
      : longEnough(await readFirstLine(passphraseFile, LONGEST_PASSPHRASE, world));
  const keystore = await tools.encrypt(privateKey, passphrase);
  await writeKeystore(file, marked(keystore), world);
  world.out(shown);
  return EXIT.ok;
}

/** What is shown of a new key, and how its keystore says what it is. */
interface Made {
  readonly shown: string;
  readonly marked: (keystore: string) => string;
}

const certifying = (privateKey: string): Made => ({
  shown: addressOf(privateKey),
  marked: (keystore) => keystore,
});

/** Shown is the log's verifier key. */
const ofLog =
  (origin: string) =>
  (privateKey: string): Made => {
    const seed = getBytes(privateKey);
    return {
      shown: vkeyText(logSigner(seed).keyOf(origin)),
      marked: (keystore) => markedAsLogKey(keystore, seed),
    };
  };

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
  throw new PlainError("this is not a private key: 0x and 64 hexadecimal digits, on the curve secp256k1");
}

async function askPassphrase(world: World): Promise<string> {
  const passphrase = longEnough(await world.ask(`Passphrase (at least ${SHORTEST_PASSPHRASE} characters): `));
  if ((await world.ask("Repeat the passphrase: ")) !== passphrase)
    throw new PlainError("the passphrases differ");
  return passphrase;
}

function longEnough(passphrase: string): string {
  if (passphrase.length < SHORTEST_PASSPHRASE)
    throw new PlainError(`the passphrase has fewer than ${SHORTEST_PASSPHRASE} characters`);
  return passphrase;
}

async function writeKeystore(file: string, keystore: string, world: World): Promise<void> {
  try {
    await world.writeSecret(file, `${keystore}\n`);
  } catch (error) {
    throw new PlainError(`${file} cannot be written: ${(error as Error).message}`);
  }
}

export const { create: createKeystore, import: importKeystore } = keystoreCommands(REAL_TOOLS);
