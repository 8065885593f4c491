/** `DATA_DIR/local.json`: where the local service stands and how to reach it, so that nobody copies and pastes. */
import { mkdir, open, readFile, rename } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { Asset } from "../attestor/registry.ts";
import { Address, AssetKey } from "../attestor/values/primitives.ts";
import type { Deployment } from "../chain/deployment.ts";

const LocalToken = z.object({
  assetKey: AssetKey,
  address: Address,
  decimals: z.int().min(0),
  /** `payment`: reports can be paid for with it, and no trade takes it. */
  kind: z.enum([...Asset.shape.kind.options, "payment"]),
});

export const LocalFile = z.object({
  baseUrl: z.url(),
  /** The node, which signs for the accounts of users: the wallet of the local world. */
  rpcUrl: z.url(),
  chainId: z.int().min(1),
  /** Made for local use; the file is readable by its owner alone because of it. */
  apiKey: z.string().min(1),
  guard: Address,
  /** The attestation key that the guard names: what certificates have to be signed by. */
  signer: Address,
  executor: Address,
  /** The payee of reports, in the paid phase. */
  payee: Address,
  /** The account of `npm run agent`, for first trades: it holds coin, dollars and every stock token. */
  owner: Address,
  /** By symbol. */
  tokens: z.record(z.string(), LocalToken),
});
export type LocalFile = z.infer<typeof LocalFile>;

const pathIn = (dataDir: string): string => join(dataDir, "local.json");

export const writeLocalFile = (dataDir: string, content: LocalFile): Promise<void> =>
  replaceJson(pathIn(dataDir), content, 0o600);

/** `DATA_DIR/chain/deployment.json`, which API and commands read. */
export async function writeDeployment(dataDir: string, deployment: Deployment): Promise<void> {
  const folder = join(dataDir, "chain");
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await replaceJson(join(folder, "deployment.json"), deployment, 0o644);
}

/** Readers see the old file or the new one, never half of one. */
async function replaceJson(path: string, content: unknown, mode: number): Promise<void> {
  const draft = `${path}.${process.pid}.tmp`;
  const file = await open(draft, "w", mode);
  await file.writeFile(`${JSON.stringify(content, null, 2)}\n`);
  // A draft that was left behind has the mode that it had.
  await file.chmod(mode);
  await file.sync();
  await file.close();
  await rename(draft, path);
}

/** @returns null where there is no file yet, or none that this program wrote */
export const readLocalFile = (dataDir: string): Promise<LocalFile | null> =>
  readFile(pathIn(dataDir), "utf8")
    .then((text) => LocalFile.parse(JSON.parse(text)))
    .catch(() => null);
