import { expect } from "chai";
import type { Verification } from "../../../attestor/verify/verification.ts";
import { verifyReport } from "../../../attestor/verify/verify.ts";
import { faultText, reservationText } from "../../../attestor/view/stepWords.ts";
import { FORGED_ROWS } from "./forgeries.ts";
import { PLAIN_ROWS } from "./rows.ts";
import { TRUST_ROWS } from "./trust.ts";

const faultsOf = ({ steps }: Verification) =>
  steps.flatMap(({ name, faults }) => faults.map(({ code }) => `${name} ${code}`));

/** What is said is short, and no word of it is missing. */
function wordsOf({ steps, reservations }: Verification): string {
  const told = [
    ...steps.flatMap(({ faults }) => faults.map(faultText)),
    ...reservations.map(reservationText),
  ];
  for (const text of told) expect(text.length).to.be.within(1, 601);
  return told.join("\n");
}

const split = (faults: string) => (faults === "" ? [] : faults.split(", "));

describe("verification", () => {
  for (const { name, document, reader, verdict, faults, strict, said } of [
    ...PLAIN_ROWS,
    ...FORGED_ROWS,
    ...TRUST_ROWS,
  ])
    it(`is ${verdict}: ${name}`, async () => {
      const given = await document();
      const result = verifyReport(given, reader);
      expect([result.verdict, ...faultsOf(result)]).to.include.members([verdict, ...split(faults)]);
      expect(wordsOf(result)).to.match(said ?? /.?/);
      const byStrict = verifyReport(given, { ...reader, strict: true });
      const strictly = strict === undefined ? verdict : "UNVERIFIABLE";
      expect([byStrict.verdict, ...faultsOf(byStrict)]).to.include.members([
        strictly,
        ...split(strict ?? faults),
      ]);
      wordsOf(byStrict);
    });
});
