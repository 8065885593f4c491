/** Processes that log until they are killed, and whether the log that they leave behind is whole. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { bytesToHex } from "@noble/hashes/utils.js";
import { expect } from "chai";
import { tileFault, tilesOf } from "../../api/log/audit.ts";
import { findLogTree, type Logged, readEntries } from "../../api/log/entries.ts";
import { FAST_HASHER } from "../../api/log/hasher.ts";
import { developmentLogSigner } from "../../api/log/key.ts";
import { createTreeReader } from "../../api/log/tiles.ts";
import { openCheckpoint } from "../../attestor/log/checkpoint.ts";
import { entryOf, entryText } from "../../attestor/log/entry.ts";
import { rootAt } from "../../attestor/log/proving.ts";
import type { Database } from "../../database/open.ts";
import { openLog, TEST_ORIGIN } from "./log.ts";

/** What loggers said. */
export type Said = { readonly stored: Logged[]; readonly checkpoints: string[] };

export const saidByAll = (loggers: readonly { readonly said: Said }[]): Said => ({
  stored: loggers.flatMap(({ said }) => said.stored),
  checkpoints: loggers.flatMap(({ said }) => said.checkpoints),
});

/** @param end a part of a statement, after which it kills itself */
export function startLogger(url: string, words: string, end?: string) {
  const args = ["test/support/keep-logging.ts", url, words, ...(end === undefined ? [] : [end])];
  const child = spawn(process.execPath, args, {
    cwd: new URL("../..", import.meta.url),
    stdio: ["ignore", "pipe", "inherit"],
  });
  const said: Said = { stored: [], checkpoints: [] };
  let rest = "";
  child.stdout.on("data", (data) => {
    const lines = (rest + data).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines.map((each) => JSON.parse(each))) {
      if (line.stored) said.stored.push(line.stored);
      else said.checkpoints.push(line.checkpoint);
    }
  });
  return {
    child: child as ChildProcess,
    said,
    /** Until it has said so many checkpoints more. */
    async proved(more: number) {
      for (const wanted = said.checkpoints.length + more; said.checkpoints.length < wanted; ) {
        if (child.exitCode !== null || child.signalCode !== null) throw new Error("the logger is gone");
        await sleep(10);
      }
    },
    /** Until it is gone. */
    ended: once(child, "close"),
  };
}

/**
 * Places and signs what waits. Then every stored entry is in the tree once, every hash is right, and every checkpoint
 * that was ever signed is of this tree.
 */
export async function expectWhole(db: Database, words: string, { stored, checkpoints }: Said): Promise<void> {
  const log = openLog(db, words);
  for (const each of stored) await log.signed(each);
  await log.stop();
  const tree = (await findLogTree(db))!;
  expect(tree).to.include({ refused: null, signed_size: tree.size });
  const entries = await readEntries(db, 0, tree.size);
  expect(entries.length, "a place each").to.equal(tree.size);
  expect(new Set(entries).size, "none twice").to.equal(tree.size);
  for (const each of stored) expect(entries).to.include(entryText(entryOf(each, each.log!.salt)));
  for (let index = 0; index < tilesOf(tree.size); index++)
    expect(await tileFault(db, tree.size, index)).to.equal(null);
  const nodes = createTreeReader(db).nodes(tree.size);
  const logs = [developmentLogSigner().keyOf(TEST_ORIGIN)];
  for (const { size, root } of checkpoints.map((note) => openCheckpoint(note, { logs })))
    expect(bytesToHex(await rootAt(size, nodes, FAST_HASHER))).to.equal(bytesToHex(root));
}
