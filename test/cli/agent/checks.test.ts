/** What the agent refuses before it signs or sends anything. */
import { expect } from "chai";
import { id, type Wallet } from "ethers";
import { Prepared } from "../../../api/jobs/schemas.ts";
import { policyById } from "../../../attestor/policies/policy.ts";
import { evaluate } from "../../../attestor/report.ts";
import { checkPrepared, checkReport, type Expectation, Mistrust } from "../../../cli/agent/checks.ts";
import { send } from "../../../cli/agent/wallet.ts";
import { TradeGuard__factory } from "../../../types/contracts/factories/contracts/TradeGuard__factory.ts";
import {
  addressFor,
  CHAIN_ID,
  facts,
  GUARD,
  judgement,
  prepared,
  reportOn,
  SIGNER,
  soundReport,
} from "../../attestor/fixtures.ts";
import { failureOf } from "../../support/failure.ts";

const copy = <T>(value: T): any => JSON.parse(JSON.stringify(value));
const FORGERS_KEY = id("a forger's own key");

describe("an agent before it signs", () => {
  let trade: any;
  let expected: Expectation;
  before(async () => {
    trade = copy(await prepared(soundReport()));
    expected = {
      intent: trade.report.evidence.intent,
      chainId: CHAIN_ID,
      guard: GUARD,
      signer: SIGNER.address,
      now: trade.report.evidence.chain.blockTimestamp,
    };
  });

  const check = (document: any, others: Partial<Expectation> = {}) =>
    checkPrepared(document, { ...expected, ...others });
  const refusal = (document: any, others: Partial<Expectation> = {}): string => {
    try {
      check(document, others);
    } catch (error) {
      if (error instanceof Mistrust) return error.message;
      throw error;
    }
    return "nothing";
  };

  it("goes on with what its own guard's key signed for its own intent", () => {
    expect(() => Prepared.parse({ ...trade, hints: [], signUrl: null })).to.not.throw();
    expect(check(trade)).to.equal(trade.report.evidenceHash);
  });

  it("goes no further with another guard than its user named, nor with another chain's", () => {
    expect(refusal(trade, { guard: addressFor("the true guard") })).to.match(/^INVALID\. /);
    expect(refusal(trade, { chainId: 56 })).to.match(/^INVALID\. /);
  });

  it("goes no further with a key that its guard does not name", async () => {
    const evidence = copy(trade.report.evidence);
    const forged = copy(await prepared(soundReport(), undefined, FORGERS_KEY));
    const { signer } = forged.execution.certificate;
    Object.assign(evidence.guard, { signer, attestor: signer });
    const whole = copy(await prepared(evaluate(policyById("STRICT_LIVE"), evidence), undefined, FORGERS_KEY));
    expect(refusal(whole)).to.match(/^INVALID\. .* and the certificate is of /);
    whole.execution.certificate.signer = SIGNER.address;
    expect(refusal(whole))
      .to.match(/^INVALID\. /)
      .and.to.not.contain("the certificate is of");
  });

  it("says after a rotation of the key which one the guard has, and that the trade has to be prepared again", () => {
    const present = addressFor("the new key");
    expect(refusal(trade, { signer: present })).to.equal(
      `INVALID. Do not act on this document. It was signed by ${SIGNER.address}, and not by ${present}, which you trust. The guard's attestation key is ${present}, and the certificate is of ${SIGNER.address}: if the key was rotated, the trade has to be prepared again.`,
    );
    const denied = { ...copy(trade), execution: null };
    expect(refusal(denied, { signer: present })).to.not.contain("rotated");
  });

  it("says that the key was rotated where the guard refuses the trade at the last moment, and names other refusals", async () => {
    const guard = TradeGuard__factory.createInterface();
    const refusedWith = async (data: string) => {
      const owner = { call: () => Promise.reject(Object.assign(new Error("reverted"), { data })) };
      const sending = send(owner as unknown as Wallet, { to: GUARD, data: "0x" });
      return (await failureOf(sending, Error)).message;
    };
    const unknown = guard.encodeErrorResult("CertificateSignerUnknown", [SIGNER.address]);
    expect(await refusedWith(unknown)).to.equal(
      `The guard refuses the call: its attestation key was rotated, and the certificate is of ${SIGNER.address}. Prepare the trade again.`,
    );
    expect(await refusedWith(guard.encodeErrorResult("TradingPaused"))).to.equal(
      "The guard refuses the call: TradingPaused()",
    );
  });

  it("goes no further with a call that does more, or with parts that nobody has read", () => {
    for (const [name, member] of [
      ["guardCall", "gas"],
      ["relayedCall", "data"],
      ["approval", "to"],
    ] as const) {
      const bent = copy(trade);
      bent.execution[name][member] = "0x01";
      expect(refusal(bent), name).to.match(/^INVALID\. /);
    }
    const more = copy(trade);
    more.execution.transaction = { to: addressFor("an attacker"), data: "0x" };
    expect(refusal(more)).to.match(/^UNVERIFIABLE\. /);
  });

  it("goes no further with another intent than its own", () => {
    const intent = { ...expected.intent, amountInRaw: "1" };
    expect(refusal(trade, { intent })).to.equal("It is not the trade that was asked for: amountInRaw.");
  });

  it("reads a first report that nobody signed yet, but not one that contradicts itself", () => {
    const denied = reportOn(judgement({ facts: facts({ session: null }) }));
    for (const report of [soundReport(), denied])
      expect(checkReport(copy(report))).to.equal(report.evidenceHash);
    const bent = { ...copy(denied), decision: "ALLOW" };
    expect(() => checkReport(bent)).to.throw(Mistrust, /^The report is not consistent\. /);
  });
});
