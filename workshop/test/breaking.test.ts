/** Which changes of the API can break a program, and that none of them is released without a word. */
import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Ajv2020 } from "ajv/dist/2020.js";
import { expect } from "chai";
import fc from "fast-check";
import { startTestApp } from "../../test/support/http.ts";
import { testFolder } from "../../test/support/suite.ts";
import { breakingChanges, unannounced } from "../openapi/breaking.ts";
import { narrowings, type Schema } from "../openapi/narrowings.ts";

const ROOT = join(import.meta.dirname, "../..");
const RELEASES = join(ROOT, "docs/releases");

const TEXT = { type: "string" };
const ID = { type: "string", maxLength: 40 };
const TRIES = { type: "integer", minimum: 0, maximum: 9 };
const REQUIRED = ["id", "state", "tries"];
const PROBLEM = { type: "object", properties: { code: TEXT } };
const oneOf = (...values: string[]) => ({ type: "string", enum: values });
const orNull = (schema: object) => ({ anyOf: [schema, { type: "null" }] });

const job = (changes: object = {}) => ({
  type: "object",
  properties: { id: ID, state: oneOf("open", "done"), note: orNull(TEXT), tries: TRIES },
  required: REQUIRED,
  ...changes,
});
const member = (name: string, schema: object, required: readonly string[] = REQUIRED) =>
  job({ properties: { ...job().properties, [name]: schema }, required });
const without = (name: "id" | "state" | "note" | "tries") => {
  const { [name]: _, ...properties } = job().properties;
  return job({ properties, required: REQUIRED.filter((other) => other !== name) });
};

const parameter = (name: string, schema: object = {}) => ({ name, in: "query", schema });
const days = (maximum: number) => parameter("days", { type: "integer", maximum });
const problem = (...codes: string[]) => {
  const own = { properties: { code: oneOf(...codes) } };
  const schema = { allOf: [{ $ref: "#/components/schemas/Problem" }, own] };
  return { content: { "application/problem+json": { schema } } };
};

const jsonOf = (name: string) => ({
  content: { "application/json": { schema: { $ref: `#/components/schemas/${name}` } } },
});
/** One call that takes a job and answers one. */
const document = (input: object = job(), output: object = job(), operation = {}, paths = {}) => ({
  openapi: "3.1.0",
  paths: {
    "/jobs": {
      post: {
        security: [{ apiKey: [] }, { bearerKey: [] }],
        parameters: [days(90)],
        requestBody: { required: true, ...jsonOf("In") },
        responses: {
          "200": { headers: { "X-Request-Id": {} }, ...jsonOf("Out") },
          "400": problem("invalid"),
        },
        ...operation,
      },
    },
    "/health": { get: { security: [], responses: { "200": {} } } },
    ...paths,
  },
  components: {
    schemas: { In: input, Out: output, Problem: { ...PROBLEM, required: ["code"] } },
  },
});
const answering = (output: object) => document(job(), output);
const called = (operation: object) => document(job(), job(), operation);
const beside = (paths: object) => document(job(), job(), {}, paths);
const { post } = document().paths["/jobs"];
/** The call with other answers. */
const answers = (changes: object) => ({ responses: { ...post.responses, ...changes } });
const found = (after: object, before: object = document()) =>
  breakingChanges(before, after).map(({ operation, place, what }) => `${operation} ${place}: ${what}`);

