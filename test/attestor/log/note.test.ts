/** Signed notes, checkpoints and proofs, against the examples of the specifications and against node:crypto. */
import { createHash, createPrivateKey, type KeyObject, sign } from "node:crypto";
import { ed25519 } from "@noble/curves/ed25519.js";
import { concatBytes } from "@noble/hashes/utils.js";
import { expect } from "chai";
import * as fc from "fast-check";
import { checkpointText, openCheckpoint, parseCheckpoint } from "../../../attestor/log/checkpoint.ts";
import { entryOf, entryText, jobIdHash } from "../../../attestor/log/entry.ts";
import { HASHER } from "../../../attestor/log/hasher.ts";
import {
  cosignedMessage,
  holds,
  noteText,
  parseNote,
  parseVkey,
  timeBytes,
  timeOf,
  type VerifierKey,
  verifierKey,
  vkeyText,
} from "../../../attestor/log/note.ts";
import { parseTlogProof, tlogProofText } from "../../../attestor/log/tlogProof.ts";
import { utf8 } from "../../../attestor/values/bytes.ts";

/** The example of https://c2sp.org/signed-note. */
const EXAMPLE = `This is an example message.

— example.com/foo Uw2QOkn8srV1yJGh2VYRlL1Tnagv1YEq6TfXppzi2ONncAlTgK7Ztg1ERYNZXsYjOBH3mFXmRKuwHjG1Yu72IneyaQM=
`;
const EXAMPLE_KEY = "example.com/foo+530d903a+AekyeRrm56hApGFkyQR4ZCbV54Id2LKaANYcrnKv3U2k";

const SEED = new Uint8Array(32).fill(7);
const PUBLIC = ed25519.getPublicKey(SEED);
const key: KeyObject = createPrivateKey({
  key: Buffer.concat([Buffer.from("302e020100300506032b657004220420", "hex"), SEED]),
  format: "der",
  type: "pkcs8",
});
const log = verifierKey("assay.example.com/log", 1, PUBLIC);
const witness = verifierKey("witness.example/w1", 4, PUBLIC);
const checkpoint = { origin: log.name, size: 7, root: HASHER.leaf(utf8("x")) };

function signedBy(text: string, ...keys: VerifierKey[]): string {
  const signatures = keys.map(({ name, id, kind }) => {
    const time = 1_763_000_000n;
    const bytes =
      kind === 1
        ? sign(null, utf8(text), key)
        : concatBytes(timeBytes(time), sign(null, cosignedMessage(text, time), key));
    return { name, keyId: id, signature: new Uint8Array(bytes) };
  });
  return noteText({ text, signatures });
}

describe("signed notes", () => {
  it("of the specification's example hold, and of no other text", () => {
    const vkey = parseVkey(EXAMPLE_KEY);
    expect(vkeyText(vkey)).to.equal(EXAMPLE_KEY);
    const note = parseNote(EXAMPLE);
    expect(noteText(note)).to.equal(EXAMPLE);
    expect(holds(vkey, note.text, note.signatures[0]!)).to.equal(true);
    expect(holds(vkey, note.text.replace("an", "no"), note.signatures[0]!)).to.equal(false);
    expect(holds(verifierKey("example.com/bar", 1, vkey.publicKey), note.text, note.signatures[0]!)).to.equal(
      false,
    );
  });

  it("signed notes are read as they were written, with any text", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme", maxLength: 80 }), (words) => {
        const text = `${words.replace(/\p{Cc}/gu, "\n")}\n`;
        expect(parseNote(signedBy(text, log)).text).to.equal(text);
      }),
      { numRuns: 30 },
    );
  });

  it("that are none are refused in words, and never with a crash", () => {
    for (const bad of [
      "",
      "text\n",
      "text\n\n",
      "text\n\n- a b\n",
      "text\n\n— a !!\n",
      "a\tb\n\n— a AAAAAAA=\n",
    ])
      expect(() => parseNote(bad), JSON.stringify(bad)).to.throw(/note|signature/);
    for (const bad of [
      "",
      "a+b",
      "a b+00000000+AA==",
      EXAMPLE_KEY.replace("530d", "530e"),
      `${EXAMPLE_KEY}A`,
    ])
      expect(() => parseVkey(bad), bad).to.throw();
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom("a", "\n", "—", " ", "A", "=", "+", "/") }), (text) => {
        try {
          parseNote(text);
        } catch (error) {
          expect((error as Error).name).to.equal("LogError");
        }
      }),
    );
  });

  it("carry the time of a cosignature, and hold for that time alone", () => {
    const { text, signatures } = parseNote(signedBy(checkpointText(checkpoint), witness));
    const line = signatures[0]!;
    expect(timeOf(line)).to.equal(1_763_000_000n);
    expect(holds(witness, text, line)).to.equal(true);
    const later = { ...line, signature: concatBytes(timeBytes(1_763_000_001n), line.signature.slice(8)) };
    expect(holds(witness, text, later)).to.equal(false);
    expect(holds({ ...log, name: line.name, id: line.keyId }, text, line)).to.equal(false);
  });
});

