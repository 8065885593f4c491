/**
 * `npm run bench -- <name>`: measurements side by side, printed as ratios. Each is a file here with a `bench`; `fixtures.ts` is
 * what they work on, and `measure.ts` how they measure and print.
 */

const BENCHES: Readonly<Record<string, string>> = {
  jobs: "certificates per second, and POST /v1/jobs per second",
  data: "queries of a year of 1,000 symbols, ingest, and HTTP (--symbols N for fewer)",
  gas: "gas of a guarded trade above a direct swap, its floor, and peers (--update writes the snapshot)",
  load: "reads of one service by many connections: requests a second, p50, p99, and its memory (--seconds N)",
};

const name = process.argv[2];
if (name === undefined || !Object.hasOwn(BENCHES, name)) {
  console.error("Usage: npm run bench -- <name>\n");
  for (const [key, about] of Object.entries(BENCHES)) console.error(`  ${key.padEnd(10)} ${about}`);
  process.exit(name === undefined || name === "--help" ? 0 : 2);
}
const { bench } = (await import(`./${name}.ts`)) as { bench(): Promise<void> };
await bench();
process.exit(0);
