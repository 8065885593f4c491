/** What `assay <command>` does. Each command is a function in a file of its own. */
import { readFileSync } from "node:fs";
import { type Command, UsageError, type World } from "./console.ts";

const HELP = `assay verify <report.json | ->      check a saved report
assay verify --tx 0x…                check the trades of a transaction
assay verify --receipt <file>        check a signed receipt of a purchase
assay price <file | hex>             what a signed update of Pyth or Chainlink says
assay keystore create|import <file>  make the encrypted keystore of an attestation key
assay keystore prove <file>          prove that you hold its key, for guard rotate-signer
assay keystore show --pkcs11|--kms … the address of a key in a token or in AWS KMS
assay backup create|restore <file>   the whole database into a file, and back
assay log check <url>                follow a decision log; also log find, log prove, log supersede
assay witness --name N --state FILE  cosign the checkpoints of decision logs
assay migrations                     what the database is like, and the way back to a release
assay check-live                     everything that a live service will need
assay retention --plan               which jobs and payments are old enough to be deleted
assay raw <rawHash>                  the answer behind a fact of evidence
assay mcp [--url URL]                the MCP tools over standard input and output
assay help [command]                 this, or more about a command
assay --version`;

interface Entry {
  readonly help: string;
  readonly run: Command;
}

/** Loaded when asked for: verifying a report needs no more than the attestor. */
const COMMANDS: Readonly<Record<string, () => Promise<Entry>>> = {
  verify: async () => {
    const { VERIFY_HELP: help, verifyCommand } = await import("./verify/verifyCommand.ts");
    return { help, run: (args, world) => verifyCommand(args, world) };
  },
  price: async () => {
    const { PRICE_HELP: help, priceCommand } = await import("./price/priceCommand.ts");
    return { help, run: priceCommand };
  },
  keystore: async () => {
    const { KEYSTORE_HELP: help, keystoreCommand } = await import("./keystore/keystoreCommand.ts");
    return { help, run: (args, world) => keystoreCommand(args, world, Date.now) };
  },
  backup: async () => {
    const { BACKUP_HELP: help, backupCommand } = await import("./backup/backupCommand.ts");
    const { databaseUrlOf } = await import("./database.ts");
    const deps = () => ({ databaseUrl: databaseUrlOf(), now: Date.now });
    return { help, run: (args, world) => backupCommand(args, world, deps()) };
  },
  migrations: async () => {
    const { MIGRATIONS_HELP: help, migrationsCommand } = await import("./migrations/migrationsCommand.ts");
    const { databaseUrlOf } = await import("./database.ts");
    return { help, run: (args, world) => migrationsCommand(args, world, { databaseUrl: databaseUrlOf() }) };
  },
  "check-live": async () => {
    const { CHECK_LIVE_HELP: help, checkLiveCommand } = await import("./live/checkLiveCommand.ts");
    const { tryFolder } = await import("./live/folders.ts");
    const { environment } = await import("../api/settings/environment.ts");
    const monotonic = () => performance.now();
    const outside = { now: Date.now, monotonic, fetch, tryFolder, env: environment() };
    return {
      help,
      run: (args, world) => checkLiveCommand(args, world, { ...outside, exists: world.exists }),
    };
  },
  retention: async () => {
    const { RETENTION_HELP: help, retentionCommand } = await import("./retention/retentionCommand.ts");
    const { environment } = await import("../api/settings/environment.ts");
    const deps = { env: environment(), now: Date.now };
    return { help, run: (args, world) => retentionCommand(args, world, deps) };
  },
  log: async () => {
    const { LOG_HELP: help, logCommand } = await import("./log/logCommand.ts");
    const { databaseUrlOf } = await import("./database.ts");
    const outside = { fetch, databaseUrl: databaseUrlOf, now: Date.now };
    return { help, run: (args, world) => logCommand(args, world, outside) };
  },
  witness: async () => {
    const { WITNESS_HELP: help, witnessCommand } = await import("./witness/witnessCommand.ts");
    return { help, run: (args, world) => witnessCommand(args, world, Date.now) };
  },
  raw: async () => {
    const { RAW_HELP: help, rawCommand } = await import("./raw/rawCommand.ts");
    const { databaseUrlOf } = await import("./database.ts");
    return { help, run: (args, world) => rawCommand(args, world, { databaseUrl: databaseUrlOf() }) };
  },
  mcp: async () => {
    const { MCP_HELP: help, mcpCommand } = await import("./mcp/mcpCommand.ts");
    return { help, run: (args, world) => mcpCommand(args, world) };
  },
};

/** @param typed command and arguments @returns the exit code */
export async function assay([name, ...args]: string[], world: World): Promise<number> {
  if (name === "--version" || name === "-v") {
    world.out(JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8")).version);
    return 0;
  }
  const wantsHelp = name === "help" || name === "--help" || name === "-h";
  const named = (wantsHelp ? args[0] : name) ?? "";
  const entry = Object.hasOwn(COMMANDS, named) ? await COMMANDS[named]?.() : undefined;
  if (wantsHelp || args.includes("--help") || args.includes("-h")) {
    world.out(entry?.help ?? HELP);
    return 0;
  }
  if (entry === undefined)
    return misused(world, name === undefined ? null : "there is no such command", HELP);
  try {
    return await entry.run(args, world);
  } catch (error) {
    if (error instanceof UsageError) return misused(world, error.message, entry.help);
    throw error;
  }
}

function misused(world: World, message: string | null, help: string): number {
  if (message !== null) world.err(`assay: ${message}\n`);
  world.err(help);
  return 2;
}
