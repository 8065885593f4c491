import { expect } from "chai";
import fc from "fast-check";
import { AttestorError } from "../../../attestor/values/attestorErrors.ts";
import { MAX_DOCUMENT_LENGTH, parseDocument } from "../../../attestor/verify/document.ts";

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
});
