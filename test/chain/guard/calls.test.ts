import { expect } from "chai";
import { authorize } from "../../../attestor/attest.ts";
import { policyById } from "../../../attestor/policies/policy.ts";
import type { Report } from "../../../attestor/report.ts";
import { decodeGuardCall, executionPackage } from "../../../chain/guard/calls.ts";
import { editionOfCode, editionReader, type GuardEdition } from "../../../chain/guard/edition.ts";
import { TradeGuard__factory } from "../../../types/contracts/factories/contracts/TradeGuard__factory.ts";
import { prepared, soundReport } from "../../attestor/fixtures.ts";
import { readyFor } from "../../support/suite.ts";

describe("the execution of a prepared trade", () => {
  const report: Report = soundReport();
  const trade = readyFor(() => prepared(report));

  const packageOf = (edition: GuardEdition, change: { recipient?: string; amountIn?: string } = {}) => {
    const { tradeIntent, certificate, guardCall } = trade.execution;
    const intent = tradeIntent.message;
    const authorized = authorize(policyById("STRICT_LIVE"), report, {
      ...intent,
      deadline: Number(intent.deadline),
    });
    return executionPackage(report.evidence.chain.chainId, report.evidence.guard.address, {
      tradeIntent: { ...authorized.tradeIntent, ...change },
      certificate: authorized.certificate,
      signature: certificate.signature,
      signer: certificate.signer,
      routeCallData: guardCall.args.routeCallData,
      currentAllowance: 0n,
      report,
      edition,
    });
  };

  it("the execution of a prepared trade has packed calls beside the readable ones, which name the contracts that the trade calls", () => {
    const { packedCall, packedRelayedCall, guardCall } = packageOf(2);
    expect(packedCall).to.include({ functionName: "executePackedDirect", to: guardCall.to, value: "0" });
    expect(packedRelayedCall).to.include({
      functionName: "executeForPackedDirect",
      packed: packedCall?.packed,
    });
    const { quote, guard } = report.evidence;
    expect(packedCall?.accessList.map(({ address }) => address)).to.include.members([
      guard.executor,
      quote!.route,
    ]);
  });

  it("the execution of a prepared trade has none where the trade does not fit, or the guard is of the first edition", () => {
    const none = { packedCall: null, packedRelayedCall: null };
    expect(packageOf(1)).to.include(none);
    expect(packageOf(2, { recipient: report.evidence.guard.executor })).to.include(none);
    expect(packageOf(2, { amountIn: String(2n ** 128n) })).to.include(none);
  });

  it("the execution of a prepared trade is read back from each call's data, with its owner", () => {
    const { packedCall, guardCall } = packageOf(2);
    const { owner } = trade.execution.tradeIntent.message;
    for (const [data, functionName] of [
      [packedCall!.data, "executePackedDirect"],
      [guardCall.data, "execute"],
    ] as const) {
      const call = decodeGuardCall(data, owner);
      expect(call).to.include({ functionName });
      expect(call?.tradeIntent.owner).to.equal(owner);
      expect(call?.certificate.evidenceHash).to.equal(report.evidenceHash);
    }
    for (const data of ["0xcd601439", packedCall!.data.slice(0, 10)])
      expect(decodeGuardCall(data, owner)).to.equal(null);
  });
});

describe("the readable calls of the guard", () => {
  it("the readable calls of the guard have the names that wallets show, as the interface states them", () => {
    const names = (name: "execute" | "executeFor" | "executePacked" | "executeForPacked") =>
      TradeGuard__factory.createInterface()
        .getFunction(name)
        .inputs.map((input) => input.name);
    const [first, last] = [["intent", "certificate", "certificateSignature"], ["routeCallData"]];
    expect(names("execute")).to.deep.equal([...first!, ...last!]);
    expect(names("executeFor")).to.deep.equal([...first!, "ownerSignature", ...last!]);
    expect(names("executePacked")).to.deep.equal(["packed"]);
    expect(names("executeForPacked")).to.deep.equal(["packed"]);
  });
});

describe("the edition of a guard", () => {
  it("tells a guard's edition by its code", () => {
    expect(editionOfCode(TradeGuard__factory.bytecode)).to.equal(2);
    expect(editionOfCode("0x6001600155")).to.equal(1);
    expect(editionOfCode("0x")).to.equal(1);
  });

  it("the edition of a guard is not told by a node that has no code yet, and then asked for once", async () => {
    const answers = ["0x", TradeGuard__factory.bytecode, "0x6001600155"];
    const edition = editionReader(async () => answers.shift()!);
    const failed = await edition().catch((error) => error.code);
    expect(failed).to.equal("upstream_unavailable");
    expect(await edition()).to.equal(2);
    expect(await edition()).to.equal(2);
    expect(answers).to.have.length(1);
  });
});
