/**
 * A day of market data with faults, through the real collectors and roll-ups, against an independent computation from
 * the answers that were given. Prints how many figures were compared and which of them differ; ends with 1 if any do.
 */
import { expectedOf } from "./replay/expected.ts";
import { DAY, type Schedule } from "./replay/faults.ts";
import { replayDay } from "./replay/run.ts";
import { compare, servedOf } from "./replay/served.ts";

const SHOWN = 20;

async function replayAndCompare(day: Schedule) {
  const { db, world, rounds, endedAt } = await replayDay(day);
  try {
    const served = await servedOf(db, world.tokens, endedAt);
    const answers = rounds.reduce((sum, round) => sum + round.length, 0);
    const expected = expectedOf(rounds, { tokens: world.tokens, endedAt, lies: day.lies });
    return { rounds: rounds.length, answers, ...compare(served, expected) };
  } finally {
    await db.destroy();
  }
}

export async function bench(): Promise<void> {
  console.log("A day with these faults:");
  for (const { name, from, to } of DAY.faults) console.log(`  minute ${from} to ${to}: ${name}`);
  const { rounds, answers, compared, differing } = await replayAndCompare(DAY);
  console.log(`\n${rounds} rounds, ${answers} answers of providers`);
  console.log(`${compared} figures compared, ${differing.length} differ`);
  for (const { name, served, expected } of differing.slice(0, SHOWN))
    console.log(`  ${name}: served ${served}, expected ${expected}`);
  if (differing.length > 0) process.exitCode = 1;
}
