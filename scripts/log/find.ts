/** `assay log find`: where a log has the judgement of an evidence hash. */
import { z } from "zod";
import { type LogTrust, openCheckpoint } from "../../attestor/log/checkpoint.ts";
import { readEntry } from "../../attestor/log/entry.ts";
import { HASHER } from "../../attestor/log/hasher.ts";
import { isIncluded } from "../../attestor/log/merkle.ts";
import { parseTlogProof } from "../../attestor/log/tlogProof.ts";
import { utf8 } from "../../attestor/values/bytes.ts";
import { asRecord } from "../../attestor/values/json.ts";
import { argument, command } from "../command.ts";
import { EXIT, Unusable } from "../errors.ts";
import { JSON_OPTION, show } from "../json.ts";
import { hash } from "../typed.ts";
import { filesOf } from "./files.ts";
import { textOf } from "./follow.ts";
import { LOG_OPTIONS, trustFrom } from "./trust.ts";

export const findInLog = command({
  summary: "Find the judgement of an evidence hash in a log, and print its entry",
  positionals: {
    evidenceHash: argument("0x and 64 hexadecimal digits", hash),
    url: argument("the log, such as https://assay.example.com/log"),
  },
  options: { ...LOG_OPTIONS, ...JSON_OPTION },
  notes: ["Exit code 1: not found."],
  run: async ({ evidenceHash, url, json, ...given }, world) => {
    const entries = await found(evidenceHash, url, trustFrom(given), world.fetch);
    const read = entries.map(({ entry, ...where }) => ({ ...where, entry: JSON.parse(entry) }));
    show(world, json, read, entries.length === 0 ? ["The log has no such entry."] : entries.map(lineOf));
    return entries.length === 0 ? EXIT.failed : EXIT.ok;
  },
});

type FoundEntry = z.infer<typeof Found>["entries"][number];

function lineOf({ origin, index, entry }: FoundEntry): string {
  const { kind, judgement } = readEntry(entry);
  return `${origin} ${index} ${judgement === null ? `of the unknown kind ${kind}` : entry}`;
}

const Found = z.object({
  entries: z.array(z.object({ origin: z.string(), index: z.int(), entry: z.string(), proof: z.string() })),
});

/** What the log says of an evidence hash, each entry with a proof that holds. */
async function found(evidenceHash: string, url: string, trust: LogTrust, ask: typeof fetch) {
  const answer = Found.safeParse(
    JSON.parse(textOf(await filesOf(url, ask)(`find?evidenceHash=${evidenceHash}`))),
  );
  if (!answer.success) throw new Unusable(`${url} answers something other than entries`);
  return answer.data.entries.filter(({ entry, proof }) => {
    const { index, path, checkpoint } = parseTlogProof(proof);
    const { size, root } = openCheckpoint(checkpoint, trust);
    const leafHash = HASHER.leaf(utf8(entry));
    if (!isIncluded({ index, size, leafHash, proof: path, root }))
      throw new Unusable("the log's answer is an entry with an invalid proof");
    return asRecord(JSON.parse(entry))?.evidenceHash === evidenceHash;
  });
}
