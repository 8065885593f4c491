/** What the decision log says of a report, as data: where it is, or why nobody can tell. */
import { expect } from "chai";
import { logSigner } from "../../../api/log/key.ts";
import { noteText, parseNote } from "../../../attestor/log/note.ts";
import { askServed, type FetchFile } from "../../../attestor/log/served.ts";
import { parseTlogProof, tlogProofText } from "../../../attestor/log/tlogProof.ts";
import { checkpointIn, type LogReader, verifyLog } from "../../../attestor/log/verifyLog.ts";
import type { Report } from "../../../attestor/report.ts";
import { utf8 } from "../../../attestor/values/bytes.ts";
import { LOG_KEY, logged, ORIGIN, SALT, served, WITNESS } from "../../support/logged.ts";
import { soundReport } from "../fixtures.ts";

const TRUSTED: LogReader = { logs: [LOG_KEY], isNamed: true };
const WITNESSED: LogReader = { ...TRUSTED, witnesses: [WITNESS] };
const NOBODY: LogReader = { logs: [], isNamed: false };
const OF_RECORD: LogReader = { ...TRUSTED, isNamed: false };
const STRANGER = logSigner(new Uint8Array(32).fill(1));

const report = soundReport();
const document = logged(report);

const read = (claimed: object, reader: LogReader) => verifyLog({ ...claimed }, report, reader);
/** The outcome, and the codes that keep it from ok. */
function told(claimed: object, reader: LogReader = TRUSTED): string {
  const { outcome, faults } = read(claimed, reader);
  return [outcome, ...faults.map(({ code }) => code)].join(" ");
}

/** The document with another checkpoint under its proof. */
function withCheckpoint(of: Report, change: (checkpoint: string) => string): object {
  const proof = parseTlogProof(of.log!.proof!);
  const changed = tlogProofText({ ...proof, checkpoint: change(proof.checkpoint) });
  return { ...of, log: { salt: SALT, proof: changed } };
}

describe("a report in the decision log", () => {
  it("has its place in a log that the reader trusts, by whose key alone the tree is the public one", () => {
    expect(read(document, TRUSTED)).to.deep.equal({
      outcome: "ok",
      faults: [],
      place: { origin: ORIGIN, index: 1, size: 2 },
      logged: { origin: ORIGIN, index: 1 },
      vouchedBy: null,
    });
  });

  it("is not asked for by a reader who knows no log, and missed by one who does", () => {
    const { log: _, ...bare } = document;
    const unproved = { ...bare, log: { salt: SALT, proof: null } };
    expect(told(bare, NOBODY)).to.equal("not asked log_absent");
    expect(told(unproved, NOBODY)).to.equal("not asked log_proof_missing");
    for (const reader of [TRUSTED, OF_RECORD, { ...NOBODY, witnesses: [WITNESS] }]) {
      expect(told(bare, reader)).to.equal("unknown log_absent");
      expect(told(unproved, reader)).to.equal("unknown log_proof_missing");
    }
  });

  it("is nobody's entry without a key, and another log's under another key", () => {
    expect(read(document, NOBODY)).to.include({ outcome: "not asked", logged: null });
    expect(told(document, NOBODY)).to.equal("not asked log_unchecked");
    const forged = logged(report, { by: STRANGER });
    expect(told(forged)).to.equal("wrong log_unknown_key");
    // A record may be older than the key.
    expect(told(forged, OF_RECORD)).to.equal("unknown log_unknown_key");
    expect(told(document, { logs: [STRANGER.keyOf(ORIGIN)], isNamed: true })).to.equal(
      "wrong log_unknown_key",
    );
    expect(read(forged, OF_RECORD).logged).to.equal(null);
  });

  it("is wrong, for every reader, when anything of it differs from the entry", () => {
    const proof = document.log!.proof!;
    const wrong: [unknown, string][] = [
      [{ salt: `0x${"5b".repeat(16)}`, proof }, "log_entry_other"],
      [{ salt: SALT, proof: proof.replace("index 1", "index 0") }, "log_entry_other"],
      [{ salt: SALT, proof: `${proof}x` }, "log_proof_broken"],
      [{ salt: SALT, proof: 7 }, "log_format"],
      [{ salt: "0x", proof }, "log_format"],
      [{ salt: SALT, proof, more: 1 }, "log_format"],
      ["none", "log_format"],
    ];
    for (const [log, code] of wrong)
      for (const reader of [TRUSTED, NOBODY])
        expect(told({ ...document, log }, reader)).to.equal(`wrong ${code}`);
    const other = verifyLog({ ...document }, { ...report, decision: "DENY" }, TRUSTED);
    expect(other.faults.map(({ code }) => code)).to.deep.equal(["log_entry_other"]);
  });

  it("is wrong under a signature that does not hold, also behind one of the same key that does", () => {
    const bent = (checkpoint: string, keep: boolean) => {
      const note = parseNote(checkpoint);
      const broken = note.signatures.map((line) => ({
        ...line,
        signature: line.signature.map((byte) => byte ^ 1),
      }));
      return noteText({ ...note, signatures: keep ? [...note.signatures, ...broken] : broken });
    };
    for (const keep of [false, true]) {
      expect(told(withCheckpoint(document, (note) => bent(note, keep)))).to.equal("wrong log_proof_broken");
      const cosigned = withCheckpoint(logged(report, { cosigned: true }), (note) => bent(note, keep));
      expect(told(cosigned, WITNESSED)).to.equal("wrong log_proof_broken");
    }
    const twice = withCheckpoint(document, (checkpoint) => {
      const note = parseNote(checkpoint);
      return noteText({ ...note, signatures: [...note.signatures, ...note.signatures] });
    });
    expect(told(twice)).to.equal("ok");
  });

  it("needs the witnesses that the reader names", () => {
    expect(read(logged(report, { cosigned: true }), WITNESSED)).to.include({
      outcome: "ok",
      vouchedBy: "witnesses",
    });
    expect(told(document, WITNESSED)).to.equal("unknown witness_missing");
    expect(told(document, { ...NOBODY, witnesses: [WITNESS] })).to.equal("unknown log_unchecked");
  });
});

