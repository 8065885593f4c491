import canonicalize from "canonicalize";
import { expect } from "chai";
import { keccak256, toUtf8Bytes } from "ethers";
import fc from "fast-check";
import { AttestorError } from "../../../attestor/values/attestorErrors.ts";
import { canonicalHash, canonicalJson } from "../../../attestor/values/canonical.ts";

/** JSON as evidence may hold it: strings, safe integers, literals, lists, objects. */
const portable = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    fc.string({ unit: "grapheme" }),
    fc.maxSafeInteger(),
    fc.boolean(),
    fc.constant(null),
    fc.array(tie("value"), { maxLength: 5 }),
    fc.dictionary(fc.string({ unit: "grapheme" }), tie("value"), { maxKeys: 6, noNullPrototype: true }),
  ),
})).value;

/** The same value with the members of every object in another order. */
function reordered(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reordered);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).map(([key, item]) => [key, reordered(item)] as const);
  return Object.fromEntries(entries.reverse());
}

describe("canonical JSON", () => {
  it("sorts members by UTF-16 code units, as the example of RFC 8785 section 3.2.3", () => {
    const example = {
      "\u20ac": "Euro Sign",
      "\r": "Carriage Return",
      "\ufb33": "Hebrew Letter Dalet With Dagesh",
      "1": "One",
      "\ud83d\ude00": "Emoji: Grinning Face",
      "\u0080": "Control",
      "\u00f6": "Latin Small Letter O With Diaeresis",
    };
    expect(Object.values(JSON.parse(canonicalJson(example)))).to.deep.equal([
      "One", // an integer key stands first again once parsed
      "Carriage Return",
      "Control",
      "Latin Small Letter O With Diaeresis",
      "Euro Sign",
      "Emoji: Grinning Face",
      "Hebrew Letter Dalet With Dagesh",
    ]);
    expect(canonicalJson(example).startsWith('{"\\r":"Carriage Return","1":"One","\u0080":')).to.equal(true);
  });

  it("writes strings and literals as the example of RFC 8785 section 3.2.2", () => {
    const value = JSON.parse(
      '{ "string": "\\u20ac$\\u000F\\u000aA\'\\u0042\\u0022\\u005c\\\\\\"\\/", "literals": [null, true, false] }',
    );
    expect(canonicalJson(value)).to.equal(
      '{"literals":[null,true,false],"string":"€$\\u000f\\nA\'B\\"\\\\\\\\\\"/"}',
    );
  });

  it("writes integers as they are, to the ends of the safe range", () => {
    expect(canonicalJson([0, -1, 2 ** 53 - 1, -(2 ** 53 - 1)])).to.equal(
      "[0,-1,9007199254740991,-9007199254740991]",
    );
  });

  it("hashes the UTF-8 bytes of that text", () => {
    expect(canonicalHash({ b: "€", a: 1 })).to.equal(keccak256(toUtf8Bytes('{"a":1,"b":"€"}')));
  });

  it("canonical JSON does not care about the order of members", () => {
    fc.assert(
      fc.property(portable, (value) => {
        expect(canonicalJson(reordered(value))).to.equal(canonicalJson(value));
      }),
    );
  });

  it("parses back to the same value", () => {
    fc.assert(
      fc.property(portable, (value) => {
        expect(JSON.parse(canonicalJson(value))).to.deep.equal(value);
        expect(canonicalJson(JSON.parse(canonicalJson(value)))).to.equal(canonicalJson(value));
      }),
    );
  });

  it("canonical JSON is what the library of RFC 8785 writes, for any names of members", () => {
    const name = fc.oneof(
      fc.string({ unit: "grapheme" }),
      fc.nat().map(String),
      fc.constantFrom("__proto__", "-1", "01"),
    );
    const named = fc.dictionary(name, fc.dictionary(name, portable, { maxKeys: 4, noNullPrototype: true }), {
      maxKeys: 6,
      noNullPrototype: true,
    });
    fc.assert(
      fc.property(fc.oneof(portable, named), (value) => {
        expect(canonicalJson(value)).to.equal(canonicalize(value));
      }),
    );
  });

  it("keeps a member called __proto__ apart from the prototype", () => {
    const value = JSON.parse('{"__proto__":{"x":1},"a":1}');
    expect(canonicalJson(value)).to.equal('{"__proto__":{"x":1},"a":1}');
  });

  const cyclic: unknown[] = [];
  cyclic.push(cyclic);
  const refused: [string, unknown][] = [
    ["a fraction", 0.1],
    ["the numbers of RFC 8785 section 3.2.2", JSON.parse("[333333333.33333329, 1E30, 4.50, 2e-3]")],
    ["an integer past the safe range", 2 ** 53],
    ["one past it on the other side", -(2 ** 53)],
    ["1e400, which is infinite", JSON.parse("1e400")],
    ["NaN", Number.NaN],
    ["minus zero", JSON.parse("-0")],
    ["undefined", undefined],
    ["undefined in an object", { a: undefined }],
    ["a hole in a list", new Array(1)],
    ["a bigint", 1n],
    ["a symbol", Symbol("a")],
    ["a function", () => 1],
    ["an object that says how to be written", { toJSON: () => 1 }],
    ["a date", new Date(0)],
    ["a map", new Map()],
    ["an instance of a class", new (class A {})()],
    ["an object without a prototype", Object.create(null)],
    ["a string object", new String("a")],
    ["an unpaired surrogate", "\ud800"],
    ["an unpaired surrogate in a name", { "\udc00": 1 }],
    ["a ring", cyclic],
    ["nesting beyond measure", JSON.parse("[".repeat(100_000) + "]".repeat(100_000))],
  ];
  for (const [name, value] of refused)
    it(`refuses to make canonical JSON of ${name}`, () => {
      for (const wrapped of [value, [value], { member: value }])
        expect(() => canonicalJson(wrapped))
          .to.throw(AttestorError)
          .with.property("code", "not_canonical");
    });

  it("names the place of what it refuses", () => {
    expect(() => canonicalJson({ a: [1, { b: 0.5 }] })).to.throw("$.a[1].b is not a safe integer");
  });
});
