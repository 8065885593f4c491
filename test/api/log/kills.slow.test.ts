/** Processes that die at any step, and a database that goes away: on both engines nothing is lost, doubled or contradicted. */
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "chai";
import { parseTlogProof } from "../../../attestor/log/tlogProof.ts";
import { isDatabaseUnavailable } from "../../../database/errors.ts";
import { openDatabase } from "../../../database/open.ts";
import { forEachEngine } from "../../support/database.ts";
import { expectWhole, type Said, saidByAll, startLogger } from "../../support/killedLog.ts";
import { addEntry, judgement, openLog, wordsFolder } from "../../support/log.ts";
import { postgresServer } from "../../support/postgres.ts";
import { until } from "../../support/until.ts";

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
    while (said.checkpoints.length < before + 40) await sleep(5);
    isOver = true;
    await loggers;
    await log.stop();
    await expectWhole(db, words, said);
  });
});
