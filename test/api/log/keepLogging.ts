/**
 * A process that logs judgements until it is killed: by others, or by itself as soon as a statement ran that contains the
 * third argument. Says what it has stored, and then with which checkpoint it was proved.
 */
import { parseTlogProof } from "../../../attestor/log/tlogProof.ts";
import { openDatabase } from "../../../database/open.ts";
import { addEntry, judgement, openLog } from "../../support/log.ts";

const [url = "", folder = "", end] = process.argv.slice(2);
/** Statements of the first entry are those of a log that begins; later ones are the rule. */
const FIRST = 3;
let stored = 0;
const db = openDatabase(url, {
  onQuery({ sql }) {
    if (end !== undefined && stored >= FIRST && sql.includes(end)) process.kill(process.pid, "SIGKILL");
  },
});
const log = openLog(db, folder, { holder: String(process.pid) });
const say = (what: object) => process.stdout.write(`${JSON.stringify(what)}\n`);
for (;;) {
  const made = judgement();
  await db.transaction().execute((trx) => addEntry(trx, made));
  stored++;
  say({ stored: made });
  const { checkpoint } = parseTlogProof(await log.signed(made));
  say({ proved: made, checkpoint });
}
