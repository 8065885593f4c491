/** A real prepared trade, changed in any way: VALID only where its meaning is unchanged. */
import { expect } from "chai";
import fc from "fast-check";
import { sameJson } from "../../attestor/steps.ts";
import { verifyDocument, verifyReport } from "../../attestor/verify/verify.ts";
import { copy, soundTrade, TRUST } from "./fixtures.ts";

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

const at = (value: any, path: Path): any => path.reduce((inner, key) => inner?.[key], value);

/** What a document may lack without saying anything else. */
const OPTIONAL = ["execution.certificate.signer", "execution.tradeIntent.types.EIP712Domain"];
const CALLS = ["guardCall", "relayedCall", "approval"];
/** Whether a document that is VALID says what the original says, as far as the verification vouches for it. */
function saysTheSame(changed: any, original: any): boolean {
  const mine = copy(changed);
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

describe("a prepared trade that somebody changed", () => {
  let original: any;
  let text: string;
  let paths: Path[];
  before(async () => {
    original = await soundTrade();
    text = JSON.stringify(original);
    paths = pathsOf(original);
  });

  it("a prepared trade that somebody changed is VALID as it was made", () => {
    expect(verifyDocument(text, TRUST).verdict).to.equal("VALID");
    expect(paths.length).to.be.greaterThan(250);
  });

  /** With another value in place of a member. */
  const replaced = (index: number, value: Json) => {
    const path = paths[index % paths.length]!;
    const changed = copy(original);
    at(changed, path.slice(0, -1))[path.at(-1)!] = value;
    return { path, changed };
  };
  const check = (changed: unknown, what: string) => {
    const { verdict } = verifyReport(changed, TRUST);
    if (verdict === "VALID") expect(saysTheSame(changed, original), what).to.equal(true);
    return verdict;
  };

  it("a prepared trade that somebody changed is never VALID without one of its members, unless that says nothing", () => {
    const harmless: string[] = [];
    for (const path of paths) {
      const changed = copy(original);
      const holder = at(changed, path.slice(0, -1));
      const key = path.at(-1)!;
      if (Array.isArray(holder)) holder.splice(Number(key), 1);
      else delete holder[key];
      if (check(changed, path.join(".")) === "VALID") harmless.push(path.join("."));
    }
    expect(harmless.sort()).to.deep.equal([...OPTIONAL, ...CALLS.map((name) => `execution.${name}`)].sort());
  }).timeout(120_000);

  it("a prepared trade that somebody changed is never VALID with another value in place of any of its members", () => {
    fc.assert(
      fc.property(fc.nat(), ANYTHING, (index, value) => {
        const { path, changed } = replaced(index, value);
        check(changed, `${path.join(".")} = ${JSON.stringify(value)}`);
      }),
      { numRuns: 500 },
    );
  }).timeout(120_000);

  it("a prepared trade that somebody changed is never VALID with a member added inside of what it vouches for", () => {
    const holders = paths.filter(
      (path) => isBranch(at(original, path)) && !Array.isArray(at(original, path)),
    );
    const name = fc.oneof(
      fc.constantFrom("to", "value", "data", "gas", "from", "__proto__", "constructor", "EIP712Domain", "x"),
      fc.string({ minLength: 1, maxLength: 8 }),
    );
    fc.assert(
      fc.property(fc.nat(), name, ANYTHING, (index, member, value) => {
        const path = holders[index % holders.length]!;
        const changed = copy(original);
        const holder = at(changed, path);
        if (Object.hasOwn(holder, member)) return;
        Object.defineProperty(holder, member, {
          value,
          enumerable: true,
          configurable: true,
          writable: true,
        });
        check(changed, `${path.join(".")} + ${member}`);
      }),
      { numRuns: 600 },
    );
  }).timeout(120_000);

  it("a prepared trade that somebody changed is never VALID with one character changed, taken out or put in, unless it reads the same", () => {
    const kinds = fc.constantFrom("change", "take", "put");
    const characters = fc.oneof(
      fc.string({ unit: "grapheme-ascii", minLength: 1, maxLength: 1 }),
      fc.constantFrom("0", "1", "a", "A", "f", ".", "-", "e", '"', " ", "\\"),
    );
    fc.assert(
      fc.property(fc.nat({ max: text.length - 1 }), kinds, characters, (place, kind, character) => {
        const changed =
          text.slice(0, place) +
          (kind === "take" ? "" : character) +
          text.slice(kind === "put" ? place : place + 1);
        const { verdict } = verifyDocument(changed, TRUST);
        if (verdict === "VALID") expect(saysTheSame(JSON.parse(changed), original), changed).to.equal(true);
      }),
      { numRuns: 1_500 },
    );
  }).timeout(120_000);
});
