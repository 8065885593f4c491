/**
 * Tests of admin commands as rows: what an admin types, and what is expected: exit code, text, transactions, and what
 * changed on the chain. Every row begins on the same chain, in a folder of its own.
 */
import { existsSync } from "node:fs";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { expect } from "chai";
import { Wallet } from "ethers";
import { type GuardPlace, readGuardView } from "../../chain/guard/reading.ts";
import { describeOperation } from "../../chain/guard/schedule.ts";
import { adminText } from "../../scripts/admin/holders.ts";
import {
  adminsOf,
  behind,
  type FakeAdmin,
  type FakeAdminOptions,
  keys,
  loseSending,
  typedBy,
} from "./admin.ts";
import { type FlakyRpc, flakyRpc } from "./flakyRpc.ts";
import type { TestWorld } from "./world.ts";

/** Nobody's, with nothing at it. */
export const NOBODY = "0x1111111111111111111111111111111111111111";
const SUCCESSOR = 4;

/** Whose keys the admin has. */
const KEYS = {
  admin: ({ deployer }) => [deployer],
  pauser: ({ pauser }) => [pauser],
  both: ({ deployer, pauser }) => [deployer, pauser],
  successor: ({ users }) => [users[SUCCESSOR]!],
  stranger: ({ users }) => [users[0]!],
} satisfies Record<string, (accounts: TestWorld["accounts"]) => { privateKey: string }[]>;

/** Texts may name addresses by `$NAME`; see `namesOf`. */
export interface Row {
  readonly name: string;
  /** Lines typed before, which must succeed; `wait 7200` lets seconds pass. */
  readonly first?: readonly string[];
  /** Typed after these, with Ctrl-C after the sending, which the node loses. */
  readonly lost?: string;
  /** `<chainId>.desired.json`; an object may leave out what is as it is. */
  readonly desired?: object | string;
  /** Made before, by their names in the admin's folder. */
  readonly files?: Readonly<Record<string, (chain: TestWorld) => Promise<string> | string>>;
  /** After `assay`. Of several the last one's exit code counts, and all that they say. */
  readonly types: string | readonly string[];
  readonly with?: keyof typeof KEYS;
  readonly options?: FakeAdminOptions | (() => FakeAdminOptions);
  /** What the RPC does instead of answering. */
  readonly rpc?: FlakyRpc["decide"];
  /** 0 by default. */
  readonly code?: number;
  readonly says?: readonly (string | RegExp)[];
  readonly saysNot?: readonly string[];
  /** What the history has of it: `allowRoute confirmed`. By default nothing was sent. */
  readonly sends?: readonly string[];
  /** What is different on the chain after it. By default nothing is. */
  readonly becomes?: Partial<State>;
  /** What no other member can say. */
  readonly after?: (admin: FakeAdmin, said: string, rpc: FlakyRpc | null) => Promise<void> | void;
}

export type State = Awaited<ReturnType<typeof stateOf>>;

/** Of the guard, with `$NAME` in the place of addresses. */
async function stateOf(chain: TestWorld, place: GuardPlace, shorten: (text: string) => string) {
  const view = await readGuardView(chain.provider, place);
  const { paused, signer, routes, recipients, holders, scheduled } = view;
  const accounts = (role: "admin" | "operator" | "pauser") => holders[role].map(({ account }) => account);
  const state = {
    paused,
    signer,
    routes: routes.map(({ route, selector }) => `${route} ${selector}`),
    recipients: [...recipients],
    admins: accounts("admin"),
    operators: accounts("operator"),
    pausers: accounts("pauser"),
    scheduled: scheduled.map((operation) => describeOperation(operation, view)),
  };
  const short: typeof state = JSON.parse(shorten(JSON.stringify(state)));
  for (const list of Object.values(short)) if (Array.isArray(list)) list.sort();
  return short;
}

function namesOf({ accounts, deployment, dex, token }: TestWorld): Record<string, string> {
  const { deployer, pauser, attestation, users } = accounts;
  const successor = users[SUCCESSOR]!;
  const proof = ({ address, privateKey }: { address: string; privateKey: string }) =>
    new Wallet(privateKey).signMessageSync(adminText(deployment.chainId, address));
  return {
    PROOF_OF_SUCCESSOR: proof(successor),
    PROOF_OF_ADMIN: proof(deployer),
    ADMIN: deployer.address,
    PAUSER: pauser.address,
    SIGNER: attestation.address,
    SUCCESSOR: successor.address,
    STRANGER: users[0]!.address,
    NOBODY,
    GUARD: deployment.guard,
    EXECUTOR: deployment.executor,
    V2: dex.v2.router,
    V3: dex.v3.router,
    USDL: token("USDL"),
    AAPLX: token("AAPLx"),
  };
}

