import * as z from "zod";
import { defineCheck, judged } from "./check.ts";
import { most } from "./measure.ts";

/** Of the sources that the registry lists few did not answer. Halts that nobody could ask for are another check's. */
export const failedSources = defineCheck({
  name: "failed-sources",
  bound: {
    evidence: {
      maxFailedSources: z
        .int()
        .min(0)
        .max(64)
        .describe("Of the listed sources, how many may state nothing of what they are asked for"),
    },
  },
  measure: most("count"),
  words: {
    en: "Did the sources that the registry lists answer?",
    zh: "登记表列出的来源是否都作了回答？",
  },
  judge: (policy, { failures }) => {
    const limit = policy.evidence.maxFailedSources;
    const names = [...new Set(failures.map(({ asset, source }) => `${source} (${asset})`))];
    const which = names.length === 0 ? "" : `: ${names.join(", ")}`;
    return judged(
      names.length <= limit,
      names.length,
      limit,
      `${names.length} listed source(s) did not answer; at most ${limit} may${which}.`,
    );
  },
});
