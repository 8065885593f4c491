/** Sessions that signed prices state, and what contradicts the session of the evidence. */
import { expect } from "chai";
import { sessionAt } from "../../../attestor/calendar.ts";
import { factsOf } from "../../../attestor/factKinds.ts";
import { policyById } from "../../../attestor/policies/policy.ts";
import { evaluate, type Report } from "../../../attestor/report.ts";
import type { SESSIONS } from "../../../attestor/values/market.ts";
import { facts, judgement, NOW, type reading, references, reportOn } from "../fixtures.ts";
import { OVERNIGHT, PRE_MARKET, REGULAR, signedReport } from "./chainlinkReport.ts";

const HOUR = 3_600;

type Session = { source: string; state: (typeof SESSIONS)[number] };
const CALENDAR: Session = { source: "nyse-calendar", state: "regular" };

function reportWith(
  reports: readonly ReturnType<typeof reading>[],
  session = CALENDAR,
  policyId = "STRICT_LIVE",
): Report {
  const given = facts({ references: [...reports, ...references()], session });
  const judged = judgement({ policy: policyById(policyId), facts: given });
  return reportOn(judged);
}

const sessionOf = ({ findings }: Report) => findings.find(({ check }) => check === "session");

describe("the session that a signed price states", () => {
  it("is the evidence's, signed, where it is of the moment of judgement, and of no other", () => {
    for (const [signedAt, signed] of [
      [NOW, 3],
      [NOW - 120, 3],
      [NOW - 121, 2],
      [NOW + 120, 3],
      // The same session, a day later: nobody could have had that report.
      [NOW + 24 * HOUR, 2],
    ] as const) {
      const report = reportWith([signedReport(REGULAR, signedAt, NOW - 130)]);
      const kinds = factsOf(report.evidence).filter(({ kind }) => kind === "signed");
      expect([signedAt - NOW, kinds.length]).to.eql([signedAt - NOW, signed]);
      expect(sessionOf(report)?.outcome).to.equal("pass");
    }
  });

  it("denies where it is another than the evidence's, unless the calendar has left that session since", () => {
    const other = (...given: Parameters<typeof reportWith>) => sessionOf(reportWith(...given));
    for (const signedAt of [NOW - 10, NOW - 24 * HOUR])
      expect(other([signedReport(OVERNIGHT, signedAt)])).to.include({
        outcome: "fail",
        observed: "overnight",
      });
    expect(other([signedReport(REGULAR, NOW), signedReport(OVERNIGHT, NOW)])).to.include({ outcome: "fail" });
    // Two hours before it was pre-market.
    expect(other([signedReport(PRE_MARKET, NOW - 2 * HOUR)])).to.include({ outcome: "pass" });
    expect(other([signedReport(0, NOW)])).to.include({ outcome: "pass" });
  });

  it("lets a clock be five seconds off where sessions change", () => {
    // 09:30 in New York of that day.
    const opens = NOW - 2_600;
    expect([opens - 1, opens].map((at) => sessionAt(at).state)).to.eql(["pre-market", "regular"]);
    for (const [late, outcome] of [
      [4, "pass"],
      [6, "fail"],
    ] as const) {
      const given = facts({ references: [signedReport(PRE_MARKET, opens + late)], session: CALENDAR });
      const { policy, ...rest } = judgement({ facts: given });
      const { evidence } = reportOn({ policy, ...rest });
      const report = evaluate(policy, { ...evidence, capturedAt: opens + late + 1 });
      expect(sessionOf(report)?.outcome, `${late} s late`).to.equal(outcome);
    }
  });

  it("denies a session of another calendar that it does not have, and lets an older one be", () => {
    const closure: Session = { source: "an exchange", state: "closed" };
    const withClosure = (signedAt: number) =>
      sessionOf(reportWith([signedReport(REGULAR, signedAt)], closure, "LAST_CLOSE"));
    expect(withClosure(NOW - 5)).to.include({
      outcome: "fail",
      message: "The market session is closed by an exchange, and regular by a signed price of chainlink.",
    });
    // A Friday's report, on the Monday.
    expect(withClosure(NOW - 3 * 24 * HOUR)).to.include({ outcome: "pass" });
  });
});
