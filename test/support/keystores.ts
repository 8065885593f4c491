/** Keystore files as an operator puts them in place. */
import { randomBytes } from "node:crypto";
import { mkdtemp, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { encryptKeystoreJson, hexlify, Wallet } from "ethers";
import { markedAsLogKey } from "../../api/log/key.ts";

export interface KeystoreFolder {
  readonly path: string;
  readonly passphrasePath: string;
  /** Settings of a service that uses the files. */
  readonly env: Record<string, string>;
  /** Replaces the keystore in one step, as `mv` does; a new passphrase goes in before it. */
  put(privateKey: string, passphrase?: string): Promise<void>;
  remove(): Promise<void>;
}

const PASSPHRASE = "the first passphrase";

export function newWallet(): Wallet {
  return new Wallet(hexlify(randomBytes(32)));
}

/** Light work for the tests; a real keystore takes a second to open. */
export function lightKeystore(privateKey: string, passphrase: string): Promise<string> {
  const { address } = new Wallet(privateKey);
  return encryptKeystoreJson({ address, privateKey }, passphrase, { scrypt: { N: 2, r: 1, p: 1 } });
}

/** The keystore of a log's key. @param seed 32 bytes */
export async function lightLogKeystore(seed: Uint8Array, passphrase: string): Promise<string> {
  return markedAsLogKey(await lightKeystore(hexlify(seed), passphrase), seed);
}

/** A folder with a keystore of this key and the file of its passphrase. */
export async function keystoreFolder(privateKey: string): Promise<KeystoreFolder> {
  const folder = await mkdtemp(join(tmpdir(), "assay-keystore-"));
  const path = join(folder, "attestor.json");
  const passphrasePath = join(folder, "passphrase");
  let current = PASSPHRASE;
  const keystores: KeystoreFolder = {
    path,
    passphrasePath,
    env: {
      ATTESTOR_PRIVATE_KEY: "",
      ATTESTOR_KEYSTORE: path,
      ATTESTOR_KEYSTORE_PASSPHRASE_FILE: passphrasePath,
    },
    async put(key, passphrase = current) {
      current = passphrase;
      await writeFile(passphrasePath, `${passphrase}\n`);
      await writeFile(`${path}.new`, await lightKeystore(key, passphrase));
      await rename(`${path}.new`, path);
    },
    remove: () => rm(folder, { recursive: true, force: true }),
  };
  await keystores.put(privateKey);
  return keystores;
}
