/**
 * What contradicts within one piece of evidence: honest evidence has nothing of it, and no service attests the worst. Each
 * code and each bound has its rows in the table of documents, which the tests of the verifier run.
 */
import { expect } from "chai";
import { attest } from "../../../attestor/attest.ts";
import { contradictionsIn } from "../../../attestor/evidence/contradictions.ts";
import type { Evidence } from "../../../attestor/evidence/evidence.ts";
import { AttestorError } from "../../../attestor/values/attestorErrors.ts";
import { UNFIT } from "../../../workshop/vectors/documents/judgement.ts";
import type { Bend } from "../../../workshop/vectors/documents/service.ts";
import { copy, facts, judgement, NOW, quote, REGISTRY, signedReading } from "../fixtures.ts";

function bent(bend: Bend, given = facts()): Evidence {
  const evidence = copy(attest(judgement({ facts: given })));
  bend(evidence);
  return evidence;
}

const codesOf = (evidence: Evidence) => contradictionsIn(evidence).map(({ code }) => code);

describe("contradictions in evidence", () => {
  it("takes a price of the future for one of a wrong clock, which counts nowhere", () => {
    const future = bent(({ references }) => Object.assign(references[1], { publishedAt: NOW + 900 }));
    expect(codesOf(future)).to.deep.equal([]);
  });

  for (const [code, bends] of Object.entries(UNFIT))
    for (const [name, bend] of Object.entries(bends))
      it(`are attested by no service: ${name}`, () => {
        const { intent, trade: _, figures: __, ...given } = bent(bend);
        expect(() => attest({ ...judgement(), intent, facts: given }))
          .to.throw(AttestorError, code)
          .with.property("code", "invalid_evidence");
      });

  it("are none in what a service makes of facts that agree", () => {
    const v3 = {
      ...quote("buy"),
      routeName: "v3",
      route: REGISTRY.routes[1]!.address,
      selector: "0x414bf389",
    };
    for (const given of [
      facts(),
      facts({ references: [signedReading()] }),
      facts({ quote: { ...v3, fees: [500] } }),
      facts({ quote: null, liquidity: null }),
      facts({ liquidity: { ...facts().liquidity!, grade: null, sampleN: 2 } }),
      facts({ liquidity: { ...facts().liquidity!, grade: "D", impact10kBps: null } }),
    ])
      expect(contradictionsIn(bent(() => {}, given))).to.deep.equal([]);
  });
});
