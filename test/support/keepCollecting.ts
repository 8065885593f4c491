/**
 * A process that works on a market until it kills itself: right after the n-th statement that contains a text ran, or once
 * its work is done and nobody was told. Says which rounds are stored.
 *
 *     node keepCollecting.ts <url> rounds <first round> <count> [<text> [<n>]]
 *     node keepCollecting.ts <url> retract|recompute <series> <from> <to> [<text> [<n>]]
 */
import { openDatabase } from "../../database/open.ts";
import { recompute, retract } from "../../market/collect/repair.ts";
import { COLLECTED_UNTIL, marketRound, recordRound, TOKENS } from "./marketRounds.ts";

const [url = "", work, ...given] = process.argv.slice(2);
const own = work === "rounds" ? 2 : 3;
const [text, nth = "1"] = given.slice(own);
let seen = 0;
const die = () => process.kill(process.pid, "SIGKILL");
const db = openDatabase(url, {
  onQuery({ sql }) {
    if (text !== undefined && sql.includes(text) && ++seen === Number(nth)) die();
  },
});
const deps = { db, assets: TOKENS, now: () => COLLECTED_UNTIL * 1_000 };

if (work === "rounds") {
  const [first, count] = given.map(Number) as [number, number];
  for (let number = first; number < first + count; number++) {
    await recordRound(db, marketRound(number));
    process.stdout.write(`${number}\n`);
  }
} else {
  const [series = "", from, to] = given;
  const span = { series, from: Number(from), to: Number(to) };
  if (work === "retract") await retract(deps, { ...span, reason: "wrong", actor: "test" });
  else await recompute(deps, span);
}
die();
