/** Every code that a verification can come to has words, and no words are left of codes that are gone. */
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import type { Fault } from "../../../attestor/values/fault.ts";
import { STEP_NAMES } from "../../../attestor/verify/verification.ts";
import WORDS from "../../../attestor/view/stepWords.json" with { type: "json" };
import { issuerText, reservationText, stepQuestion } from "../../../attestor/view/stepWords.ts";

const ROOT = join(import.meta.dirname, "../../..");
const SOURCES = globSync(
  ["attestor/{evidence,log,proofs,verify}/*.ts", "chain/*.ts", "scripts/verify/*.ts"],
  {
    cwd: ROOT,
  },
).map((path) => readFileSync(join(ROOT, path), "utf8"));
const SOURCE = SOURCES.join("\n");

/** What is written like a code, and is another thing: errors, methods of nodes, a member of a job, a report without proofs. */
const NO_FAULTS = [
  ...["not_a_document", "invalid_input", "upstream_unavailable", "eth_call", "not_required", "proofs_none"],
];
const PLAIN = ["unreadable", "unsigned"];

const found = (pattern: RegExp) => new Set([...SOURCE.matchAll(pattern)].map(([, code]) => code!));
const { faults, reservations, issuers } = WORDS;

describe("the words of a verification", () => {
  it("are there for each code of the sources, and for no other", () => {
    const codes = [...found(/"([a-z]+(?:_[a-z0-9]+)+)"/g)].filter((code) => !NO_FAULTS.includes(code));
    const { today: _, executed: __, ...reasons } = issuers;
    const worded = new Set([...Object.keys({ ...faults, ...reservations, ...reasons })]);
    expect([...worded]).to.have.members([...codes, ...PLAIN]);
    expect(codes.length).to.be.greaterThan(120);
  });

  it("are there for a fault and a reservation alike, where a strict reader does not accept it", () => {
    const codes = (method: string) => found(new RegExp(`account\\.${method}\\(\\s*"\\w+",\\s*"(\\w+)"`, "g"));
    const calls = [...SOURCE.matchAll(/account\.trust\(\s*"\w+",\s*"(\w+)",[^;]*,\s*"[\w-]+"\s*,?\s*\);/g)];
    const flagged = calls.map(([, code]) => code!);
    expect(flagged.length).to.be.greaterThan(5);
    for (const code of [...flagged, ...codes("trustUnlessStrict")])
      expect([code in faults, code in reservations], code).to.deep.equal([true, true]);
    for (const code of [...codes("trust"), ...codes("leave")]) expect(reservations).to.have.property(code);
    for (const code of [...codes("wrong"), ...codes("unknown")]) expect(faults).to.have.property(code);
  });

  it("are there for each step, and for each reason to trust a key", () => {
    expect(Object.keys(WORDS.questions)).to.deep.equal([...STEP_NAMES]);
    for (const name of STEP_NAMES) expect(stepQuestion(name)).to.match(/\?/);
    const params = { signer: "0xA", record: "r", origin: "o", index: 1 };
    for (const code of Object.keys(issuers).filter((name) => name.startsWith("issued_by_")))
      expect(issuerText({ code, params })).to.match(/^by /);
    const today = issuerText({ code: "issued_by_guards_key_today", params });
    expect(today).to.equal("by 0xA, the key of the guard that you named, which the guard names today");
    expect(issuerText({ code: "issued_by_trusted_key_executed", params })).to.contain("had executed");
  });

  it("are short and printable, whatever a document says", () => {
    const of = (members: string): string => {
      const fault: Fault = { code: "members_unread", params: { members } };
      return reservationText({ ...fault, step: "document", kind: "unchecked", flag: null });
    };
    expect(of("x".repeat(1_000_000))).to.have.lengthOf(601);
    expect(of("a\u202eb\u001b[2J\nc")).to.match(/: a\ufffdb\ufffd\[2J c$/);
    const unknown: Fault = { code: "of_a_later_program", params: { name: "x" } };
    expect(reservationText({ ...unknown, step: "chain", kind: "trusted", flag: null })).to.equal(
      "of_a_later_program, name x",
    );
  });
});
