import { expect } from "chai";
import { Interface } from "ethers";
import { authorize } from "../../../attestor/attest.ts";
import { buildExecution } from "../../../attestor/certificate/execution.ts";
import { policyById } from "../../../attestor/policies/policy.ts";
import { TradeGuard__factory } from "../../../types/contracts/factories/contracts/TradeGuard__factory.ts";
import { soundReport } from "../fixtures.ts";

const GUARD = TradeGuard__factory.createInterface();
const TOKEN = new Interface(["function approve(address spender, uint256 amount) returns (bool)"]);
const SIGNATURE = `0x${"11".repeat(32)}${"22".repeat(32)}1b`;

describe("the execution of an allowed report", () => {
  const report = soundReport();
  const guard = report.evidence.guard.address;

  function executionWith(currentAllowance: string) {
    const call = { callDataHash: `0x${"33".repeat(32)}`, nonce: "77", deadline: 2_000_000_000 };
    return buildExecution(report, {
      ...authorize(policyById("STRICT_LIVE"), report, call),
      signature: SIGNATURE,
      signer: report.evidence.guard.signer,
      routeCallData: "0x38ed1739",
      currentAllowance,
    });
  }

  it("calls the guard with what is signed: without the owner's signature, and with a place for it", () => {
    const { tradeIntent, certificate, guardCall, relayedCall } = executionWith("0");
    expect(relayedCall.args).to.deep.equal(guardCall.args);
    for (const [{ data }, length] of [
      [guardCall, 0],
      [relayedCall, 65],
    ] as const) {
      const call = GUARD.parseTransaction({ data })!;
      const { intent, certificate: certified, ...rest } = call.args.toObject();
      expect(call.name).to.equal("execute");
      expect(intent.policyHash).to.equal(report.policyHash).and.to.equal(tradeIntent.message.policyHash);
      expect(certified.intentHash).to.equal(certificate.message.intentHash);
      expect(rest.certificateSignature).to.equal(SIGNATURE);
      expect(rest.ownerSignature).to.equal(`0x${"00".repeat(length)}`);
    }
  });

  it("names its arguments as the guard's interface does", () => {
    const names = GUARD.getFunction("execute").inputs.map(({ name }) => name);
    expect(Object.keys(executionWith("0").guardCall.args)).to.have.members(names);
  });

  it("approves exactly the amount, and takes a smaller allowance back first", () => {
    const { amountInRaw } = report.evidence.intent;
    const approved = (allowance: string) =>
      executionWith(allowance).approval.calls.map(({ to, data }) => {
        const [spender, amount] = TOKEN.decodeFunctionData("approve", data);
        expect([to, spender]).to.deep.equal([executionWith("0").approval.token, guard]);
        return String(amount);
      });
    const less = String(BigInt(amountInRaw) - 1n);
    expect(approved("0")).to.deep.equal([amountInRaw]);
    expect(approved("1")).to.deep.equal(["0", amountInRaw]);
    expect(approved(less)).to.deep.equal(["0", amountInRaw]);
    expect(approved(amountInRaw)).to.deep.equal([]);
    expect(approved(String(2n ** 256n - 1n))).to.deep.equal([]);
  });
});
