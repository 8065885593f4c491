/** Keystore files as an operator puts them in place. */
import { randomBytes } from "node:crypto";
import { mkdtemp, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { encryptKeystoreJson, hexlify, Wallet } from "ethers";
import { markedAsLogKey } from "../../api/log/key.ts";

const PASSPHRASE = "the first passphrase";

export const newWallet = (): Wallet => new Wallet(hexlify(randomBytes(32)));

/** Light work for the tests; a real keystore takes a second to open. */
export function lightKeystore(privateKey: string, passphrase: string): Promise<string> {
  const { address } = new Wallet(privateKey);
  return encryptKeystoreJson({ address, privateKey }, passphrase, { scrypt: { N: 2, r: 1, p: 1 } });
}

/** The keystore of a log's key. @param seed 32 bytes */
export const lightLogKeystore = async (seed: Uint8Array, passphrase: string): Promise<string> =>
  markedAsLogKey(await lightKeystore(hexlify(seed), passphrase), seed);

/** A folder with a keystore of this key and the file of its passphrase. */
export async function keystoreFolder(privateKey: string) {
  const folder = await mkdtemp(join(tmpdir(), "assay-keystore-"));
  const path = join(folder, "attestor.json");
  const passphrasePath = join(folder, "passphrase");
  let current = PASSPHRASE;
  /** Replaces the keystore in one step, as `mv` does; a new passphrase goes in before it. */
  const put = async (key: string, passphrase = current): Promise<void> => {
    current = passphrase;
    await writeFile(passphrasePath, `${passphrase}\n`);
    await writeFile(`${path}.new`, await lightKeystore(key, passphrase));
    await rename(`${path}.new`, path);
  };
  await put(privateKey);
  /** Settings of a service that uses the files. */
  const env: Record<string, string> = {
    ATTESTOR_PRIVATE_KEY: "",
    ATTESTOR_KEYSTORE: path,
    ATTESTOR_KEYSTORE_PASSPHRASE_FILE: passphrasePath,
  };
  return { path, passphrasePath, env, put, remove: () => rm(folder, { recursive: true, force: true }) };
}
