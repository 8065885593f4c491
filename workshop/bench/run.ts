/** `npm run bench -- <name>`: measurements side by side, printed as ratios. Each is a file here with a `bench`. */
const BENCHES: Readonly<Record<string, string>> = {
  attest: "certificates per second, POST /v1/jobs per second, and where the time goes",
  data: "queries of a year of 1,000 symbols cold and warm, ingest, and HTTP (--symbols N for fewer)",
  engines: "limits in Redis, PostgreSQL and memory; a month of a million samples dropped and deleted",
  log: "the decision log: integration, proofs, size, and what it costs prepare (--leaves N, --engine, --part)",
  mcp: "tool calls per second over /mcp against the same HTTP routes",
  paid: "a paid round trip against a free one and against bare settlement, and where the time goes",
  quotes:
    "ten thousand quotes from pool state against the published quoters and routers (--quotes N, --seed N)",
  rows: "each endpoint's p99 with a million jobs and ten million rows, against an empty database (30 GB)",
  startup: "how long a process takes until it is ready, by ROLE (--starts N)",
  soak: "an hour at half speed (--minutes N): errors, p99 at begin and end, memory and its slope",
  gas: "gas of a guarded trade above a direct swap, its floor, and peers (--update writes the snapshot)",
};

const name = process.argv[2];
if (name === undefined || !Object.hasOwn(BENCHES, name)) {
  console.error("Usage: npm run bench -- <name>\n");
  for (const [key, about] of Object.entries(BENCHES)) console.error(`  ${key.padEnd(10)} ${about}`);
  process.exit(name === undefined || name === "--help" ? 0 : 2);
}
const { bench } = (await import(`./${name}.ts`)) as { bench(): Promise<void> };
await bench();
process.exit(process.exitCode ?? 0);
