import { expect } from "chai";
import { Interface } from "ethers";
import { authorize } from "../../../attestor/attest.ts";
import { approvalCall, executeForCallData, relayableCall } from "../../../attestor/certificate/guardCall.ts";
import {
  compactSignature,
  packedRelayedCallData,
  type SignatureSlot,
} from "../../../attestor/certificate/packedTrade.ts";
import { policyById } from "../../../attestor/policies/policy.ts";
import type { Report } from "../../../attestor/report.ts";
import { decodeGuardCall, executionPackage } from "../../../chain/guard/calls.ts";
import { TradeGuard__factory } from "../../../types/contracts/factories/contracts/TradeGuard__factory.ts";
import { prepared, soundReport } from "../../attestor/fixtures.ts";
import { readyFor } from "../../support/suite.ts";

describe("the execution of a prepared trade", () => {
  const report: Report = soundReport();
  const trade = readyFor(() => prepared(report));

  const packageOf = (change: { recipient?: string; amountIn?: string } = {}) => {
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
    });
  };

  it("the execution of a prepared trade has packed calls beside the readable ones, which name the contracts that the trade calls", () => {
    const { packedCall, packedRelayedCall, guardCall } = packageOf();
    expect(packedCall).to.include({ functionName: "executePacked", to: guardCall.to, value: "0" });
    expect(packedRelayedCall).to.include({
      functionName: "executeForPacked",
      packed: packedCall?.packed,
    });
    const { quote, guard } = report.evidence;
    expect(packedCall?.accessList.map(({ address }) => address)).to.include.members([
      guard.executor,
      quote!.route,
    ]);
  });

  it("the execution of a prepared trade has none where the trade does not fit", () => {
    const none = { packedCall: null, packedRelayedCall: null };
    expect(packageOf({ recipient: report.evidence.guard.executor })).to.include(none);
    expect(packageOf({ amountIn: String(2n ** 128n) })).to.include(none);
  });

  it("the execution of a prepared trade is read back from each call's data, with its owner", () => {
    const { packedCall, guardCall } = packageOf();
    const { owner } = trade.execution.tradeIntent.message;
    for (const [data, functionName] of [
      [packedCall!.data, "executePacked"],
      [guardCall.data, "execute"],
    ] as const) {
      const call = decodeGuardCall(data, owner);
      expect(call).to.include({ functionName });
      expect(call?.tradeIntent.owner).to.equal(owner);
      expect(call?.certificate.evidenceHash).to.equal(report.evidenceHash);
    }
    for (const data of ["0x", guardCall.data.slice(0, -2), "0xcd601439", packedCall!.data.slice(0, 10)])
      expect(decodeGuardCall(data, owner)).to.equal(null);
  });
});

describe("the relayed calls of a prepared trade", () => {
  it("are whole but for the owner's signature, for certificates of either length", async () => {
    const { execution } = await prepared(soundReport());
    const { tradeIntent, guardCall, packedCall, packedRelayedCall } = execution as any;
    const { intent, certificate, certificateSignature, routeCallData } = guardCall.args;
    const owner = `0x${"11".repeat(32)}${"22".repeat(32)}1c`;
    const put = (data: string, { offset, length }: SignatureSlot, signature: string) => {
      expect(signature.length).to.equal(2 + 2 * length);
      return data.slice(0, 2 + 2 * offset) + signature.slice(2) + data.slice(2 + 2 * (offset + length));
    };
    for (const signature of [certificateSignature, compactSignature(certificateSignature)!]) {
      const { data, ownerSignature } = relayableCall(intent, certificate, signature, routeCallData);
      expect(put(data, ownerSignature, owner)).to.equal(
        executeForCallData(intent, certificate, { certificate: signature, owner }, routeCallData),
      );
    }
    const { data, ownerSignature } = packedRelayedCall;
    expect(put(data, ownerSignature, compactSignature(owner)!)).to.equal(
      packedRelayedCallData(tradeIntent.message.owner, owner, packedCall.packed),
    );
  });
});

describe("the approval of a trade", () => {
  it("is bounded: by so many trades of the amount, of which one is exact, and never by nothing", () => {
    const erc20 = new Interface(["function approve(address spender, uint256 amount) returns (bool)"]);
    const [token, spender] = [`0x${"11".repeat(20)}`, `0x${"22".repeat(20)}`];
    for (const trades of [1, 10]) {
      const { to, data } = approvalCall({ token, spender, amount: "250" }, trades);
      expect(to).to.equal(token);
      expect([...erc20.decodeFunctionData("approve", data)]).to.deep.equal([spender, 250n * BigInt(trades)]);
    }
    for (const trades of [0, -1, 0.5, Number.POSITIVE_INFINITY])
      expect(() => approvalCall({ token, spender, amount: "250" }, trades)).to.throw(RangeError);
    expect(() => approvalCall({ token, spender, amount: String(2n ** 255n) }, 2)).to.throw(RangeError);
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
