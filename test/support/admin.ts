/** An admin at a real local chain, in a folder of their own, with fake hands: what is printed is kept. */
import { mkdtempSync } from "node:fs";
import { mkdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Secret } from "../../api/settings/secret.ts";
import { LOCAL_CHAIN_ID } from "../../scripts/session/connect.ts";
import type { AccountSource, AdminContext } from "../../scripts/session/context.ts";
import type { TestWorld } from "./world.ts";

export interface FakeAdmin {
  readonly world: AdminContext;
  /** Every line so far, both streams; `take` also forgets them. */
  text(): string;
  take(): string;
  /** Questions that were asked. */
  readonly questions: string[];
  /** A path in the admin's folder. */
  path(name: string): string;
  remove(): Promise<void>;
}

export interface FakeAdminOptions {
  readonly url?: string;
  readonly chainId?: number | null;
  readonly networkName?: string;
  /** Private keys, by default those of the local deployer (admin) and pauser; or another source. */
  readonly accounts?: AccountSource;
  /** What the service here signs with, by default the local world's key. */
  readonly attestor?: string | null;
  readonly answer?: boolean;
  readonly sleep?: (milliseconds: number) => Promise<void>;
  /** By default there is no network. */
  readonly fetch?: typeof fetch;
  /** Unix milliseconds. */
  readonly now?: () => number;
}

export const keys = (...privateKeys: string[]): AccountSource => ({
  kind: "keys",
  privateKeys: privateKeys.map((key) => new Secret(key)),
});

/** The deployment of the world is where `npm start` would have written it. */
export async function fakeAdmin(world: TestWorld, options: FakeAdminOptions = {}): Promise<FakeAdmin> {
  const root = mkdtempSync(join(tmpdir(), "assay-admin-"));
  await mkdir(join(root, "data", "chain"), { recursive: true });
  await writeFile(join(root, "data", "chain", "deployment.json"), JSON.stringify(world.deployment));
  const lines: string[] = [];
  const questions: string[] = [];
  const { deployer, pauser } = world.accounts;
  const admin: AdminContext = {
    network: {
      name: options.networkName ?? "local",
      chainId: options.chainId === undefined ? LOCAL_CHAIN_ID : options.chainId,
      url: async () => new Secret(options.url ?? world.url),
      accounts: async () => options.accounts ?? keys(deployer.privateKey, pauser.privateKey),
    },
    deploymentsDir: join(root, "deployments"),
    dataDir: join(root, "data"),
    actor: "alice",
    attestor: async () =>
      options.attestor === undefined ? world.accounts.attestation.address : options.attestor,
    commit: async () => "0123456789abcdef0123456789abcdef01234567",
    now: options.now ?? Date.now,
    sleep: options.sleep ?? (() => new Promise((resolve) => setTimeout(resolve, 5))),
    print: (line) => void lines.push(line),
    printError: (line) => void lines.push(line),
    confirm: async (question) => {
      questions.push(question);
      return options.answer ?? false;
    },
    fetch: options.fetch ?? (() => Promise.reject(new Error("this test has no network"))),
    rpcTimeoutMs: 5_000,
  };
  return {
    world: admin,
    questions,
    text: () => lines.join("\n"),
    take: () => lines.splice(0).join("\n"),
    path: (name) => join(root, name),
    remove: () => rm(root, { recursive: true, force: true }),
  };
}
