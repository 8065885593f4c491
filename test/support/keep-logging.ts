/** A process that logs judgements until it is killed, and says which checkpoints it has signed. */
import { randomBytes } from "node:crypto";
import { addEntry } from "../../api/log/entries.ts";
import { lastWordsIn } from "../../api/log/files.ts";
import { developmentLogSigner } from "../../api/log/key.ts";
import { startLog } from "../../api/log/log.ts";
import { createWitnesses } from "../../api/log/witnesses.ts";
import { createLogger } from "../../api/metrics/logger.ts";
import { parseTlogProof } from "../../attestor/log/tlogProof.ts";
import { openDatabase } from "../../database/open.ts";

const [url = "", folder = ""] = process.argv.slice(2);
const db = openDatabase(url);
const log = startLog({
  db,
  base: "test.localhost/log",
  signer: developmentLogSigner(),
  lastWords: lastWordsIn(folder),
  witnesses: createWitnesses(fetch),
  asked: [],
  holder: String(process.pid),
  patienceMs: 20_000,
  clock: Date.now,
  log: createLogger({ level: "silent" }),
});
const hash = () => `0x${randomBytes(32).toString("hex")}`;
for (;;) {
  const judgement = {
    jobId: hash(),
    version: 1,
    decision: "DENY" as const,
    evidenceHash: hash(),
    policyHash: hash(),
    registryHash: hash(),
    evidence: { capturedAt: 1 },
    log: { salt: `0x${randomBytes(16).toString("hex")}` },
  };
  await db.transaction().execute((trx) => addEntry(trx, judgement));
  const { checkpoint } = parseTlogProof(await log.signed(judgement));
  process.stdout.write(`${JSON.stringify({ judgement, checkpoint })}\n`);
}
