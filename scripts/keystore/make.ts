/** `assay keystore`: makes the encrypted keystore of the attestation key. The key is never shown. */
import { encryptKeystoreJson, getBytes, hexlify, randomBytes, Wallet } from "ethers";
import { logSigner, markedAsLogKey } from "../../api/log/key.ts";
import { OriginSetting } from "../../api/settings/logSettings.ts";
import { vkeyText } from "../../attestor/log/note.ts";
import { PlainError, readFirstLine, UsageError, type World } from "../console.ts";
import { showCommand } from "./kmsKey.ts";
import { LONGEST_FILE, parseMake } from "../../cli/keystore/options.ts";
import { proveCommand } from "./prove.ts";

const SHORTEST_PASSPHRASE = 12;

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

/**
 * @param now unix milliseconds
 * @returns the exit code
 * @throws UsageError for invalid arguments, PlainError for everything that the user can fix
 */
export async function keystoreCommand(
  args: string[],
  world: World,
  now: () => number,
  tools: KeystoreTools = REAL_TOOLS,
): Promise<number> {
  if (args[0] === "show") return await showCommand(args.slice(1), world);
  if (args[0] === "prove") return await proveCommand(args.slice(1), world, now);
  const { action, file, passphraseFile, kind } = readArguments(args);
  // Before anything is asked; the write itself refuses again.
  if (await world.exists(file)) throw new PlainError(`${file}: it already exists`);
  const privateKey = action === "create" ? tools.newKey() : await askKey(world);
  const { shown, marked } = kind(privateKey);
  const passphrase =
    passphraseFile === undefined
      ? await askPassphrase(world)
      : longEnough(await readFirstLine(passphraseFile, LONGEST_FILE, world));
  const keystore = await tools.encrypt(privateKey, passphrase);
  await writeKeystore(file, marked(keystore), world);
  world.out(shown);
  return 0;
}

function readArguments(args: string[]) {
  const { values, positionals } = parseMake(args);
  const [action, file, ...more] = positionals;
  if (action !== "create" && action !== "import")
    throw new UsageError("keystore needs create, import, prove or show");
  if (file === undefined) throw new UsageError(`keystore ${action} needs the file to write`);
  // What stands here too many may be a key; it is not repeated.
  if (more.length > 0) throw new UsageError(`keystore ${action} takes one file and nothing else`);
  const { log: origin, "passphrase-file": passphraseFile } = values;
  if (origin !== undefined && (action !== "create" || !OriginSetting.safeParse(origin).success))
    throw new UsageError("--log goes with create and takes the name of a log such as assay.example.com/log");
  const kind = origin === undefined ? certifying : ofLog(origin);
  return { action, file, passphraseFile, kind };
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
