import { expect } from "chai";
import { decodeGuardCall } from "../../../chain/guard/calls.ts";
import { prepared, soundReport } from "../../attestor/fixtures.ts";

describe("a call of the guard in a transaction", () => {
  it("tells owner and certificate, whoever sent it", async () => {
    const report = soundReport();
    const { execution } = await prepared(report);
    for (const { data } of [execution.guardCall, execution.relayedCall]) {
      const call = decodeGuardCall(data);
      expect(call?.tradeIntent.owner).to.equal(execution.tradeIntent.message.owner);
      expect(call?.certificate.evidenceHash).to.equal(report.evidenceHash);
    }
  });

  it("is none in other data, and in data that end too early", async () => {
    const { execution } = await prepared(soundReport());
    const { data } = execution.guardCall;
    for (const other of ["0x", data.slice(0, -2), "0xcd601439", data.slice(0, 10)])
      expect(decodeGuardCall(other)).to.equal(null);
  });
});
