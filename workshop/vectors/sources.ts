/** Vectors of sources: documents before a reader who has the registry, honest ones and forgeries of a dishonest service. */
import { sourceName } from "../../attestor/sources.ts";
import { judgement, prepared, reportOn, TRUST } from "../../test/attestor/fixtures.ts";
import { SOURCES } from "../../test/attestor/verify/forgeries.ts";
import { failed, observedFacts, REGISTRY } from "../../test/attestor/verify/service.ts";
import { type Candidate, candidateOf } from "./candidate.ts";

export async function sourceDocuments(): Promise<Candidate[]> {
  const bends: [string, (given: ReturnType<typeof observedFacts>) => void][] = [
    ["every source answered", () => {}],
    [
      "a source failed",
      (given) => {
        given.references.splice(3, 1);
        given.failures.push(failed(sourceName(REGISTRY.assets[0]!.priceSources[3]!)));
      },
    ],
    ...Object.entries(SOURCES).map(([name, [bend]]): [string, typeof bend] => [name, bend]),
  ];
  return await Promise.all(
    bends.map(async ([name, bend]) => {
      const facts = observedFacts();
      bend(facts);
      const report = reportOn(judgement({ registry: REGISTRY, facts }));
      const document = report.decision === "ALLOW" ? await prepared(report) : report;
      return candidateOf(`sources: ${name}`, document, { ...TRUST, registry: REGISTRY });
    }),
  );
}
