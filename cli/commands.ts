/** What `assay <command>` does. Each command is a function in a file of its own. */
import { readFileSync } from "node:fs";
import { type Command, UsageError, type World } from "./console.ts";
import HELP from "./help/commands.json" with { type: "json" };
import { VERIFY_HELP } from "./help/verifyHelp.ts";

const database = async () => (await import("./database.ts")).databaseUrlOf;
const overDatabase = async (run: OverDatabase): Promise<Command> => {
  const urlOf = await database();
  return (args, world) => run(args, world, { databaseUrl: urlOf(), now: Date.now });
};
type OverDatabase = (
  ...call: [...Parameters<Command>, { readonly databaseUrl: string; now(): number }]
) => Promise<number>;
const settings = async () => (await import("../api/settings/environment.ts")).environment();

/** Loaded when asked for: verifying a report needs no more than the attestor. */
const COMMANDS = {
  verify: async () => {
    const { verifyCommand } = await import("./verify/verifyCommand.ts");
    return (args, world) => verifyCommand(args, world);
  },
  keystore: async () => {
    const { keystoreCommand } = await import("./keystore/keystoreCommand.ts");
    return (args, world) => keystoreCommand(args, world, Date.now);
  },
  backup: async () => overDatabase((await import("./backup/backupCommand.ts")).backupCommand),
  migrations: async () => overDatabase((await import("./migrations/migrationsCommand.ts")).migrationsCommand),
  "check-live": async () => {
    const { checkLiveCommand } = await import("./live/checkLiveCommand.ts");
    const { tryFolder } = await import("./live/folders.ts");
    const monotonic = () => performance.now();
    const outside = { now: Date.now, monotonic, fetch, tryFolder, env: await settings() };
    return (args, world) => checkLiveCommand(args, world, { ...outside, exists: world.exists });
  },
  retention: async () => {
    const { retentionCommand } = await import("./retention/retentionCommand.ts");
    const deps = { env: await settings(), now: Date.now };
    return (args, world) => retentionCommand(args, world, deps);
  },
  log: async () => {
    const { logCommand } = await import("./log/logCommand.ts");
    const outside = { fetch, databaseUrl: await database(), now: Date.now };
    return (args, world) => logCommand(args, world, outside);
  },
  mcp: async () => {
    const { mcpCommand } = await import("./mcp/mcpCommand.ts");
    return (args, world) => mcpCommand(args, world);
  },
} satisfies Readonly<Record<string, () => Promise<Command>>>;

type Name = keyof typeof COMMANDS;

/** @param name none: of all commands */
const helpOf = (name: Name | null): string =>
  name === "verify" ? VERIFY_HELP : HELP[name ?? "assay"].join("\n");

/** @param typed command and arguments @returns the exit code */
export async function assay([name, ...args]: string[], world: World): Promise<number> {
  if (name === "--version" || name === "-v") {
    world.out(JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8")).version);
    return 0;
  }
  const wantsHelp = name === "help" || name === "--help" || name === "-h";
  const named = (wantsHelp ? args[0] : name) ?? "";
  const known = Object.hasOwn(COMMANDS, named) ? (named as Name) : null;
  if (wantsHelp || args.includes("--help") || args.includes("-h")) {
    world.out(helpOf(known));
    return 0;
  }
  if (known === null)
    return misused(world, name === undefined ? null : "there is no such command", helpOf(null));
  const run: Command = await COMMANDS[known]();
  try {
    return await run(args, world);
  } catch (error) {
    if (error instanceof UsageError) return misused(world, error.message, helpOf(known));
    throw error;
  }
}

function misused(world: World, message: string | null, help: string): number {
  if (message !== null) world.err(`assay: ${message}\n`);
  world.err(help);
  return 2;
}
