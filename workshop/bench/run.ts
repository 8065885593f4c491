/** `npm run bench -- <name>`: measurements side by side, printed as ratios. */
const BENCHES: Record<string, { about: string; load: () => Promise<{ bench(): Promise<void> }> }> = {
  attest: {
    about: "certificates per second, POST /v1/jobs per second, and where the time goes",
    load: () => import("./attest.ts"),
  },
  data: {
    about: "queries of a year of 1,000 symbols cold and warm, ingest, and HTTP (--symbols N for fewer)",
    load: () => import("./data.ts"),
  },
  engines: {
    about: "limits in Redis, PostgreSQL and memory; a month of a million samples dropped and deleted",
    load: () => import("./engines.ts"),
  },
  log: {
    about:
      "the decision log: integration, proofs, size, and what it costs prepare (--leaves N, --engine, --part)",
    load: () => import("./log.ts"),
  },
  mcp: {
    about: "tool calls per second over /mcp against the same HTTP routes",
    load: () => import("./mcp.ts"),
  },
  paid: {
    about: "a paid round trip against a free one and against bare settlement, and where the time goes",
    load: () => import("./paid.ts"),
  },
  quotes: {
    about:
      "ten thousand quotes from pool state against the published quoters and routers (--quotes N, --seed N)",
    load: () => import("./quotes.ts"),
  },
  rows: {
    about: "each endpoint's p99 with a million jobs and ten million rows, against an empty database (30 GB)",
    load: () => import("./rows.ts"),
  },
  startup: {
    about: "how long a process takes until it is ready, by ROLE (--starts N)",
    load: () => import("./startup.ts"),
  },
  soak: {
    about: "an hour at half speed (--minutes N): errors, p99 at begin and end, memory and its slope",
    load: () => import("./soak.ts"),
  },
  gas: {
    about: "gas of a guarded trade above a direct swap, its floor, and peers (--update writes the snapshot)",
    load: () => import("./gas.ts"),
  },
};

const name = process.argv[2];
const chosen = name === undefined ? undefined : BENCHES[name];
if (chosen === undefined) {
  console.error("Usage: npm run bench -- <name>\n");
  for (const [key, { about }] of Object.entries(BENCHES)) console.error(`  ${key.padEnd(10)} ${about}`);
  process.exit(name === undefined || name === "--help" ? 0 : 2);
}
await (await chosen.load()).bench();
process.exit(process.exitCode ?? 0);
