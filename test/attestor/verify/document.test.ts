import { expect } from "chai";
import fc from "fast-check";
import { AttestorError } from "../../../attestor/values/attestorErrors.ts";
import { decodeText, MAX_DOCUMENT_LENGTH, parseDocument } from "../../../attestor/verify/document.ts";
import { verifyDocument } from "../../../attestor/verify/verify.ts";
import { prepared, soundReport, TRUST } from "../fixtures.ts";

function refusal(text: string): string {
  try {
    parseDocument(text);
  } catch (error) {
    expect(error).to.be.instanceOf(AttestorError).with.property("code", "not_a_document");
    return (error as Error).message;
  }
  return "none";
}

describe("a document's text", () => {
  it("a document's text is read as JSON.parse reads it", () => {
    fc.assert(
      fc.property(fc.json({ maxDepth: 5 }), fc.nat({ max: 4 }), (text, indent) => {
        const written = JSON.stringify(JSON.parse(text), null, indent);
        expect(parseDocument(written)).to.deep.equal(JSON.parse(written));
      }),
    );
  });

  it("a document's text may hold quotes, braces and commas within its strings", () => {
    for (const value of [
      { 'a","a': "}{", "b\\": '",' },
      [['","a":1']],
      { a: { a: { a: "a" } }, b: [{ a: 1 }, { a: 2 }] },
    ])
      expect(parseDocument(JSON.stringify(value))).to.deep.equal(value);
  });

  it("a document's text must not name a member twice, wherever and however it is written", () => {
    for (const text of [
      '{"a":1,"a":1}',
      '{"a":1,"b":{"a":2},"a":3}',
      '[{"x":[{"a":1,"b":2,"a":3}]}]',
      '{"a":1,"\\u0061":2}',
      '{"":1,"":2}',
      '{"a":[1,{"b":"}"}],"a":2}',
      '{"__proto__":1,"__proto__":2}',
    ])
      expect(refusal(text), text).to.contain("twice");
  });

  it("refuses a document that is not JSON", () => {
    for (const text of ["{", "nonsense", "{'a':1}", "[1,]", "NaN", "\u0000"])
      expect(refusal(text), text).to.equal("it is no JSON");
    for (const text of ["", " \n"]) expect(refusal(text)).to.equal("it is empty");
  });

  it("a document's text must not be nested beyond measure", () => {
    const nested = (depth: number) => "[".repeat(depth) + "]".repeat(depth);
    expect(refusal(nested(64))).to.equal("none");
    expect(refusal(nested(65))).to.equal("it is nested too deeply");
    expect(refusal(nested(1_000_000))).to.equal("it is nested too deeply");
    expect(refusal(`${'{"a":'.repeat(100_000)}1${"}".repeat(100_000)}`)).to.equal("it is nested too deeply");
  });

  it("refuses a document that is huge", () => {
    expect(refusal(`"${"x".repeat(MAX_DOCUMENT_LENGTH - 2)}"`)).to.equal("none");
    expect(refusal(`"${"x".repeat(MAX_DOCUMENT_LENGTH)}"`)).to.contain("4 MiB");
  });

  it("is VALID however it is laid out, in UTF-8 and UTF-16, and within the answer of an MCP server", async () => {
    const text = JSON.stringify(await prepared(soundReport()));
    const backwards = JSON.stringify(JSON.parse(text), (_, value) =>
      value?.constructor === Object ? Object.fromEntries(Object.entries(value).reverse()) : value,
    );
    const utf16 = Buffer.from(`\ufeff${text}`, "utf16le");
    for (const bytes of [
      ...[text, `\n${text}\n`, `\ufeff${text}`, backwards, JSON.stringify(JSON.parse(text), null, 4)],
      JSON.stringify({ contents: [{ uri: "assay://jobs/job_9f2c", mimeType: "application/json", text }] }),
      utf16,
      Buffer.from(utf16).swap16(),
    ]) {
      const read = decodeText(typeof bytes === "string" ? Buffer.from(bytes) : bytes);
      expect(verifyDocument(read!, TRUST).verdict).to.equal("VALID");
    }
    expect(verifyDocument(`\ufeff${text}`, TRUST).verdict).to.equal("VALID");
  });

  it("is no text where it is neither UTF-8 nor UTF-16", () => {
    for (const bytes of [
      [0xff, 0x7b],
      [0xc3, 0x28],
      [0xff, 0xfe, 0x00, 0xd8],
      [0xfe, 0xff, 0x7b],
    ])
      expect(decodeText(Uint8Array.from(bytes)), String(bytes)).to.equal(null);
  });

  it("is not the text of an MCP answer with another report beside it, or with more than one text", async () => {
    const text = JSON.stringify(await prepared(soundReport()));
    const report = { ...soundReport(), decision: "DENY" };
    const verdict = (value: object) => verifyDocument(JSON.stringify(value), TRUST).verdict;
    expect(verdict({ contents: [{ text }], report })).to.equal("INVALID");
    expect(verdict({ contents: [{ text }], ...report })).to.equal("INVALID");
    expect(verdict({ contents: [{ text }], execution: {} })).to.equal("UNVERIFIABLE");
    expect(verdict({ contents: [{ text, execution: {} }] })).to.equal("UNVERIFIABLE");
    const answer = {
      contents: [{ uri: "assay://jobs/1", mimeType: "application/json", text }],
      signUrl: "x",
    };
    const { reservations } = verifyDocument(JSON.stringify(answer), TRUST);
    expect(reservations[0]).to.deep.include({ code: "members_unread", params: { members: "signUrl" } });
    expect(verdict({ contents: [{ text }, { text }] })).to.equal("UNVERIFIABLE");
    expect(verdict({ contents: [{ text: "{" }] })).to.equal("UNVERIFIABLE");
    expect(verdict({ contents: [{ text: text.replace("{", '{"jobId":"x",') }] })).to.equal("UNVERIFIABLE");
    expect(verdict({ contents: [{ text: text.replace('"sampleN":40', '"sampleN":4e1') }] })).to.equal(
      "INVALID",
    );
  });

  it("is UNVERIFIABLE where two readers could read it differently", () => {
    const text = JSON.stringify(soundReport());
    for (const odd of [
      "",
      "{",
      "<html>",
      text.slice(1),
      `${text}${text}`,
      text.replace("{", '{"decision":"DENY",'),
    ]) {
      const { verdict, steps } = verifyDocument(odd);
      expect([verdict, steps[0]?.faults[0]?.code]).to.deep.equal(["UNVERIFIABLE", "unreadable"]);
    }
  });

  it("is INVALID with a number that not every reader has exactly, wherever it stands", () => {
    const text = JSON.stringify({ ...soundReport(), note: { 'a\\"1.5': ["1.5", 7] } });
    expect(verifyDocument(text).isConsistent).to.equal(true);
    for (const [from, to] of [
      ...["1e400", "-0", "1790000000.5", "9007199254740993", "1790000000.0000000000000000000001"].map(
        (number) => ['"capturedAt":1790000000', `"capturedAt":${number}`] as const,
      ),
      ['"sampleN":40', '"sampleN":40.0'],
      ['"sampleN":40', '"sampleN":4e1'],
      ['"sampleN":40', '"sampleN":40E0'],
      ['"version":2', '"version":2.0000000000000000000001'],
      ['"1.5",7', '"1.5",7.5'],
    ] as const) {
      const { verdict, steps } = verifyDocument(text.replace(from, to));
      expect([verdict, steps[0]?.faults[0]?.code], to).to.deep.equal(["INVALID", "odd_number"]);
    }
  });
});