describe("the tree that a log's service serves", () => {
  const note = checkpointIn({ ...document })!;
  const asked = async (file: FetchFile, reader = TRUSTED, of = document) => {
    const source = { file, pause: async () => {} };
    const tree = await askServed(checkpointIn({ ...of })!, reader, source);
    return read(of, { ...reader, served: tree });
  };
  const toldBy = async (...given: Parameters<typeof asked>) => {
    const { outcome, faults } = await asked(...given);
    return [outcome, ...faults.map(({ code, params }) => `${code} ${Object.values(params).join(" ")}`)].join(
      " ",
    );
  };

  it("vouches for a proof of any part of it", async () => {
    for (const size of [2, 3, 4, 5, 255, 256, 257, 700])
      expect(await asked(served(report, size))).to.include({ outcome: "ok", vouchedBy: "service" });
  });

  it("says nothing of another proof", () => {
    const params = { how: "apart", size: 9 } as const;
    const fault = { code: "log_contradicts", params } as const;
    const other = { note: `${note}x`, size: 9, fault, witnesses: [] };
    expect(told(document, { ...TRUSTED, served: other })).to.equal("ok");
    expect(told(document, { ...TRUSTED, served: { ...other, note } })).to.equal("wrong log_contradicts");
  });

  it("contradicts a private, forked or larger tree of the right key", async () => {
    for (const size of [2, 3, 300])
      expect(await toldBy(served(null, size))).to.equal(`wrong log_contradicts apart ${size}`);
    expect(await toldBy(served(report, 1))).to.equal("wrong log_contradicts smaller 1");
    expect((await asked(served(null, 300))).logged).to.equal(null);
  });

  it("may be a smaller one for a moment, which a cache still had", async () => {
    const sizes = [served(report, 1), served(report, 5)];
    const cached: FetchFile = (path) =>
      (path.endsWith("checkpoint") ? sizes.shift()! : served(report, 5))(path);
    expect(await toldBy(cached)).to.equal("ok");
  });

  it("is unknown where the service answers nothing, HTML, another log or tiles of no tree", async () => {
    const sound = served(report, 300);
    const html = async () => utf8("<!doctype html>\n\n<p>\n");
    const files: FetchFile[] = [
      () => Promise.reject(new Error("it cannot be reached")),
      html,
      served(report, 300, { by: STRANGER }),
      async (path) => utf8(new TextDecoder().decode(await sound(path)).replaceAll(ORIGIN, `${ORIGIN}/2`)),
      async (path) => (path.includes("tile") ? new Uint8Array((await sound(path)).length) : sound(path)),
      async (path) => (path.includes("tile") ? html() : sound(path)),
    ];
    for (const file of files) expect(await toldBy(file)).to.match(/^unknown log_not_served ./);
  });

  it("carries a witness's word of a later tree, and contradicts the proof where that is another tree", async () => {
    for (const cosigned of [2, 7, 300])
      expect(await toldBy(served(report, 300, { cosigned }), WITNESSED)).to.equal("ok");
    for (const cosigned of [0, 1])
      expect(await toldBy(served(report, 300, { cosigned }), WITNESSED)).to.equal(
        `unknown witness_missing ${WITNESS.name}`,
      );
    const split =
      (size: number): FetchFile =>
      (path) =>
        (path.endsWith("cosigned") ? served(null, size, { cosigned: size }) : served(report, 300))(path);
    for (const size of [7, 300])
      expect(await toldBy(split(size), WITNESSED)).to.equal(`wrong log_contradicts cosigned ${size}`);
    // Its own witness does not outweigh the service.
    const own = logged(report, { cosigned: true });
    expect(await toldBy(served(null, 300), WITNESSED, own)).to.equal("wrong log_contradicts apart 300");
  });
});
