/**
 * The guards that this installation knows by itself: those that its admins deployed, and the one of the local world.
 * They are looked for beside the program, never in the working directory: a folder that came with a report could hold
 * anything.
 */
import { readdir, readFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { z } from "zod";
import type { Environment } from "../../api/settings/environment.ts";
import { parseVkey } from "../../attestor/log/note.ts";
import { Vkey } from "../../attestor/log/vkey.ts";
import { Registry } from "../../attestor/registry.ts";
import { orElse } from "../../attestor/values/orElse.ts";
import { Address, Bytes32 } from "../../attestor/values/primitives.ts";
import type { KnownGuard, KnownKey } from "../../attestor/verify/trust.ts";
import { Deployment } from "../../chain/deployment.ts";

/** The local world's chain, the only one that DATA_DIR is asked about. */
const LOCAL_CHAIN = 31_337;

/** What matters here of `deployments/<chainId>.json`, which `deploy` writes. */
const DeploymentRecord = z.looseObject({
  chainId: z.int().min(1),
  guard: Address,
  codeHash: z.looseObject({ guard: Bytes32 }),
  roles: z.looseObject({ signer: Address }),
  deployedAtBlock: z.int().min(0),
  logKeys: z.array(Vkey).optional(),
});

/** What matters here of `deployments/<chainId>.market.json`, which the service's file is made of. */
const Market = z.looseObject({ registry: Registry });

/** What matters here of a line of `deployments/<chainId>.history.jsonl`, which every command that sends writes. */
const HistoryLine = z.looseObject({
  at: z.iso.datetime(),
  guard: Address,
  events: z.array(z.looseObject({ name: z.string(), args: z.record(z.string(), z.unknown()) })),
});
const Rotation = z.looseObject({ previousSigner: Address, newSigner: Address });

export interface Installation {
  /** Where `deployments` lies. */
  readonly deployments: string;
  /** The local world's data. */
  readonly dataDir: string;
}

/** Beside this program. DATA_DIR, where the user has set it, says where the local world's data lie. */
export function installation(env: Environment): Installation {
  const root = join(import.meta.dirname, "../..");
  return {
    deployments: join(root, "deployments"),
    dataDir: env.DATA_DIR ? resolve(env.DATA_DIR) : join(root, "data"),
  };
}

/** What cannot be read is not known: trust needs a record that says something. */
export async function knownGuards({ deployments, dataDir }: Installation): Promise<KnownGuard[]> {
  const names = await readdir(deployments).catch(() => []);
  const chainIds = names.flatMap((name) => /^([1-9][0-9]{0,15})\.json$/.exec(name)?.[1] ?? []);
  const deployed = await Promise.all(chainIds.map((chainId) => deployedGuard(deployments, Number(chainId))));
  return [...deployed, await localGuard(deployments, dataDir)].filter((known) => known !== null);
}

async function deployedGuard(folder: string, chainId: number): Promise<KnownGuard | null> {
  const record = await readAs(join(folder, `${chainId}.json`), DeploymentRecord);
  if (record?.chainId !== chainId) return null;
  const { guard, codeHash, roles, deployedAtBlock, logKeys } = record;
  const market = await readAs(join(folder, `${chainId}.market.json`), Market);
  return {
    chainId,
    address: guard,
    record: `deployments/${chainId}.json`,
    keys: await keysOf(folder, chainId, guard, roles.signer),
    codeHash: codeHash.guard,
    deployedAtBlock,
    ...(market === null ? {} : { registry: market.registry }),
    ...(logKeys === undefined ? {} : { logKeys: logKeys.map(parseVkey) }),
  };
}

async function localGuard(folder: string, dataDir: string): Promise<KnownGuard | null> {
  const deployment = await readAs(join(dataDir, "chain", "deployment.json"), Deployment);
  if (deployment?.chainId !== LOCAL_CHAIN) return null;
  const { guard, signer, registry, deployedAtBlock, logKeys } = deployment;
  return {
    chainId: LOCAL_CHAIN,
    address: guard,
    record: "the local world's chain/deployment.json",
    keys: signer === undefined ? [] : await keysOf(folder, LOCAL_CHAIN, guard, signer),
    registry,
    deployedAtBlock,
    ...(logKeys === undefined ? {} : { logKeys: logKeys.map(parseVkey) }),
  };
}

/** The guard's keys by the history of its commands, oldest first; none where the history cannot be read. */
async function keysOf(folder: string, chainId: number, guard: string, first: string): Promise<KnownKey[]> {
  let text: string;
  try {
    text = await readFile(join(folder, `${chainId}.history.jsonl`), "utf8");
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "ENOENT" ? [{ address: first, endedAt: null }] : [];
  }
  const rotations = () =>
    text
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => HistoryLine.parse(JSON.parse(line)))
      .filter((line) => line.guard === guard)
      .flatMap(({ at, events }) =>
        events
          .filter(({ name }) => name === "SignerRotated")
          .map(({ args }) => ({ ...Rotation.parse(args), at: Math.floor(Date.parse(at) / 1000) })),
      );
  // Half a history could call a key present that is not.
  return orElse(() => rotations().reduce(rotated, [{ address: first, endedAt: null }]), []);
}

function rotated(
  keys: KnownKey[],
  { previousSigner, newSigner, at }: z.infer<typeof Rotation> & { at: number },
): KnownKey[] {
  // Named by the deployment itself, or named again: no key ends.
  if (previousSigner === newSigner || keys.at(-1)?.address === newSigner) return keys;
  return [
    ...keys.map((key) => ({ ...key, endedAt: key.endedAt ?? at })),
    { address: newSigner, endedAt: null },
  ];
}

const readAs = <T>(path: string, schema: z.ZodType<T>): Promise<T | null> =>
  readFile(path, "utf8")
    .then((text) => schema.parse(JSON.parse(text)))
    .catch(() => null);
