/** `assay guard verify-build`: whether the code of a deployed guard, its manager and its executor is the source that lies here; not what their storage holds. */
import { NoGuard } from "../../chain/chainErrors.ts";
import { readRoles } from "../../chain/guard/roles.ts";
import { upstream } from "../../chain/rpc.ts";
import { command, flag, text } from "../command.ts";
import { type Build, readBuild } from "../deploy/build.ts";
import { type CodeComparison, compareCode, executorValues, guardValues } from "../deploy/compareCode.ts";
import { CommandError, EXIT } from "../errors.ts";
import { jsonText } from "../json.ts";
import { type Connection, withConnection } from "../networks/connect.ts";
import { ADMIN_OPTIONS, type AdminWorld, adminWorld, REPOSITORY } from "../networks/context.ts";
import { addressFrom, sessionOver } from "../session/session.ts";

type Found = Awaited<ReturnType<typeof comparisonOf>>;

export const verifyBuild = command({
  summary:
    "Compare the code of a deployed guard, its manager and its executor with what this source compiles to",
  options: {
    ...ADMIN_OPTIONS,
    guard: text("ADDRESS", "the guard's address; by default that of the records"),
    json: flag("print one JSON object"),
  },
  notes: ["It reads only. Exit code 1 where anything differs."],
  run: (given, world) => compare(adminWorld(world, given), given, () => readBuild(REPOSITORY)),
});

/** @param compile the source here, compiled @returns the exit code */
export async function compare(
  world: AdminWorld,
  given: { readonly guard?: string | undefined; readonly json: boolean },
  compile: () => Promise<Build>,
): Promise<number> {
  const named = given.guard === undefined ? null : addressFrom(given.guard, "--guard");
  return await withConnection(world, async (connection) => {
    const guard = named ?? (await sessionOver(connection, world)).place.guard;
    const code = await upstream("code", () => connection.provider.getCode(guard));
    if (code === "0x")
      throw new CommandError("no_guard", `There is no code at ${guard} on chain ${connection.chainId}.`);
    const compiled = await compile();
    const found = await comparisonOf(connection, compiled, guard, code);
    const matches = [found.guard, found.manager, found.executor].every((part) => part?.matches === true);
    const commit = await world.commit();
    const { chainId } = connection;
    const said = { chainId, commit, compiler: compiled.compiler.version, ...found, matches };
    if (given.json) world.out(jsonText(said));
    else for (const line of linesOf(found, commit, compiled, matches)) world.out(line);
    return matches ? EXIT.ok : EXIT.failed;
  });
}

async function comparisonOf({ provider, chainId }: Connection, compiled: Build, guard: string, code: string) {
  // Of another contract nothing more can be asked than its code.
  const roles = await readRoles(provider, guard).catch((error: unknown) => {
    if (error instanceof NoGuard) return null;
    throw error;
  });
  const partOf = async (part: "manager" | "executor", values: Parameters<typeof compareCode>[3]) => {
    if (roles === null) return null;
    const there = await upstream("code", () => provider.getCode(roles[part]));
    return compareCode(compiled[part], roles[part], there, values);
  };
  return {
    guard: compareCode(compiled.guard, guard, code, guardValues(guard, chainId)),
    // null: the guard names none.
    manager: await partOf("manager", {}),
    executor: await partOf("executor", executorValues(guard)),
  };
}

function linesOf(
  { guard, manager, executor }: Found,
  commit: string | null,
  compiled: Build,
  matches: boolean,
) {
  return [
    `Source    commit ${commit ?? "not known"}, compiled by solc ${compiled.compiler.version}`,
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
