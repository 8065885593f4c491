/** A real prepared trade, changed in any way: VALID only where its meaning is unchanged. */
import { expect } from "chai";
import fc from "fast-check";
import { sameJson } from "../../attestor/values/json.ts";
import { verifyDocument, verifyReport } from "../../attestor/verify/verify.ts";
import { READERS } from "../../workshop/vectors/documents/readers.ts";
import { answerOf } from "../../workshop/vectors/documents/service.ts";
import { readerOf } from "../../workshop/vectors/documentVector.ts";
import { copy } from "./fixtures.ts";

type Json = null | boolean | number | string | Json[] | { [name: string]: Json };
type Path = readonly (string | number)[];

const isBranch = (value: unknown): value is Record<string, Json> | Json[] =>
  typeof value === "object" && value !== null;

function pathsOf(value: Json, before: Path = []): Path[] {
  const own = before.length === 0 ? [] : [before];
  if (!isBranch(value)) return own;
  const keys = Array.isArray(value) ? value.keys() : Object.keys(value);
  return [...own, ...[...keys].flatMap((key) => pathsOf((value as any)[key], [...before, key]))];
}

const READER = readerOf(READERS.everything);
const at = (value: any, path: Path): any => path.reduce((inner, key) => inner?.[key], value);

/** What a document may lack without saying anything else. */
const OPTIONAL = [
  "execution.certificate.signer",
  "execution.certificate.types.EIP712Domain",
  "execution.tradeIntent.types.EIP712Domain",
];
const CALLS = ["guardCall", "relayedCall", "approval"];

/** Whether a document that is VALID says what the original says, as far as the verification vouches for it. */
function saysTheSame(changed: any, original: any): boolean {
  const mine = copy(changed);
  // The log has the report: without its execution it vouches for no trade.
  mine.execution ??= original.execution;
  // Unknown members around the report are listed and not vouched for.
  for (const name of Object.keys(mine)) if (!Object.hasOwn(original, name)) delete mine[name];
  if (isBranch(mine.report))
    for (const name of Object.keys(mine.report))
      if (!Object.hasOwn(original.report, name)) delete (mine.report as any)[name];
  for (const name of OPTIONAL) {
    const path = name.split(".");
    const holder = at(mine, path.slice(0, -1));
    if (isBranch(holder) && !Object.hasOwn(holder, path.at(-1)!))
      (holder as any)[path.at(-1)!] = at(original, path);
  }
  for (const call of CALLS)
    if (mine.execution?.[call] === undefined || mine.execution[call] === null)
      mine.execution[call] = original.execution[call];
  mine.execution.approval.currentAllowance = original.execution.approval.currentAllowance;
  return sameJson(mine, original);
}

const ANYTHING = fc.oneof(
  fc.jsonValue({ maxDepth: 2 }) as fc.Arbitrary<Json>,
  fc.constantFrom<Json>("0x", "0", 0, 1, "1", null, true, false, "ALLOW", "DENY", [], {}),
);
const MEMBERS = fc.oneof(
  fc.constantFrom("to", "value", "data", "gas", "from", "__proto__", "constructor", "EIP712Domain", "x"),
  fc.string({ minLength: 1, maxLength: 8 }),
);
const CHARACTERS = fc.oneof(
  fc.string({ unit: "grapheme-ascii", minLength: 1, maxLength: 1 }),
  fc.constantFrom("0", "1", "a", "A", "f", ".", "-", "e", '"', " ", "\\"),
);

describe("a prepared trade that somebody changed", function () {
  this.timeout(300_000);

  let original: any;
  let text: string;
  let paths: Path[];
  before(async () => {
    original = await answerOf();
    text = JSON.stringify(original);
    paths = pathsOf(original);
  });

  const check = (changed: unknown, what: string) => {
    const { verdict } = verifyReport(changed, READER);
    if (verdict === "VALID") expect(saysTheSame(changed, original), what).to.equal(true);
    return verdict;
  };
  /** A copy, with what holds the member at the path. */
  const opened = (path: Path) => {
    const changed = copy(original);
    return { changed, holder: at(changed, path.slice(0, -1)), key: path.at(-1)! };
  };

  it("is VALID as it was made", () => {
    expect(verifyDocument(text, READER).verdict).to.equal("VALID");
    expect(paths.length).to.be.greaterThan(350);
  });

  it("is never VALID without one of its members, unless that says nothing", () => {
    const harmless = paths.filter((path) => {
      const { changed, holder, key } = opened(path);
      if (Array.isArray(holder)) holder.splice(Number(key), 1);
      else delete holder[key];
      return check(changed, path.join(".")) === "VALID";
    });
    expect(harmless.map((path) => path.join("."))).to.have.members([
      "execution",
      ...OPTIONAL,
      ...CALLS.map((name) => `execution.${name}`),
    ]);
  });

  it("is never VALID with another value in place of any of its members", () => {
    const anywhere = fc.constantFrom(...paths);
    fc.assert(
      fc.property(anywhere, ANYTHING, (path, value) => {
        const { changed, holder, key } = opened(path);
        holder[key] = value;
        check(changed, `${path.join(".")} = ${JSON.stringify(value)}`);
      }),
      { numRuns: 1_000 },
    );
  });

  it("is never VALID with a member added inside of what it vouches for", () => {
    const holders = paths.filter(
      (path) => isBranch(at(original, path)) && !Array.isArray(at(original, path)),
    );
    fc.assert(
      fc.property(fc.constantFrom(...holders), MEMBERS, ANYTHING, (path, member, value) => {
        const changed = copy(original);
        const holder = at(changed, path);
        fc.pre(!Object.hasOwn(holder, member));
        // Not by assignment, which sets the prototype where the member is `__proto__`.
        Object.defineProperty(holder, member, { value, enumerable: true });
        check(changed, `${path.join(".")} + ${member}`);
      }),
      { numRuns: 600 },
    );
  });

  it("is never VALID with one character changed, taken out or put in, unless it reads the same", () => {
    const place = fc.nat({ max: text.length - 1 });
    fc.assert(
      fc.property(place, fc.nat({ max: 1 }), fc.option(CHARACTERS), (from, taken, put) => {
        const changed = text.slice(0, from) + (put ?? "") + text.slice(from + taken);
        const { verdict } = verifyDocument(changed, READER);
        if (verdict === "VALID") expect(saysTheSame(JSON.parse(changed), original), changed).to.equal(true);
      }),
      { numRuns: 1_500 },
    );
  });

  it("is INVALID with any one character of the evidence changed", () => {
    const { report } = original;
    const evidence = JSON.stringify(report.evidence);
    let changes = 0;
    for (let place = 0; place < evidence.length; place++) {
      const character = evidence[place]!;
      const other = /[a-z]/.test(character) ? character.toUpperCase() : character === "1" ? "2" : "1";
      const changed = evidence.slice(0, place) + other + evidence.slice(place + 1);
      try {
        if (sameJson(JSON.parse(changed), report.evidence)) continue;
      } catch {
        continue;
      }
      changes++;
      const whole = JSON.stringify({ ...report, evidence: 0 }).replace(":0,", () => `:${changed},`);
      const { verdict, steps } = verifyDocument(whole, READER);
      // A changed name can be there twice.
      const isDocument = steps[0]?.outcome !== "unknown";
      expect(verdict, evidence.slice(place - 9, place + 9)).to.equal(isDocument ? "INVALID" : "UNVERIFIABLE");
    }
    expect(changes).to.be.greaterThan(2_500);
  });
});
