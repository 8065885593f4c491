/**
 * Compiles the contracts and makes their TypeScript types, when something changed since the last time.
 * Asking Hardhat would do, too, but takes over a second at each start, and two at once get in each other's way.
 */
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, globSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

const ROOT = join(import.meta.dirname, "..");
const STAMP = join(ROOT, "cache/build.sha256");
const LOCK = join(ROOT, "cache/build.lock");
/** Results without which a stamp means nothing. */
const RESULTS = ["artifacts/contracts", "types/contracts/factories"].map((path) => join(ROOT, path));

/** A build takes some ten seconds; a lock that is much older was left by one that was killed. */
const STALE_LOCK_MS = 120_000;

function fingerprint(): string {
  const hash = createHash("sha256");
  const sources = globSync(
    ["contracts/**/*.sol", "chain/contracts/**/*.sol", "devnet/contracts/**/*.sol", "test/**/*.sol"],
    {
      cwd: ROOT,
    },
  );
  for (const path of [...sources.sort(), "hardhat.config.ts", "package-lock.json"])
    hash
      .update(path)
      .update("\0")
      .update(readFileSync(join(ROOT, path)))
      .update("\0");
  return hash.digest("hex");
}

function isBuilt(wanted: string): boolean {
  return (
    existsSync(STAMP) && readFileSync(STAMP, "utf8") === wanted && RESULTS.every((path) => existsSync(path))
  );
}

async function withLock(work: () => void): Promise<void> {
  mkdirSync(join(ROOT, "cache"), { recursive: true });
  for (;;) {
    try {
      mkdirSync(LOCK);
      break;
    } catch {
      if (Date.now() - (statSync(LOCK, { throwIfNoEntry: false })?.mtimeMs ?? 0) > STALE_LOCK_MS)
        rmSync(LOCK, { recursive: true, force: true });
      await sleep(200);
    }
  }
  try {
    work();
  } finally {
    rmSync(LOCK, { recursive: true, force: true });
  }
}

const wanted = fingerprint();
if (!isBuilt(wanted))
  await withLock(() => {
    // Another start may have built it meanwhile.
    if (isBuilt(wanted)) return;
    console.error("Compiling the contracts…");
    // Solidity tests are many times the work, and nobody but `hardhat test`, which compiles them, needs them.
    const { status, stderr } = spawnSync(
      join(ROOT, "node_modules/.bin/hardhat"),
      ["build", "--no-tests", "--quiet"],
      { cwd: ROOT, stdio: ["ignore", "ignore", "pipe"], encoding: "utf8" },
    );
    if (status === 0) return writeFileSync(STAMP, wanted);
    // Warnings are the linter's and the reviewer's business; whoever starts the service has no use for them.
    process.stderr.write(stderr);
    process.exitCode = status ?? 1;
  });