type Change = readonly [name: string, changed: object, said: string];
const NUMBER = { ...TRIES, type: "number" };
const NO_TRIES = job({ required: ["id", "state"] });
const ANSWERS: readonly Change[] = [
  ["a removed member of an answer", without("note"), "note: is gone"],
  ["a member of an answer that may be missing now", NO_TRIES, "tries: may be missing"],
  ["a new value in an answer's list", member("state", oneOf("open", "done", "lost")), 'state: may be "lost"'],
  ["an answer's list that is a list no more", member("state", TEXT), "state: may be any value"],
  ["another type in an answer", member("tries", TEXT), "tries: may be of the type string"],
  ["a number where an integer was", member("tries", NUMBER), "tries: may be of the type number"],
  ["null where there was none", member("id", orNull(ID)), "id: may be of the type null"],
  ["a longer text in an answer", member("id", { ...ID, maxLength: 99 }), "id: has another maxLength"],
];
const CLOSED = job({ additionalProperties: false });
const INPUTS: readonly Change[] = [
  ["a new input that must be given", member("kind", TEXT, [...REQUIRED, "kind"]), ".kind: must be given now"],
  ["an input that must be given now", job({ required: [...REQUIRED, "note"] }), ".note: must be given now"],
  ["a removed input", without("note"), ".note: is not taken"],
  ["a value that is taken no more", member("state", oneOf("open")), '.state: may be "done"'],
  ["a narrower bound of an input", member("tries", { ...TRIES, minimum: 1 }), ".tries: has another minimum"],
  ["a pattern of an input", member("id", { ...ID, pattern: "^job_" }), ".id: has another pattern"],
  ["another type of an input", member("tries", TEXT), ".tries: may be of the type integer"],
  ["an input that may be null no more", member("note", TEXT), ".note: may be of the type null"],
  ["an input that forbids what it has no name for", CLOSED, ": may have members that the other forbids"],
];
const ok = (changes: object) => answers({ "200": { ...post.responses["200"], ...changes } });
const mustBeGiven = [...post.parameters, { ...parameter("who"), required: true }];
const CALLS: readonly Change[] = [
  ["a removed answer", { responses: { "400": post.responses["400"] } }, "responses.200: is gone"],
  ["a new kind of answer", answers({ "409": {} }), "responses.409: is a new answer"],
  ["a removed header of an answer", ok({ headers: {} }), "headers.X-Request-Id: is gone"],
  ["another type of content", ok({ content: { "text/csv": {} } }), "comes as application/json no more"],
  ["a new code of a problem", answers({ "400": problem("invalid", "odd") }), '400.code: may be "odd"'],
  ["a removed parameter", { parameters: [] }, "query.days: is taken no more"],
  ["a parameter that must be given", { parameters: mustBeGiven }, "query.who: must be given now"],
  ["a narrower parameter", { parameters: [days(30)] }, "query.days: has another maximum"],
  ["a way in that is gone", { security: [{ apiKey: [] }] }, "security: bearerKey opens it no more"],
];
const locked = { "/health": { get: { security: [{ apiKey: [] }], responses: { "200": {} } } } };
const BREAKING: readonly Change[] = [
  ...ANSWERS.map(([name, output, said]) => [name, answering(output), `responses.200.${said}`] as const),
  ...INPUTS.map(([name, input, said]) => [name, document(input), `body${said}`] as const),
  ...CALLS.map(([name, operation, said]) => [name, called(operation), said] as const),
  ["a credential where none was needed", beside(locked), "GET /health security: needs a credential now"],
];
const REMOVED: Readonly<Record<string, object>> = {
  path: { ...document(), paths: { "/jobs": document().paths["/jobs"] } },
  method: beside({ "/health": {} }),
};

const HARMLESS: Readonly<Record<string, object>> = {
  "a new path": beside({ "/new": { get: {} } }),
  "a new member of an answer": answering(member("more", TEXT)),
  "a member that is always there now": answering(job({ required: [...REQUIRED, "note"] })),
  "fewer values in an answer's list": answering(member("state", oneOf("open"))),
  "a narrower answer": answering(member("id", { type: "string", maxLength: 9, pattern: "^j" })),
  "a new optional input": document(member("more", TEXT)),
  "an input that need not be given": document(job({ required: ["id"] })),
  "more values of an input": document(member("state", oneOf("open", "done", "lost"))),
  "a wider input": document(member("tries", { type: "number", minimum: -1 })),
  "an input that may be null": document(member("id", { anyOf: [{ type: "null" }, TEXT] })),
  "an optional parameter more": called({ parameters: [...post.parameters, parameter("who")] }),
  "one more way in": called({ security: [...post.security, { jobToken: [] }] }),
  "another text, another name of a schema": document(job(), job({ description: "A job" }), { summary: "x" }),
};

/** Of a type, whose other members there may be. */
const typed = <T extends object>(type: string, members: { [K in keyof T]: fc.Arbitrary<T[K]> }) =>
  fc.record({ type: fc.constant(type), ...members }, { requiredKeys: ["type"] } as any);