describe("checkpoints", () => {
  it("checkpoints are opened with the key of their log, and with no other", () => {
    const note = signedBy(checkpointText(checkpoint), log, witness);
    expect(openCheckpoint(note, { logs: [log], witnesses: [witness] })).to.deep.include({
      ...checkpoint,
      witnesses: [witness.name],
    });
    expect(openCheckpoint(note, { logs: [log] }).witnesses).to.deep.equal([]);
    const next = verifierKey(`${log.name}/2`, 1, PUBLIC);
    expect(() => openCheckpoint(note, { logs: [next] })).to.throw("no known key");
    const asWitness = verifierKey(log.name, 4, PUBLIC);
    expect(() => openCheckpoint(note, { logs: [asWitness] })).to.throw("no known key");
    const other = verifierKey(log.name, 1, ed25519.getPublicKey(new Uint8Array(32).fill(8)));
    expect(() => openCheckpoint(note, { logs: [other] })).to.throw("did not sign it");
    expect(() => openCheckpoint(note, { logs: [verifierKey("other.example/log", 1, PUBLIC)] })).to.throw(
      "no known key",
    );
    expect(() => openCheckpoint(note, { logs: [] })).to.throw("no known key");
  });

  it("with a signature under a known name that does not hold are refused whole", () => {
    const note = parseNote(signedBy(checkpointText(checkpoint), log, witness));
    const broken = note.signatures.map((line) => ({
      ...line,
      signature: line.signature.map((byte) => byte ^ 1),
    }));
    expect(() =>
      openCheckpoint(noteText({ ...note, signatures: [note.signatures[0]!, broken[1]!] }), {
        logs: [log],
        witnesses: [witness],
      }),
    ).to.throw("witness.example/w1 does not hold");
    expect(() => openCheckpoint(noteText({ ...note, signatures: [broken[0]!] }), { logs: [log] })).to.throw(
      "does not hold",
    );
  });

  it("checkpoints are origin, size and root, and nothing that could be read in two ways", () => {
    const text = checkpointText(checkpoint);
    expect(parseCheckpoint(text)).to.deep.equal(checkpoint);
    expect(parseCheckpoint(`${text}extension\n`)).to.deep.equal(checkpoint);
    for (const bad of [
      text.replace("7\n", "07\n"),
      text.slice(0, -1),
      `${text}\n`,
      text.replace("7\n", "9007199254740993\n"),
      "\n7\n",
    ])
      expect(() => parseCheckpoint(bad), JSON.stringify(bad)).to.throw("no checkpoint");
  });
});

describe("proofs that stand alone", () => {
  it("proofs that stand alone are read as they were written, with an extra line or without", () => {
    const proof = {
      index: 3,
      path: [HASHER.empty, checkpoint.root],
      checkpoint: signedBy(checkpointText(checkpoint), log),
    };
    const text = tlogProofText(proof);
    expect(text.startsWith("c2sp.org/tlog-proof@v1\nindex 3\n")).to.equal(true);
    expect(parseTlogProof(text)).to.deep.equal(proof);
    expect(parseTlogProof(text.replace("index", "extra YQ==\nindex"))).to.deep.equal(proof);
    const single = { ...proof, index: 0, path: [] };
    expect(parseTlogProof(tlogProofText(single))).to.deep.equal(single);
    for (const bad of [
      "",
      text.replace("v1", "v2"),
      text.replace("index 3", "index 03"),
      text.replace("index 3\n", ""),
      text.replace("47DE", "!!!!"),
    ])
      expect(() => parseTlogProof(bad), bad.slice(0, 40)).to.throw();
  });
});

describe("an entry of the log", () => {
  const report = {
    jobId: "job_1",
    version: 1,
    decision: "DENY" as const,
    evidenceHash: `0x${"1".repeat(64)}`,
    policyHash: `0x${"2".repeat(64)}`,
    registryHash: `0x${"3".repeat(64)}`,
    evidence: { capturedAt: 1_763_000_000 },
  };

  it("an entry of the log is one text, names no owner and no amount, and its job by a salted hash alone", () => {
    const salt = `0x${"0f".repeat(16)}`;
    const answer = (version: number) =>
      `0x${createHash("sha256").update(`assay answer\njob_1\n${version}`).digest("hex")}`;
    expect(entryText(entryOf(report, salt))).to.equal(
      `{"answer":"${answer(1)}","capturedAt":1763000000,"decision":"DENY","evidenceHash":"0x${"1".repeat(64)}","jobIdHash":"${jobIdHash(salt, "job_1")}","kind":"judgement","policyHash":"0x${"2".repeat(64)}","registryHash":"0x${"3".repeat(64)}","schema":"assay.log-entry/1","version":1}`,
    );
    expect(jobIdHash(salt, "job_1")).to.equal(
      "0x6bf5a09b50a87360bf361b0be124929d8874806b819d3f733ea4ff59cc3dda20",
    );
    // A second answer to the same question shows, whatever its salt and its decision are.
    const again = entryOf({ ...report, decision: "ALLOW" }, `0x${"0e".repeat(16)}`);
    expect(again.answer).to.equal(answer(1));
    expect(entryOf({ ...report, version: 2 }, salt).answer).to.equal(answer(2));
    expect(jobIdHash(`0x${"0e".repeat(16)}`, "job_1")).not.to.equal(jobIdHash(salt, "job_1"));
  });
});