/** @param rows each becomes a test of its name */
export function adminTable(chain: TestWorld, rows: readonly Row[]): void {
  const adminAt = adminsOf(chain);
  for (const row of rows) it(row.name, () => onSnapshot(chain, () => check(chain, row, adminAt)));
}

/** Whatever happens on the chain meanwhile has not happened after it. */
async function onSnapshot(chain: TestWorld, work: () => Promise<void>): Promise<void> {
  const snapshot = await chain.chain.request("evm_snapshot");
  try {
    await work();
  } finally {
    await chain.chain.request("evm_revert", [snapshot]);
    // The node is told the time of its next block when that differs from the last one it was told.
    chain.clock.advance(1_000);
  }
}

async function check(chain: TestWorld, row: Row, adminAt: ReturnType<typeof adminsOf>): Promise<void> {
  const names = Object.entries(namesOf(chain));
  const full = (text: string) =>
    names.reduce((all, [name, value]) => all.replaceAll(`$${name}`, value), text);
  const short = (text: string) =>
    names.reduce((all, [name, value]) => all.replaceAll(value, `$${name}`), text);
  const accounts = keys(...KEYS[row.with ?? "both"](chain.accounts).map(({ privateKey }) => privateKey));
  const options = typeof row.options === "function" ? row.options() : row.options;
  const admin = await adminAt({ accounts, ...options });
  const place = async (): Promise<GuardPlace> => {
    const path = admin.records.path("json");
    return existsSync(path) ? JSON.parse(await readFile(path, "utf8")) : chain.deployment;
  };
  const dir = (text: string) => full(text).replaceAll("$DIR", admin.path(""));
  const type = async (line: string, as: FakeAdmin) => {
    const [, seconds] = /^wait (\d+)$/.exec(line) ?? [];
    if (seconds === undefined) return await typedBy(as, dir(line));
    chain.clock.advance(Number(seconds) * 1_000);
    await chain.mine();
    return { code: 0, text: "" };
  };
  for (const [name, content] of Object.entries(row.files ?? {})) {
    await mkdir(dirname(admin.path(name)), { recursive: true });
    await writeFile(admin.path(name), await content(chain));
  }
  const boss = await adminAt();
  const prepared = { ...boss, world: { ...boss.world, deploymentsDir: admin.world.deploymentsDir } };
  for (const line of row.first ?? []) {
    const { code, text } = await type(line, prepared);
    expect(code, `${line}\n${text}`).to.equal(0);
  }
  if (row.lost !== undefined) {
    await using forgetful = await flakyRpc(chain.url);
    await loseSending(behind(prepared, forgetful), forgetful, dir(row.lost));
  }
  if (row.desired !== undefined) {
    await mkdir(admin.world.deploymentsDir, { recursive: true });
    const { desired } = row;
    const text = typeof desired === "string" ? desired : JSON.stringify(desired);
    await writeFile(admin.records.path("desired.json"), full(text));
  }
  const before = await stateOf(chain, await place(), short);
  const sentBefore = (await admin.records.readHistory()).length;
  const blockBefore = await chain.provider.getBlockNumber();

  await using gate = row.rpc === undefined ? null : await flakyRpc(chain.url, row.rpc);
  const acting = gate === null ? admin : behind(admin, gate);
  const said: string[] = [];
  let code = 0;
  for (const line of [row.types].flat()) {
    const done = await type(line, acting);
    said.push(done.text);
    code = done.code;
  }
  const text = said.join("\n");
  expect(code, text).to.equal(row.code ?? 0);
  for (const words of row.says ?? [])
    if (typeof words === "string") expect(text).to.contain(dir(words));
    else expect(text).to.match(words);
  for (const words of row.saysNot ?? []) expect(text).to.not.contain(dir(words));
  const sent = (await admin.records.readHistory()).slice(sentBefore);
  expect(sent.map(({ call, outcome }) => `${call.name} ${outcome}`)).to.deep.equal(row.sends ?? []);
  expect(await stateOf(chain, await place(), short)).to.deep.equal({ ...before, ...row.becomes });
  if (row.sends === undefined && row.becomes === undefined && !said.includes(""))
    expect(await chain.provider.getBlockNumber()).to.equal(blockBefore);
  await row.after?.(admin, text, gate);
}
