/** What a verification concludes from the decision log: a denial is VALID as issued, for who trusts the log. */
import { expect } from "chai";
import { id } from "ethers";
import { logSigner } from "../../../api/log/key.ts";
import { verifyReport } from "../../../attestor/verify/verify.ts";
import { LOG_KEY, logged, ORIGIN } from "../../support/logged.ts";
import { addressFor, prepared, soundReport } from "../fixtures.ts";

const logKeys = [LOG_KEY];

const told = (document: unknown, options: object = { logKeys }) => {
  const { verdict, steps } = verifyReport(document, options);
  return { verdict, log: steps.find(({ name }) => name === "log"), steps };
};

describe("a report in the decision log", () => {
  const report = soundReport();

  it("a report in the decision log is VALID as issued where nobody certified it, for who trusts the log", () => {
    const { verdict, log, steps } = told(logged(report));
    expect([verdict, log?.outcome]).to.deep.equal(["VALID", "ok"]);
    expect(steps.find(({ name }) => name === "issuer")?.detail).to.contain("which you trust, as its entry 1");
  });

  it("a report in the decision log is UNVERIFIABLE without the log's key, and INVALID with another log's", () => {
    expect(told(logged(report), {}).verdict).to.equal("UNVERIFIABLE");
    expect(told(logged(report), {}).log?.outcome).to.equal("absent");
    const other = logSigner(new Uint8Array(32).fill(1));
    expect(told(logged(report), { logKeys: [other.keyOf(ORIGIN)] }).verdict).to.equal("INVALID");
    expect(told(logged(report, { by: other })).verdict).to.equal("INVALID");
  });

  it("leaves a certified report VALID where the log is not asked for, and asks for the proof where it is", async () => {
    const certified = await prepared(soundReport());
    const options = { signer: certified.execution.certificate.signer };
    expect(told(certified, options).verdict).to.equal("VALID");
    expect(told(certified, options).log).to.equal(undefined);
    expect(told(certified, { ...options, logKeys }).verdict).to.equal("UNVERIFIABLE");
  });

  it("vouches for the key that its certificate was signed with, for who trusts the log and nobody else", async () => {
    const certified = await prepared(soundReport());
    const both = { ...certified, report: logged(certified.report) };
    expect(told(both, {}).verdict).to.equal("UNVERIFIABLE");
    const { verdict, steps } = told(both);
    expect(verdict, JSON.stringify(steps.filter(({ outcome }) => outcome !== "ok"))).to.equal("VALID");
    expect(steps.find(({ name }) => name === "issuer")?.detail).to.contain(
      `the guard's key by entry 1 of the decision log ${ORIGIN}, which you trust`,
    );
    expect(told(both, { logKeys, signer: addressFor("another key") }).verdict).to.equal("INVALID");
    const forged = await prepared(soundReport(), undefined, id("a forger's key"));
    expect(told({ ...forged, report: logged(forged.report) }).verdict).to.equal("INVALID");
  });

  it("vouches for no key that the guard's record says is replaced", async () => {
    const certified = await prepared(soundReport());
    const both = { ...certified, report: logged(certified.report) };
    const { chain, guard } = certified.report.evidence;
    const ended = { address: guard.signer, endedAt: 1_800_000_000 };
    const record = { chainId: chain.chainId, address: guard.address, record: "a record", keys: [ended] };
    expect(told(both, { logKeys, known: [record] }).verdict).to.equal("UNVERIFIABLE");
  });

  it("is UNVERIFIABLE where the guard's record has a log and the trade no entry in it, or one in another log", async () => {
    const certified = await prepared(soundReport());
    const { chain, guard } = certified.report.evidence;
    const keys = [{ address: guard.signer, endedAt: null }];
    const record = { chainId: chain.chainId, address: guard.address, record: "a record", keys };
    const known = [{ ...record, logKeys }];
    expect(told(certified, { known: [record] }).verdict).to.equal("VALID");
    expect(told({ ...certified, report: logged(certified.report) }, { known }).verdict).to.equal("VALID");
    const other = logSigner(new Uint8Array(32).fill(1));
    const elsewhere = { ...certified, report: logged(certified.report, { by: other }) };
    for (const document of [certified, elsewhere]) {
      const { verdict, log } = told(document, { known });
      expect([verdict, log?.outcome]).to.deep.equal(["UNVERIFIABLE", "unknown"]);
    }
  });
});
