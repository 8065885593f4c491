/**
 * The local world as a second `npm start` finds it: its 90 days of history are filled in. Within `npm test` that is made
 * once and copied, since it takes longer than all else at a start.
 */
import { cpSync, existsSync, mkdirSync, renameSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { withLock } from "../../build/buildOnce.ts";
import { type Program, start } from "./programs.ts";

/** What `npm test` deletes when it ends: a history that was made for another run would end too long ago. */
const OF_ONE_RUN = /^assay-test-/;

/**
 * @param dataDir an empty folder of the test's own
 * @param args of `npm start`, such as `--paid`
 * @returns the program, ready
 */
export async function startFilled(dataDir: string, args: readonly string[] = []): Promise<Program> {
  if (OF_ONE_RUN.test(basename(tmpdir()))) cpSync(await filledFolder(), dataDir, { recursive: true });
  return ready(dataDir, args);
}

async function filledFolder(): Promise<string> {
  const folder = join(tmpdir(), "filled-world");
  await withLock(`${folder}.lock`, async () => {
    if (existsSync(folder)) return;
    const draft = `${folder}-draft`;
    // Of a process that did not come to its end.
    rmSync(draft, { recursive: true, force: true });
    mkdirSync(draft, { mode: 0o700 });
    const program = await ready(draft, []);
    program.kill("SIGTERM");
    await program.ended;
    renameSync(draft, folder);
  });
  return folder;
}

async function ready(dataDir: string, args: readonly string[]): Promise<Program> {
  const program = start("devnet/start.ts", args, { DATA_DIR: dataDir, PORT: "0", RPC_PORT: "0" });
  await program.printed("Ready after");
  return program;
}