/** Schemas of every kind that is compared, and few enough values that they meet. */
const schemas = fc.letrec<{ schema: Schema }>((tie) => ({
  schema: fc.oneof(
    { maxDepth: 3 },
    fc.record({ type: fc.constantFrom("string", "integer", "number", "boolean", "null") }),
    fc.record({ enum: fc.uniqueArray(fc.constantFrom("a", "b", 1, 2, null), { minLength: 1 }) }),
    fc.record({ const: fc.constantFrom("a", 1) }),
    typed("integer", { minimum: fc.integer({ min: -2, max: 2 }), maximum: fc.integer({ min: 2, max: 4 }) }),
    typed("string", { minLength: fc.integer({ min: 0, max: 2 }), maxLength: fc.integer({ min: 2, max: 4 }) }),
    typed("array", { items: tie("schema"), maxItems: fc.integer({ min: 0, max: 3 }) }),
    fc.record({ anyOf: fc.array(tie("schema"), { minLength: 1, maxLength: 3 }) }),
    fc.record({ allOf: fc.array(tie("schema"), { minLength: 1, maxLength: 2 }) }),
    fc.record(
      {
        type: fc.constant("object"),
        properties: fc.dictionary(fc.constantFrom("x", "y"), tie("schema"), { maxKeys: 2 }),
        required: fc.uniqueArray(fc.constantFrom("x", "y"), { maxLength: 2 }),
        // An open object may have had anything under a name that is declared later: that is left out on purpose.
        additionalProperties: fc.constant(false),
      },
      { requiredKeys: ["type", "additionalProperties"] },
    ),
  ),
})).schema;
const values = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 2 },
    fc.constantFrom("a", "b", "", "abc", "abcde", 0, 1, 2, 3, 5, -3, 1.5, true, null),
    fc.array(tie("value"), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom("x", "y", "z"), tie("value"), { maxKeys: 3 }),
  ),
})).value;

describe("The changes of an API that can break programs", () => {
  it("are none between a document and itself", () => {
    expect(found(document())).to.deep.equal([]);
  });

  for (const [name, after, said] of BREAKING)
    it(`include ${name}`, () => {
      const changes = found(after);
      expect(changes, changes.join("\n")).to.have.length(1);
      expect(changes[0]).to.contain(said);
    });

  for (const [what, after] of Object.entries(REMOVED))
    it(`include a removed ${what}`, () => {
      expect(found(after)).to.deep.equal(["GET /health : is gone"]);
    });

  for (const [name, after] of Object.entries(HARMLESS))
    it(`do not include ${name}`, () => {
      expect(found(after)).to.deep.equal([]);
    });

  it("include a default of what may be left out, wherever it stands", () => {
    const input = (tries: object) => member("tries", tries, ["id", "state"]);
    const plain = document(input({ type: "integer", default: 1 }));
    expect(found(document(input({ type: "integer", default: 1 })), plain)).to.deep.equal([]);
    for (const tries of [{ type: "integer", default: 2 }, { type: "integer" }])
      expect(found(document(input(tries)), plain).join()).to.match(/another default/);
    const chosen = (value: number) =>
      input({ anyOf: [{ type: "integer" }, { type: "null" }], default: value });
    expect(found(document(chosen(2)), document(chosen(1))).join()).to.match(/another default/);
    // Of answers a default says nothing: they are what they are.
    const answered = (value: number) => answering(input({ type: "integer", default: value }));
    expect(found(answered(2), answered(1))).to.deep.equal([]);
  });

  it("include what operations inherit: how a credential is shown, where the API is, what a path takes", () => {
    const with_ = (changes: object) => ({ ...document(), ...changes });
    const shown = (name: string, description = "") => {
      const securitySchemes = { apiKey: { type: "apiKey", in: "header", name, description } };
      return with_({ components: { ...document().components, securitySchemes } });
    };
    expect(found(shown("X-API-Key", "another word"), shown("X-API-Key"))).to.deep.equal([]);
    expect(found(shown("X-Key"), shown("X-API-Key")).join()).to.match(/securitySchemes\.apiKey/);
    const at = (url: string) => with_({ servers: [{ url }] });
    expect(found(at("/v9"), at("/")).join()).to.match(/is at \/ no more/);
    const taking = (maximum: number) => {
      const { paths } = document();
      const parameters = [parameter("page", { type: "integer", maximum })];
      return with_({ paths: { "/jobs": { ...paths["/jobs"], parameters } } });
    };
    expect(found(taking(9), taking(10)).join()).to.match(/query\.page/);
    const open = called({ security: undefined });
    expect(found({ ...open, security: [{ apiKey: [] }] }, open).join()).to.match(/needs a credential now/);
    const told = (type: string) =>
      called({ responses: { "200": { headers: { "X-Count": { schema: { type } } }, content: {} } } });
    expect(found(told("string"), told("integer")).join()).to.match(/headers\.X-Count/);
  });

  it("follow a schema that refers to itself", () => {
    const next = { $ref: "#/components/schemas/Out" };
    const tree = (tries: object) => job({ properties: { id: { type: "string" }, state: {}, tries, next } });
    const before = answering(tree({ type: "integer" }));
    expect(found(answering(tree({ type: "integer" })), before)).to.deep.equal([]);
    expect(found(answering(tree({ type: "string" })), before)).to.have.length(1);
  });

  it("miss nothing: what fits the narrower schema fits the wider, for any two schemas and any value", () => {
    const ajv = new Ajv2020({ strict: false, validateSchema: false });
    let within = 0;
    fc.assert(
      fc.property(schemas, schemas, fc.array(values, { minLength: 20, maxLength: 20 }), (a, b, samples) => {
        // Of inputs everything counts; that answers may gain members makes them more lenient on purpose.
        const [inA, inB] = [a, b].map((schema) => ({ schema, document: {} }));
        if (narrowings(inA!, inB!, { direction: "input" }).length > 0) return;
        within++;
        const [fitsA, fitsB] = [ajv.compile(a), ajv.compile(b)];
        for (const value of samples)
          if (fitsA(value)) expect(fitsB(value), JSON.stringify(value)).to.equal(true);
      }),
      { numRuns: 2_000 },
    );
    expect(within).to.be.greaterThan(100);
  });
});

