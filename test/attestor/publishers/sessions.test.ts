/** Sessions that signed prices state, and what contradicts the session of the evidence. */
import { expect } from "chai";
import { AbiCoder, concat, getAddress, getBytes, id, keccak256, SigningKey, Wallet } from "ethers";
import { sessionAt } from "../../../attestor/calendar.ts";
import { factsOf } from "../../../attestor/factKinds.ts";
import { policyById } from "../../../attestor/policies/policy.ts";
import { KNOWN_KEYS, type PublisherKeys } from "../../../attestor/publishers/publisherKeys.ts";
import { evaluate, type Report } from "../../../attestor/report.ts";
import type { SESSIONS } from "../../../attestor/values/market.ts";
import { facts, judgement, NOW, reading, references, reportOn, withSigner } from "../fixtures.ts";

const PRIVATE_KEYS = ["one", "two"].map((name) => id(name));
const DIGEST = id("a configuration");
const FEED = `0x000b${id("ACME").slice(6)}`;
const HOUR = 3_600;
/** What the regular session at `NOW` is called in a report, and what comes before it. */
const [PRE_MARKET, REGULAR, OVERNIGHT] = [1, 2, 4];

const keysWith = (feeds: PublisherKeys["chainlink"][number]["feeds"]): PublisherKeys => {
  const signers = PRIVATE_KEYS.map((key) => getAddress(new Wallet(key).address));
  return { ...KNOWN_KEYS, chainlink: [{ digest: DIGEST, f: 1, signers, feeds, source: "test" }] };
};
const LISTED = keysWith([{ feedId: FEED, symbol: "ACME", marketStatus: "24/5" }]);

/** A report as Chainlink's oracles sign them, by keys of ours. @param schema of which nobody here knows the form, unless 11 */
function signedReport(marketStatus: number, signedAt: number, publishedAt = signedAt, schema = 11) {
  const feedId = FEED.replace("000b", schema.toString(16).padStart(4, "0"));
  const dollars = (price: number) => BigInt(price * 1_000) * 10n ** 15n;
  const [mid, bid, ask] = [200, 199.9, 200.1].map(dollars);
  const seen = BigInt(publishedAt) * 10n ** 9n;
  const words = [signedAt, signedAt, 0, 0, signedAt, mid, seen, bid, 0, ask, 0, mid, marketStatus];
  const coder = AbiCoder.defaultAbiCoder();
  const types = ["bytes32", ...words.map(() => "uint256")];
  const blob = coder.encode(types, [feedId, ...words]);
  const context = [DIGEST, id("epoch"), id("hash")];
  const digest = keccak256(concat([keccak256(blob), ...context]));
  const signatures = PRIVATE_KEYS.map((key) => new SigningKey(key).sign(digest));
  const vs = new Uint8Array(32);
  vs.set(signatures.map(({ yParity }) => yParity));
  const rs = signatures.map(({ r }) => r);
  const ss = signatures.map(({ s }) => s);
  const data = coder.encode(
    ["bytes32[3]", "bytes", "bytes32[]", "bytes32[]", "bytes32"],
    [context, getBytes(blob), rs, ss, vs],
  );
  const proof = { format: "chainlink-report", data };
  return withSigner(reading({ provider: "chainlink", publishedAt, receivedAt: NOW, proof }), {
    keys: LISTED,
  });
}

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
