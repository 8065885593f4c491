/** Everything outside that an admin's command touches: the console, a network, the records, this working copy. */
import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { hostname, userInfo } from "node:os";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { computeAddress } from "ethers";
import type { Environment } from "../../api/settings/environment.ts";
import { localAccounts } from "../../devnet/accounts.ts";
import { type GivenBy, text } from "../command.ts";
import type { World } from "../console.ts";
import { Unusable } from "../errors.ts";
import { accountIn, NETWORK_OPTIONS, type Network, networkNamed } from "./network.ts";

export const REPOSITORY = join(import.meta.dirname, "../..");
const RPC_TIMEOUT_MS = 20_000;

export interface AdminWorld extends World {
  readonly network: Network;
  /** Folder of the records: `<chainId>.json`, `.desired.json`, `.history.jsonl`, `.pending.json`. */
  readonly deploymentsDir: string;
  /** The service's data folder, where the local chain records its deployments. */
  readonly dataDir: string;
  /** The operator; recorded in the history. */
  readonly actor: string;
  /** The address that the service would sign certificates with, by its settings here; null: they name none. */
  attestor(): Promise<string | null>;
  /** The commit of this working copy; null outside of one. */
  commit(): Promise<string | null>;
  /** How long one question to the RPC may take. */
  readonly rpcTimeoutMs: number;
}

/** Of every command that works on a chain. */
export const ADMIN_OPTIONS = {
  ...NETWORK_OPTIONS,
  dir: text("DIR", "folder of the records (deployments)"),
};

export type AdminGiven = Partial<GivenBy<typeof ADMIN_OPTIONS>>;

/** A world that a test made has its hands already. @throws Refused */
export function adminWorld(world: World | AdminWorld, given: AdminGiven): AdminWorld {
  if ("network" in world) return world;
  const { env } = world;
  return {
    ...world,
    network: networkNamed(given, world),
    deploymentsDir: given.dir === undefined ? join(REPOSITORY, "deployments") : resolve(given.dir),
    dataDir: resolve(REPOSITORY, env.DATA_DIR ?? "data"),
    actor: actorHere(),
    attestor: () => attestorAddress(env),
    commit,
    rpcTimeoutMs: RPC_TIMEOUT_MS,
  };
}

/** `user@machine` */
export const actorHere = (): string => `${userInfo().username}@${hostname()}`;

async function commit(): Promise<string | null> {
  try {
    const args = ["describe", "--always", "--dirty", "--abbrev=40", "--exclude", "*"];
    const { stdout } = await promisify(execFile)("git", args, { cwd: REPOSITORY, timeout: 10_000 });
    return stdout.trim() || null;
  } catch {
    return null;
  }
}

/**
 * @returns null where the settings name no key
 * @throws Unusable for a keystore that is none
 */
export async function attestorAddress(env: Environment): Promise<string | null> {
  const path = env.ATTESTOR_KEYSTORE;
  if (path !== undefined && path !== "") {
    const address = accountIn(await readFile(path, "utf8").catch(() => ""));
    if (address !== null) return address;
    throw new Unusable(`${path} (ATTESTOR_KEYSTORE) is not a keystore that names its address.`);
  }
  if (env.ASSAY_PROFILE === "live") return null;
  const key = env.ATTESTOR_PRIVATE_KEY;
  if (key !== undefined && key !== "") {
    try {
      return computeAddress(key);
    } catch {
      throw new Unusable("ATTESTOR_PRIVATE_KEY is not a private key.");
    }
  }
  // What `npm start` signs with.
  return localAccounts().attestation.address;
}