describe("The API and its last release", () => {
  const folder = testFolder("openapi-test");
  let printed: unknown;
  const file = (name: string, content: unknown) => {
    const path = join(folder, name);
    writeFileSync(path, JSON.stringify(content));
    return path;
  };
  const run = (program: string, ...args: string[]) =>
    spawnSync(process.execPath, [program, ...args], { cwd: ROOT, encoding: "utf8", maxBuffer: 2 ** 26 });
  before(() => {
    const { status, stdout, stderr } = run("workshop/openapi/print.ts");
    expect(status, stderr).to.equal(0);
    printed = JSON.parse(stdout);
  });

  it("differ in nothing that can break a program, but what the changelog calls breaking", function () {
    const [last] = readdirSync(RELEASES)
      .flatMap((name) => /^openapi-(.+)\.json$/.exec(name)?.[1] ?? [])
      .sort((a, b) => b.localeCompare(a, "en", { numeric: true }));
    if (last === undefined) {
      console.log("    Nothing is published yet: there is no document to compare the API with.");
      this.skip();
    }
    const released = JSON.parse(readFileSync(join(RELEASES, `openapi-${last}.json`), "utf8"));
    const [newer = ""] = readFileSync(join(ROOT, "CHANGELOG.md"), "utf8").split(`\n## [${last}]`);
    const silent = unannounced(breakingChanges(released, printed), newer);
    expect(silent, JSON.stringify(silent, null, 2)).to.deep.equal([]);
  });

  it("count a change as announced only where an item names its operation or its path", () => {
    const changes = breakingChanges(document(), answering(without("note")));
    for (const item of ["- **Breaking** for\n  `POST /jobs`\n", "- **Breaking**: `/jobs`\n"])
      expect(unannounced(changes, `# Changelog\n\n${item}`), item).to.deep.equal([]);
    for (const item of [
      "",
      // Another call may have a member of that name, too.
      "- **Breaking**: answers have no `note`\n",
      "- Answers have no `note`\n",
      "- **Breaking**: `other`\n- `note`\n",
      "- **Breaking**: note\n",
    ])
      expect(unannounced(changes, `# Changelog\n\n${item}`), item).to.have.length(1);
  });

  it("are compared by a command, which ends with 0 where it finds nothing, with 1 where it does, and with 2 without documents", () => {
    const diff = (...args: string[]) => run("workshop/openapiDiff.ts", ...args);
    const old = file("old.json", document());
    const more = file("more.json", document(job(), member("more", { type: "string" })));
    expect(diff(old, more)).to.include({ status: 0, stdout: "0 changes can break programs.\n" });
    const texts = file("texts.json", document(job({ description: "A task" })));
    expect(diff("--same", old, texts).status).to.equal(0);
    for (const { status, stdout } of [diff(more, old), diff("--same", old, more)]) {
      expect(stdout).to.contain("POST /jobs responses.200.more is gone");
      expect(status).to.equal(1);
    }
    for (const { status } of [diff(old), diff(old, join(folder, "none.json"))]) expect(status).to.equal(2);
  });

  it("are the document as the checkout's service serves it", async () => {
    await using app = await startTestApp({ publicUrl: "https://assay.example.com" });
    const served = JSON.parse(JSON.stringify(app.openapi));
    const found = [...breakingChanges(served, printed), ...breakingChanges(printed, served)];
    // The test's app has a registry and a guard of its own, and sells nothing.
    const own = /erc7730|purchases/;
    expect(found.filter(({ operation }) => !own.test(operation))).to.deep.equal([]);
  });
});
