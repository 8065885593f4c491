/** `assay guard verify-build`: whether the code of a deployed guard, its manager and its executor is the source that lies here; not what their storage holds. */

import { encodeBytes32String, getBytes, hexlify, id, keccak256 } from "ethers";
import { domainSeparator, guardDomain } from "../../attestor/certificate/certificate.ts";
import { executorOf } from "../../attestor/evm/address.ts";
import { addressWord, uintWord } from "../../attestor/evm/words.ts";
import { NoGuard } from "../../chain/chainErrors.ts";
import { readRoles } from "../../chain/guard/roles.ts";
import { upstream } from "../../chain/rpc.ts";
import { type Connection, withConnection } from "../admin/connect.ts";
import { sessionOver } from "../admin/session.ts";
import { ADMIN_OPTIONS, adminWorld, REPOSITORY } from "../admin/world.ts";
import { command, text } from "../command.ts";
import { EXIT, Refused } from "../errors.ts";
import { JSON_OPTION, show } from "../json.ts";
import { address } from "../typed.ts";
import { type Build, type CompiledContract, masked, type Part, readBuild } from "./build.ts";
import { metadataOf } from "./known.ts";

type Found = Awaited<ReturnType<typeof comparisonOf>>;

export const verifyBuild = command({
  summary:
    "Compare the code of a deployed guard, its manager and its executor with what this source compiles to",
  options: {
    ...ADMIN_OPTIONS,
    guard: text("ADDRESS", "the guard's address; by default that of the records", address),
    ...JSON_OPTION,
  },
  notes: ["It reads only. Exit code 1 where anything differs."],
  run: ({ guard: named, json, ...given }, outside) => {
    const world = adminWorld(outside, given);
    return withConnection(world, async (connection) => {
      const { chainId } = connection;
      const guard = named ?? (await sessionOver(connection, world)).place.guard;
      const compiled = await readBuild(REPOSITORY);
      const found = await comparisonOf(connection, compiled, guard);
      if (found.guard.code === "none") throw new Refused(`There is no code at ${guard} on chain ${chainId}.`);
      const matches = [found.guard, found.manager, found.executor].every((part) => part?.matches === true);
      const commit = await world.commit();
      const compiler = compiled.compiler.version;
      const result = { chainId, commit, compiler, ...found, matches };
      show(world, json, result, linesOf(found, commit, compiler, matches));
      return matches ? EXIT.ok : EXIT.failed;
    });
  },
});

/** The code of a guard, its manager and its executor beside what is compiled. @throws UpstreamUnavailable */
export async function comparisonOf({ provider, chainId }: Connection, compiled: Build, guard: string) {
  // Of another contract nothing more can be asked than its code.
  const roles = await readRoles(provider, guard).catch((error: unknown) => {
    if (error instanceof NoGuard) return null;
    throw error;
  });
  const compared = async (part: Part, at: string, values: Values) =>
    compareCode(compiled[part], at, await upstream("code", () => provider.getCode(at)), values);
  return {
    guard: await compared("guard", guard, guardValues(guard, chainId)),
    // null: the guard names none.
    manager: roles && (await compared("manager", roles.manager, {})),
    executor: roles && (await compared("executor", roles.executor, executorValues(guard))),
  };
}

function linesOf(
  { guard, manager, executor }: Found,
  commit: string | null,
  compiler: string,
  matches: boolean,
) {
  return [
    `Source    commit ${commit ?? "not known"}, compiled by solc ${compiler}`,
    `Guard     ${guard.address}`,
    ...partsOf(guard),
    ...(manager === null
      ? ["Manager   the guard names none"]
      : [`Manager   ${manager.address}`, ...partsOf(manager)]),
    ...(executor === null
      ? ["Executor  the guard names none"]
      : [`Executor  ${executor.address}`, ...partsOf(executor)]),
    "",
    matches
      ? "YES: the code of guard, manager and executor is this source. For their storage, such as roles, signer and allowlists, see assay guard status."
      : "NO: this is not the source of what is deployed there.",
  ];
}

const WORDS = { same: "the same", differs: "DIFFERS", none: "none" } as const;

function partsOf({ code, metadata, immutables }: CodeComparison): string[] {
  if (code === "none") return ["    no code"];
  return [
    `    code: ${WORDS[code]}`,
    `    metadata (the text of every source, settings, compiler): ${WORDS[metadata]}`,
    ...immutables.map(({ name, value, expected, matches }) =>
      matches
        ? `    ${name}: ${value}`
        : `    ${name}: ${value ?? "unclear"}, NOT ${expected ?? "known here"}`,
    ),
  ];
}

type Sameness = "same" | "differs" | "none";

export type CodeComparison = ReturnType<typeof compareCode>;

type Values = Readonly<Record<string, string>>;

/** OpenZeppelin's ShortString: the text, and its length in the last byte. */
function shortString(text: string): string {
  const bytes = getBytes(encodeBytes32String(text));
  bytes[31] = text.length;
  return hexlify(bytes);
}

/** What the guard's constructor writes, by name. */
export function guardValues(guard: string, chainId: number): Values {
  return {
    EXECUTOR: addressWord(executorOf(guard)),
    _cachedDomainSeparator: domainSeparator(guardDomain(chainId, guard)),
    _cachedChainId: uintWord(chainId),
    _cachedThis: addressWord(guard),
    _hashedName: id("TradeGuard"),
    _hashedVersion: id("1"),
    _name: shortString("TradeGuard"),
    _version: shortString("1"),
  };
}

export const executorValues = (guard: string): Values => ({ GUARD: addressWord(guard) });

/**
 * `code` is the instructions, immutable values and metadata apart. `metadata` is what the compiler appends: the hash of every
 * source's text and of the settings, and its own version.
 * @param code as the chain has it, 0x; "0x": none
 * @param values what is expected of each immutable value, by its name in the source
 */
export function compareCode(compiled: CompiledContract, address: string, code: string, values: Values) {
  const places = compiled.immutables.flatMap(({ ranges }) => ranges);
  const [ours, theirs] = [split(masked(places, compiled.deployedBytecode)), split(masked(places, code))];
  const immutables = compiled.immutables
    .map(({ name, ranges }) => {
      const found = new Set(ranges.map(({ start, length }) => slice(code.toLowerCase(), start, length)));
      const [first] = [...found];
      // null: there is no such place, or several that do not agree.
      const value = found.size === 1 && first !== undefined && first.length === 64 ? `0x${first}` : null;
      const expected = values[name] ?? null;
      return { name, value, expected, matches: value !== null && value === expected };
    })
    .sort((a, b) => (a.name < b.name ? -1 : 1));
  const sameCode = ours.body === theirs.body;
  const sameMetadata = ours.metadata === theirs.metadata;
  const isThere = code !== "0x";
  const otherCode = isThere ? "differs" : "none";
  const codeSameness: Sameness = sameCode ? "same" : otherCode;
  const otherMetadata = theirs.metadata === "" ? "none" : "differs";
  const metadata: Sameness = sameMetadata ? "same" : otherMetadata;
  return {
    address,
    code: codeSameness,
    metadata,
    // Where the code is another, these places hold other things.
    immutables: sameCode ? immutables : [],
    codeHash: isThere ? keccak256(code) : null,
    matches: sameCode && sameMetadata && immutables.every(({ matches }) => matches),
  };
}

const slice = (hex: string, start: number, length: number) =>
  hex.slice(2 + start * 2, 2 + (start + length) * 2);

function split(hex: string): { readonly body: string; readonly metadata: string } {
  const metadata = metadataOf(hex) ?? "";
  return { body: hex.slice(0, hex.length - metadata.length), metadata };
}
