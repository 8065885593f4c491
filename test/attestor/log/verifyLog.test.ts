/** `verify` with the decision log: a denial is VALID as issued, and a report that is not the entry is INVALID. */
import { expect } from "chai";
import { id } from "ethers";
import { logSigner } from "../../../api/log/key.ts";
import type { VerifierKey } from "../../../attestor/log/note.ts";
import { askServed, type FetchFile } from "../../../attestor/log/served.ts";
import { checkpointIn } from "../../../attestor/log/verifyLog.ts";
import { utf8 } from "../../../attestor/values/bytes.ts";
import { verifyReport } from "../../../attestor/verify/verify.ts";
import { LOG_KEY, logged, ORIGIN, SALT, served, WITNESS } from "../../support/logged.ts";
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

  it("a report in the decision log is INVALID when it differs from the entry in any way", () => {
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

  describe("compared with what the service serves", () => {
    const document = logged(report);
    const note = checkpointIn(document as never)!;
    const asked = async (file: FetchFile, options: { witnessKeys?: VerifierKey[] } = {}, of = document) => {
      const trust = { logs: logKeys, witnesses: options.witnessKeys ?? [] };
      const source = { file, pause: async () => {} };
      const tree = await askServed(checkpointIn(of as never)!, trust, source);
      return told(of, { logKeys, ...options, served: tree });
    };

    it("is VALID where its tree of any size is the served one or part of it, and says that only the key vouches for it where nobody is asked", async () => {
      for (const size of [2, 3, 4, 5, 255, 256, 257, 700]) {
        const { verdict, log } = await asked(served(report, size));
        expect([verdict, log?.detail]).to.deep.equal([
          "VALID",
          `It is entry 1 of 2 of the log ${ORIGIN}, which the log signed, and its tree is part of the one of ${size} entries that the service serves.`,
        ]);
      }
      expect(told(document).log?.detail).to.contain(
        "Only the log's key vouches that this tree is the public",
      );
      // What was asked of another proof says nothing of this one.
      const other = { note: `${note}x`, outcome: "wrong", detail: "", witnesses: [] };
      expect(told(document, { logKeys, served: other }).verdict).to.equal("VALID");
    });

    it("is INVALID by a private, forked or larger tree of the right key", async () => {
      for (const [file, words] of [
        [served(null, 300), "its tree is no part of the one of 300 entries"],
        [served(null, 3), "its tree is no part of the one of 3 entries"],
        [served(null, 2), "its tree is no part of the one of 2 entries"],
        [served(report, 1), "the service serves a tree of 1 entries"],
      ] as const) {
        const { verdict, log } = await asked(file);
        expect([verdict, log?.outcome, log?.detail]).to.deep.equal(["INVALID", "wrong", log?.detail]);
        expect(log?.detail).to.contain(words);
      }
    });

    it("takes a smaller checkpoint that a cache still had for no contradiction", async () => {
      const sizes = [served(report, 1), served(report, 5)];
      expect(
        (await asked((path) => (path.endsWith("checkpoint") ? sizes.shift()! : served(report, 5))(path)))
          .verdict,
      ).to.equal("VALID");
    });

    it("is UNVERIFIABLE where the service answers nothing, HTML, another log or tiles of no tree", async () => {
      const sound = served(report, 300);
      const html = async () => utf8("<!doctype html>\n\n<p>\n");
      const files: FetchFile[] = [
        () => Promise.reject(new Error("it cannot be reached")),
        html,
        served(report, 300, { by: logSigner(new Uint8Array(32).fill(1)) }),
        async (path) => utf8(new TextDecoder().decode(await sound(path)).replaceAll(ORIGIN, `${ORIGIN}/2`)),
        async (path) => (path.includes("tile") ? new Uint8Array((await sound(path)).length) : sound(path)),
        async (path) => (path.includes("tile") ? html() : sound(path)),
      ];
      for (const file of files) {
        const { verdict, log } = await asked(file);
        expect([verdict, log?.outcome]).to.deep.equal(["UNVERIFIABLE", "unknown"]);
        expect(log?.detail).to.contain("whether the service serves that tree is not known: ");
      }
    });

    it("takes a witness's word under a later tree that the service serves, and is INVALID where that is another tree", async () => {
      const witnessKeys = [WITNESS];
      const outcome = async (file: FetchFile, of = document) =>
        (await asked(file, { witnessKeys }, of)).verdict;
      for (const cosigned of [2, 7, 300])
        expect(await outcome(served(report, 300, { cosigned }))).to.equal("VALID");
      for (const cosigned of [0, 1])
        expect(await outcome(served(report, 300, { cosigned }))).to.equal("UNVERIFIABLE");
      const split =
        (size: number): FetchFile =>
        (path) =>
          (path.endsWith("cosigned") ? served(null, size, { cosigned: size }) : served(report, 300))(path);
      for (const size of [7, 300]) expect(await outcome(split(size))).to.equal("INVALID");
      // Its own witness does not outweigh the service.
      expect(await outcome(served(null, 300), logged(report, { cosigned: true }))).to.equal("INVALID");
    });
  });

  it("needs the witnesses that the reader names", () => {
    const options = { logKeys, witnessKeys: [WITNESS] };
    expect(told(logged(report, { cosigned: true }), options).verdict).to.equal("VALID");
    expect(told(logged(report), options).verdict).to.equal("UNVERIFIABLE");
  });
});
