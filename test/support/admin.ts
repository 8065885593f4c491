/** An admin at a real local chain, in a folder of their own, with fake hands: what is printed is kept. */
import { mkdtempSync } from "node:fs";
import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import { Secret } from "../../api/settings/secret.ts";
import { GUARD_ABI } from "../../chain/abis.ts";
import { readRoles } from "../../chain/guard/roles.ts";
import { type AccountSource, LOCAL_CHAIN_ID } from "../../scripts/admin/network.ts";
import type { Pending } from "../../scripts/admin/pending.ts";
import { openRecords } from "../../scripts/admin/records.ts";
import type { AdminWorld } from "../../scripts/admin/world.ts";
import { EXIT } from "../../scripts/errors.ts";
import { fakeConsole } from "./fakeConsole.ts";
import type { FlakyRpc } from "./flakyRpc.ts";
import { losing } from "./rpcFaults.ts";
import { assayIn, wordsOf } from "./typed.ts";
import type { TestWorld } from "./world.ts";

export type FakeAdmin = Awaited<ReturnType<typeof fakeAdmin>>;

export interface FakeAdminOptions {
  readonly url?: string;
  readonly chainId?: number;
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
  /** The settings; none by default. */
  readonly env?: AdminWorld["env"];
}

export const keys = (...privateKeys: string[]): AccountSource => ({
  kind: "keys",
  privateKeys: privateKeys.map((key) => new Secret(key)),
});

/** The deployment of the world is where `npm start` would have written it. */
export async function fakeAdmin(world: TestWorld, options: FakeAdminOptions = {}) {
  const root = mkdtempSync(join(tmpdir(), "assay-admin-"));
  await mkdir(join(root, "data", "chain"), { recursive: true });
  await writeFile(join(root, "data", "chain", "deployment.json"), JSON.stringify(world.deployment));
  const lines: string[] = [];
  const questions: string[] = [];
  const { deployer, pauser } = world.accounts;
  const admin: AdminWorld = {
    ...fakeConsole().world,
    env: options.env ?? {},
    readText: (path) => readFile(path, "utf8"),
    network: {
      name: options.networkName ?? "local",
      chainId: options.chainId ?? LOCAL_CHAIN_ID,
      url: () => new Secret(options.url ?? world.url),
      accounts: () => options.accounts ?? keys(deployer.privateKey, pauser.privateKey),
    },
    deploymentsDir: join(root, "deployments"),
    dataDir: join(root, "data"),
    actor: "alice",
    attestor: async () =>
      options.attestor === undefined ? world.accounts.attestation.address : options.attestor,
    commit: async () => "0123456789abcdef0123456789abcdef01234567",
    now: options.now ?? Date.now,
    sleep: options.sleep ?? (() => new Promise((resolve) => setTimeout(resolve, 5))),
    out: (line) => void lines.push(line),
    err: (line) => void lines.push(line),
    confirm: async (question) => {
      questions.push(question);
      return options.answer ?? false;
    },
    fetch: options.fetch ?? (() => Promise.reject(new Error("this test has no network"))),
    rpcTimeoutMs: 5_000,
  };
  return {
    world: admin,
    /** Questions that were asked. */
    questions,
    /** Every line so far, both streams; `take` also forgets them. */
    text: () => lines.join("\n"),
    take: () => lines.splice(0).join("\n"),
    /** A path in the admin's folder. */
    path: (name: string) => join(root, name),
    /** What was written down of the local chain. */
    records: openRecords(admin.deploymentsDir, LOCAL_CHAIN_ID),
    remove: () => rm(root, { recursive: true, force: true }),
  };
}

/** Types a command after `assay`. @returns its exit code and what it printed */
export async function typedBy(admin: FakeAdmin, line: string) {
  return { code: await assayIn(wordsOf(line), admin.world), text: admin.take() };
}

/** Makes admins, whose folders go with the suite. @param common what each of them is given, at that time */
export function adminsOf(world: TestWorld, common = (): FakeAdminOptions => ({})) {
  const made: FakeAdmin[] = [];
  after(() => Promise.all(made.map((admin) => admin.remove())));
  return async (options: FakeAdminOptions = {}): Promise<FakeAdmin> => {
    const admin = await fakeAdmin(world, { ...common(), ...options });
    made.push(admin);
    return admin;
  };
}

/** The same admin with the same folder, behind another RPC. */
export function behind(admin: FakeAdmin, { url }: { readonly url: string }): FakeAdmin {
  const network = { ...admin.world.network, url: () => new Secret(url) };
  return { ...admin, world: { ...admin.world, network } };
}

/** The world's market file, without the fields of the guard's record. */
export function marketOf(world: TestWorld) {
  const { chainId: _, guard: __, ...rest } = structuredClone(world.deployment);
  const { executor: ___, deployedAtBlock: ____, logKeys: _____, ...market } = rest;
  return market;
}

/** Ctrl-C after the sending of what is typed, which the node then loses. */
export async function loseSending(admin: FakeAdmin, rpc: FlakyRpc, line: string): Promise<void> {
  rpc.decide = losing;
  const world = { ...admin.world, sleep: () => Promise.reject(new Error("Ctrl-C")) };
  const code = await assayIn(wordsOf(line), world);
  expect(code, admin.take()).to.equal(EXIT.failed);
  rpc.decide = () => null;
}

/** The record of a transaction of the deployer's that bob sent and no node knows. */
export async function unknownTransaction(
  { deployment, accounts, provider }: TestWorld,
  call: "pause" | "unpause",
): Promise<Pending> {
  const { manager } = await readRoles(provider, deployment.guard);
  return {
    schema: "assay.pending/2",
    chainId: LOCAL_CHAIN_ID,
    command: "guard apply",
    call: {
      kind: "admin",
      to: deployment.guard,
      data: GUARD_ABI.encodeFunctionData(call),
      line: "an earlier change",
      name: call,
      args: [],
      guard: deployment.guard,
      manager,
      creates: null,
      expects: [],
    },
    from: accounts.deployer.address,
    nonce: await provider.getTransactionCount(accounts.deployer.address),
    gasLimit: "100000",
    reason: null,
    actor: "bob",
    attempts: [
      { hash: `0x${"ab".repeat(32)}`, raw: null, maxFeePerGas: "1", maxPriorityFeePerGas: "1", sentAt: 1 },
    ],
  };
}
