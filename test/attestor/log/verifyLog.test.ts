/** `verify` with the decision log: a denial is VALID as issued, and a report that is not the entry is INVALID. */
import { expect } from "chai";
import { id } from "ethers";
import { logSigner } from "../../../api/log/key.ts";
import { verifyReport } from "../../../attestor/verify/verify.ts";
import { LOG_KEY, logged, ORIGIN, SALT, WITNESS } from "../../support/logged.ts";
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

  it("a report in the decision log is INVALID when it is not the entry, whatever differs", () => {
    const sound = logged(report);
    const proof = sound.log!.proof!;
    for (const log of [
      { salt: `0x${"5b".repeat(16)}`, proof },
      { salt: SALT, proof: proof.replace("index 1", "index 0") },
      { salt: SALT, proof: `${proof}x` },
      { salt: SALT, proof: 7 },
      { salt: "0x", proof },
      { salt: SALT, proof, more: 1 },
      "none",
    ])
      for (const options of [{ logKeys }, {}])
        expect(told({ ...sound, log }, options).verdict, JSON.stringify(log).slice(0, 60)).to.equal(
          "INVALID",
        );
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

  it("needs the witnesses that the reader names", () => {
    const options = { logKeys, witnessKeys: [WITNESS] };
    expect(told(logged(report, { cosigned: true }), options).verdict).to.equal("VALID");
    expect(told(logged(report), options).verdict).to.equal("UNVERIFIABLE");
  });
});
