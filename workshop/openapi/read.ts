/** An OpenAPI document from wherever it is: a file, a running service, or a commit of this repository. */
import { spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const ROOT = join(import.meta.dirname, "../..");
/** Made by the build and not kept by git; no part of the document hangs on them. */
const MADE = ["types", "artifacts"];

/**
 * @param source a JSON file, an http URL of the document, or a commit
 * @throws Error in words for people
 */
export async function readOpenApi(source: string): Promise<unknown> {
  return JSON.parse(await textOf(source));
}

async function textOf(source: string): Promise<string> {
  if (existsSync(source)) return readFileSync(source, "utf8");
  if (!/^https?:\/\//.test(source)) return ofCommit(source);
  const answer = await fetch(source);
  if (!answer.ok) throw new Error(`${source} answered ${answer.status}`);
  return answer.text();
}

/** By that commit's code with the packages that are installed here. */
function ofCommit(commit: string): string {
  const folder = mkdtempSync(join(tmpdir(), "assay-openapi-"));
  try {
    const files = run("git", ["archive", commit], ROOT, `${commit} is neither a file, a URL nor a commit`);
    run("tar", ["-x", "-C", folder], folder, "the commit could not be unpacked", files);
    symlinkSync(join(ROOT, "node_modules"), join(folder, "node_modules"));
    for (const name of MADE)
      if (existsSync(join(ROOT, name))) symlinkSync(join(ROOT, name), join(folder, name));
    mkdirSync(join(folder, "workshop/openapi"), { recursive: true });
    cpSync(join(import.meta.dirname, "print.ts"), join(folder, "workshop/openapi/print.ts"));
    const printed = run(
      process.execPath,
      ["workshop/openapi/print.ts"],
      folder,
      `${commit} does not serve it`,
    );
    return printed.toString();
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function run(command: string, args: readonly string[], cwd: string, fault: string, input?: Buffer): Buffer {
  const { status, stdout, stderr } = spawnSync(command, args, {
    cwd,
    maxBuffer: 512 * 1024 * 1024,
    ...(input === undefined ? {} : { input }),
  });
  if (status !== 0) throw new Error(`${fault}:\n${stderr}`);
  return stdout;
}
