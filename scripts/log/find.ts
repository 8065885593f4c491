/** `assay log find`: where a log has the judgement of an evidence hash. */
import { z } from "zod";
import { type LogTrust, openCheckpoint } from "../../attestor/log/checkpoint.ts";
import { readEntry } from "../../attestor/log/entry.ts";
import { HASHER } from "../../attestor/log/hasher.ts";
import { isIncluded } from "../../attestor/log/merkle.ts";
import { parseTlogProof } from "../../attestor/log/tlogProof.ts";
import { utf8 } from "../../attestor/values/bytes.ts";
import { asRecord } from "../../attestor/values/json.ts";
import { command } from "../command.ts";
import { EXIT, PlainError, UsageError } from "../errors.ts";
import { JSON_OPTION, jsonText } from "../json.ts";
import { filesOf } from "./files.ts";
import { textOf } from "./follow.ts";
import { asPlain, LOG_OPTIONS, trustFrom } from "./trust.ts";

export const findInLog = command({
  summary: "Find the judgement of an evidence hash in a log, and print its entry",
  positionals: {
    evidenceHash: { words: "0x and 64 lower-case hexadecimal digits" },
    url: { words: "the log, such as https://assay.example.com/log" },
  },
  options: { ...LOG_OPTIONS, ...JSON_OPTION },
  notes: ["Exit code 1: not found."],
  run: ({ evidenceHash, url, json, ...given }, world) =>
    asPlain(async () => {
      const entries = await found(evidenceHash, url, trustFrom(given), world.fetch);
      if (json) {
        const read = entries.map(({ entry, ...where }) => ({ ...where, entry: JSON.parse(entry) }));
        world.out(jsonText(read));
        return entries.length === 0 ? EXIT.failed : EXIT.ok;
      }
      for (const { origin, index, entry } of entries) {
        const { kind, judgement } = readEntry(entry);
        world.out(`${origin} ${index} ${judgement === null ? `of the unknown kind ${kind}` : entry}`);
      }
      if (entries.length === 0) world.out("The log has no such entry.");
      return entries.length === 0 ? EXIT.failed : EXIT.ok;
    }),
});

const Found = z.object({
  entries: z.array(z.object({ origin: z.string(), index: z.int(), entry: z.string(), proof: z.string() })),
});

/** What the log says of an evidence hash, each entry with a proof that holds. */
async function found(evidenceHash: string, url: string, trust: LogTrust, ask: typeof fetch) {
  if (!/^0x[0-9a-f]{64}$/.test(evidenceHash))
    throw new UsageError("an evidence hash is 0x and 64 lower-case hexadecimal digits");
  const answer = Found.safeParse(
    JSON.parse(textOf(await filesOf(url, ask)(`find?evidenceHash=${evidenceHash}`))),
  );
  if (!answer.success) throw new PlainError(`${url} answers something other than entries`);
  return answer.data.entries.filter(({ entry, proof }) => {
    const { index, path, checkpoint } = parseTlogProof(proof);
    const { size, root } = openCheckpoint(checkpoint, trust);
    const leafHash = HASHER.leaf(utf8(entry));
    if (!isIncluded({ index, size, leafHash, proof: path, root }))
      throw new PlainError("the log's answer is an entry with an invalid proof");
    return asRecord(JSON.parse(entry))?.evidenceHash === evidenceHash;
  });
}
