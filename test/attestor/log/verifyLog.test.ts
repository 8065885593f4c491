/** `verify` with the decision log: a denial is VALID as issued, and a report that is not the entry is INVALID. */
import { ed25519 } from "@noble/curves/ed25519.js";
import { concatBytes } from "@noble/hashes/utils.js";
import { expect } from "chai";
import { developmentLogSigner, logSigner, signing } from "../../../api/log/key.ts";
import { utf8 } from "../../../attestor/bytes.ts";
import { entryOf, entryText } from "../../../attestor/log/entry.ts";
import { Frontier } from "../../../attestor/log/frontier.ts";
import { HASHER } from "../../../attestor/log/hasher.ts";
import { cosignedMessage, noteText, parseNote, timeBytes, verifierKey } from "../../../attestor/log/note.ts";
import { tlogProofText } from "../../../attestor/log/tlogProof.ts";
import type { Report } from "../../../attestor/report.ts";
import { verifyReport } from "../../../attestor/verify.ts";
import { prepared, soundReport } from "../fixtures.ts";

const ORIGIN = "assay.example.com/log/2026";
const signer = developmentLogSigner();
const logKeys = [signer.keyOf("assay.example.com/log")];
const SALT = `0x${"5a".repeat(16)}`;
const witnessSeed = new Uint8Array(32).fill(3);
const witness = verifierKey("witness.example/w", 4, ed25519.getPublicKey(witnessSeed));

/** The report as a service answers it that has one entry before it in its log. */
function logged(report: Report, { by = signer, cosigned = false } = {}): Report {
  const before = HASHER.leaf(utf8("before"));
  const leaf = HASHER.leaf(utf8(entryText(entryOf(report, SALT))));
  const tree = new Frontier(0, []);
  tree.append(before);
  tree.append(leaf);
  let checkpoint = by.sign({ origin: ORIGIN, size: 2, root: tree.root() });
  if (cosigned) {
    const note = parseNote(checkpoint);
    const signature = concatBytes(timeBytes(9n), signing(witnessSeed)(cosignedMessage(note.text, 9n)));
    const line = { name: witness.name, keyId: witness.id, signature };
    checkpoint = noteText({ ...note, signatures: [...note.signatures, line] });
  }
  return { ...report, log: { salt: SALT, proof: tlogProofText({ index: 1, path: [before], checkpoint }) } };
}

const told = (document: unknown, options: object = { logKeys }) => {
  const { verdict, steps } = verifyReport(document, options);
  return { verdict, log: steps.find(({ name }) => name === "log"), steps };
};

describe("a report in the decision log", () => {
  const report = soundReport();

  it("is VALID as issued where nobody certified it, for who trusts the log", () => {
    const { verdict, log, steps } = told(logged(report));
    expect([verdict, log?.outcome]).to.deep.equal(["VALID", "ok"]);
    expect(steps.find(({ name }) => name === "issuer")?.detail).to.contain("which you trust, as its entry 1");
  });

  it("is UNVERIFIABLE without the log's key, and INVALID with another log's", () => {
    expect(told(logged(report), {}).verdict).to.equal("UNVERIFIABLE");
    expect(told(logged(report), {}).log?.outcome).to.equal("absent");
    const other = logSigner(new Uint8Array(32).fill(1));
    expect(told(logged(report), { logKeys: [other.keyOf(ORIGIN)] }).verdict).to.equal("INVALID");
    expect(told(logged(report, { by: other })).verdict).to.equal("INVALID");
  });

  it("is INVALID when it is not the entry, whatever differs", () => {
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

  it("needs the witnesses that the reader names", () => {
    const options = { logKeys, witnessKeys: [witness] };
    expect(told(logged(report, { cosigned: true }), options).verdict).to.equal("VALID");
    expect(told(logged(report), options).verdict).to.equal("UNVERIFIABLE");
  });
});
