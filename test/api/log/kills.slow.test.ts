/** Processes that die at any step, and a database that goes away: on both engines nothing is lost, doubled or contradicted. */

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { bytesToHex } from "@noble/hashes/utils.js";
import { expect } from "chai";
import { tileFault, tilesOf } from "../../../api/log/audit.ts";
import { findLogTree, type Logged, readEntries } from "../../../api/log/entries.ts";
import { FAST_HASHER } from "../../../api/log/hasher.ts";
import { developmentLogSigner } from "../../../api/log/key.ts";
import { createTreeReader } from "../../../api/log/tiles.ts";
import { openCheckpoint } from "../../../attestor/log/checkpoint.ts";
import { entryOf, entryText } from "../../../attestor/log/entry.ts";
import { rootAt } from "../../../attestor/log/proving.ts";
import { parseTlogProof } from "../../../attestor/log/tlogProof.ts";
import { isDatabaseUnavailable } from "../../../database/errors.ts";
import { type Database, openDatabase } from "../../../database/open.ts";
import { forEachEngine } from "../../support/database.ts";
import { addEntry, judgement, openLog, TEST_ORIGIN, wordsFolder } from "../../support/log.ts";
import { postgresServer } from "../../support/postgres.ts";
import { until } from "../../support/until.ts";

/** What loggers said. */
type Said = { readonly stored: Logged[]; readonly checkpoints: string[] };

const saidByAll = (loggers: readonly { readonly said: Said }[]): Said => ({
  stored: loggers.flatMap(({ said }) => said.stored),
  checkpoints: loggers.flatMap(({ said }) => said.checkpoints),
});

/** @param end a part of a statement, after which it kills itself */
function startLogger(url: string, words: string, end?: string) {
  const args = ["test/api/log/keepLogging.ts", url, words, ...(end === undefined ? [] : [end])];
  const child = spawn(process.execPath, args, {
    cwd: new URL("../../..", import.meta.url),
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
      const wanted = said.checkpoints.length + more;
      await until(`${more} checkpoints more`, () => {
        if (child.exitCode !== null || child.signalCode !== null) throw new Error("the logger is gone");
        return said.checkpoints.length >= wanted;
      });
    },
    /** Until it is gone. */
    ended: once(child, "close"),
  };
}

/**
 * Places and signs what waits. Then every stored entry is in the tree once, every hash is right, and every checkpoint
 * that was ever signed is of this tree.
 */
async function expectWhole(db: Database, words: string, { stored, checkpoints }: Said): Promise<void> {
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

/** After which a process dies. */
const STEPS = {
  "its entry is stored": 'insert into "log_waiting"',
  "entries are placed": 'insert into "log_entries"',
  "hashes are stored": 'insert into "log_nodes"',
  "nothing waits any more": 'delete from "log_waiting"',
  "the tree has grown": 'update "log_tree" set "size"',
  "it may sign for longer": 'update "leases"',
  "the checkpoint is seen": 'update "log_tree" set "checkpoint"',
};

describe("the decision log under kills", () => {
  const folder = wordsFolder();

  forEachEngine((engine) => {
    it("the decision log under kills is whole after a kill at each step of an entry's way", async () => {
      const words = join(folder, `steps-${engine.name}`);
      const url = await engine.createUrl();
      await using db = openDatabase(url);
      const all: { said: Said }[] = [];
      for (const [step, statement] of Object.entries(STEPS)) {
        const logger = startLogger(url, words, statement);
        await logger.ended;
        expect(logger.child.signalCode, step).to.equal("SIGKILL");
        all.push(logger);
        // Its lease would keep the next one waiting for four seconds.
        await db.deleteFrom("leases").execute();
      }
      await expectWhole(db, words, saidByAll(all));
    });

    it("the decision log under kills is whole after one of two processes was killed, and the other goes on", async () => {
      const words = join(folder, `two-${engine.name}`);
      const url = await engine.createUrl();
      await using db = openDatabase(url);
      const both = [startLogger(url, words), startLogger(url, words)] as const;
      await Promise.all(both.map(({ proved }) => proved(5)));
      // The one that signs: the other has to take over.
      const { holder } = await db.selectFrom("leases").select("holder").executeTakeFirstOrThrow();
      const [dies, stays] = both[0].child.pid === Number(holder) ? both : [both[1], both[0]];
      dies.child.kill("SIGKILL");
      await dies.ended;
      await stays.proved(5);
      stays.child.kill("SIGKILL");
      await stays.ended;
      await db.deleteFrom("leases").execute();
      await expectWhole(db, words, saidByAll(both));
    });
  });

  it("the decision log is whole after the process that signs was frozen, another signed on, and both went on", async () => {
    const words = join(folder, "frozen");
    const url = await (await postgresServer()).createDatabase();
    await using db = openDatabase(url);
    const both = [startLogger(url, words), startLogger(url, words)] as const;
    await Promise.all(both.map(({ proved }) => proved(5)));
    for (let freeze = 0; freeze < 2; freeze++) {
      const { holder } = await db.selectFrom("leases").select("holder").executeTakeFirstOrThrow();
      const [freezes, stays] = both[0].child.pid === Number(holder) ? both : [both[1], both[0]];
      freezes.child.kill("SIGSTOP");
      await stays.proved(20);
      freezes.child.kill("SIGCONT");
      await Promise.all([freezes.proved(5), stays.proved(5)]);
    }
    for (const { child, ended } of both) {
      child.kill("SIGKILL");
      await ended;
    }
    await db.deleteFrom("leases").execute();
    await expectWhole(db, words, saidByAll(both));
  });

  it("the decision log under kills is whole after PostgreSQL was restarted under load", async () => {
    const words = join(folder, "restarted");
    const server = await postgresServer();
    await using db = openDatabase(await server.createDatabase());
    const log = openLog(db, words);
    const said: Said = { stored: [], checkpoints: [] };
    let isOver = false;
    const one = async () => {
      while (!isOver) {
        const made = judgement();
        try {
          await db.transaction().execute((trx) => addEntry(trx, made));
          said.stored.push(made);
          said.checkpoints.push(parseTlogProof(await log.signed(made)).checkpoint);
        } catch (error) {
          if (!isDatabaseUnavailable(error)) throw error;
          await sleep(20);
        }
      }
    };
    const loggers = Promise.all(Array.from({ length: 8 }, one));
    for (let restart = 0; restart < 2; restart++) {
      const before = said.checkpoints.length;
      await until("40 checkpoints", () => said.checkpoints.length >= before + 40);
      await server.stop();
      await server.start();
    }
    const before = said.checkpoints.length;
    await until("40 checkpoints more", () => said.checkpoints.length >= before + 40);
    isOver = true;
    await loggers;
    await log.stop();
    await expectWhole(db, words, said);
  });
});
