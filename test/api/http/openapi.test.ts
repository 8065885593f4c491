import { expect } from "chai";
import { expectStatus, testApp } from "../../support/http.ts";
import { sharedAnswer, validateAnswer } from "../../support/openapi.ts";
import PATHS from "./paths.json" with { type: "json" };

const isSchema = (value: any) => typeof value.properties === "object" && typeof value.type !== "object";

function resolved(openapi: any, schema: any): any {
  const name = schema.$ref?.replace("#/components/schemas/", "");
  return name === undefined ? schema : resolved(openapi, openapi.components.schemas[name]);
}

/** Its own words, or those of what it refers to. */
const described = (openapi: any, schema: any): string =>
  schema.description ?? resolved(openapi, schema).description ?? "";

const NUMBERS = ["0", "1", "1.5", "-1", "-1.5"];
const WORDS = ["a", "0x", "0xa1", "A", ""];

/**
 * A number or a list of numbers, or text of which the pattern takes numbers and nothing else; null or not. A number that
 * is one and always the same, such as a version of a protocol, is one too.
 */
function isFigure(openapi: any, given: any): boolean {
  const schema = resolved(openapi, given);
  const branches = schema.anyOf ?? schema.oneOf ?? schema.allOf;
  if (branches !== undefined) return branches.some((branch: any) => isFigure(openapi, branch));
  const types = [schema.type].flat();
  if (types.includes("number") || types.includes("integer")) return true;
  if (types.includes("array") && schema.items !== undefined) return isFigure(openapi, schema.items);
  if (!types.includes("string") || schema.pattern === undefined) return false;
  const pattern = new RegExp(schema.pattern);
  return NUMBERS.some((text) => pattern.test(text)) && !WORDS.some((text) => pattern.test(text));
}

/** Each member of each object within, with its place. */
function eachMember(value: unknown, see: (name: string, member: any, of: any, at: string) => void, at = "") {
  if (typeof value !== "object" || value === null) return;
  for (const [name, member] of Object.entries(value)) {
    see(name, member, value, at);
    eachMember(member, see, `${at}/${name}`);
  }
}

/** Each figure that a schema within describes. */
const eachFigure = (openapi: any, see: (name: string, member: any, at: string) => void) =>
  eachMember({ openapi }, (_name, schema, _of, at) => {
    if (typeof schema !== "object" || schema === null || !isSchema(schema)) return;
    for (const [name, member] of Object.entries(schema.properties ?? {}))
      if (isFigure(openapi, member)) see(name, member, at);
  });

describe("the OpenAPI document", () => {
  const app = testApp();

  it("the OpenAPI document is served without a key, the same as the routes make it", async () => {
    const answer = expectStatus(await app.call("/openapi.json", { key: null }), 200);
    expect(answer.headers.get("content-type")).to.contain("application/json");
    expect(answer.body).to.deep.equal(JSON.parse(JSON.stringify(app.openapi)));
    expect(answer.body.openapi).to.equal("3.1.0");
  });

  it("the OpenAPI document describes every endpoint of the verification API, with ids that are its own", () => {
    const paths = app.openapi.paths ?? {};
    expect(Object.keys(paths)).to.include.members(PATHS);
    const ids = Object.values(paths).flatMap((path) =>
      Object.values(path).map((operation: any) => operation.operationId),
    );
    expect(new Set(ids).size).to.equal(ids.length);
  });

  it("the OpenAPI document has no reference that leads nowhere, and no answer that forbids more members", () => {
    const components = app.openapi.components as any;
    eachMember(app.openapi, (name, inner, _of, at) => {
      if (name === "$ref" && typeof inner === "string") {
        const [, kind = "", component = ""] =
          /^#\/components\/(schemas|headers|responses)\/(.+)$/.exec(inner) ?? [];
        expect(components[kind], `${at}: ${inner}`).to.have.property(component);
      }
      if (at.includes("/responses/") && name === "additionalProperties")
        expect(inner, at).to.not.equal(false);
    });
  });

  it("the OpenAPI document is at most 200 kB, with every problem and every header that answers share as a component", async () => {
    const { text } = await app.call("/openapi.json", { key: null });
    expect(Buffer.byteLength(text)).to.be.at.most(200_000);
    const inline: string[] = [];
    eachMember(app.openapi.paths, (name, member, _of, at) => {
      if (name === "application/problem+json") inline.push(at);
      if (name === "headers" && member["X-Request-Id"]?.$ref === undefined) inline.push(at);
    });
    expect(inline).to.deep.equal([]);
  });

  it("the OpenAPI document has patterns that every engine of regular expressions reads", () => {
    const patterns = new Set<string>();
    eachMember(app.openapi, (name, pattern) => {
      if (name === "pattern" && typeof pattern === "string") patterns.add(pattern);
    });
    expect(patterns.size).to.be.at.least(15);
    for (const pattern of patterns) {
      new RegExp(pattern);
      // Classes of Unicode, groups that look around and references back are not in all of them.
      expect(pattern).to.not.match(/\\[pPkux]|\\[1-9]|\(\?[=!<]/);
    }
  });

  it("the OpenAPI document says of every figure what it is: each number, and each text that must be one, of what it takes and gives", () => {
    const silent: string[] = [];
    let figures = 0;
    eachFigure(app.openapi, (name, member, at) => {
      figures++;
      if (!(described(app.openapi, member).length > 3)) silent.push(`${at}/${name}`);
    });
    expect(silent).to.deep.equal([]);
    expect(figures).to.be.at.least(180);
  });

  it("the OpenAPI document says of every figure in dollars, basis points, raw units or seconds its unit", () => {
    const units: [RegExp, RegExp][] = [
      [/(^|_)bps$|Bps$/, /basis points/],
      [/Usd$/, /US dollar/],
      [/^(amount|reserve).*(Raw|[01])$|AmountOutRaw$/, /raw (integer )?units/],
      [/Seconds$/, /second/],
      [/(At|Timestamp|deadline)$/, /unix seconds/],
    ];
    const wrong: string[] = [];
    eachFigure(app.openapi, (name, member, at) => {
      for (const [names, unit] of units)
        if (names.test(name) && !unit.test(described(app.openapi, member))) wrong.push(`${at}/${name}`);
    });
    expect(wrong).to.deep.equal([]);
  });

  it("the OpenAPI document says that the issuer of a listed token is one of three", () => {
    const found: unknown[] = [];
    const places = [app.openapi.paths?.["/api/v1/assets"], app.openapi.components?.schemas];
    const issuers = ["xstocks", "ondo", "bstocks"];
    eachMember(places, (name, issuer) => {
      if (name === "issuer" && issuer?.enum !== undefined) found.push(issuer.enum);
    });
    // In the list of tokens and in that of their newest values.
    expect(found).to.deep.equal([issuers, issuers]);
  });

  it("the OpenAPI document says which calls need a key, and with which problems a limit and a body come", () => {
    const assets = app.openapi.paths?.["/v1/assets"]?.get as any;
    expect(assets.security).to.deep.equal([{ apiKey: [] }, { bearerKey: [] }]);
    expect(Object.keys(assets.responses)).to.include.members(["200", "401", "403", "429", "500", "503"]);
    const { schema } = sharedAnswer(app.openapi, assets.responses[403]).content["application/problem+json"];
    const codes = ["invalid_api_key", "revoked_api_key", "key_pending_approval"];
    expect(schema.allOf[1].properties.code.enum).to.deep.equal(codes);
    const apply = app.openapi.paths?.["/api/v1/keys"]?.post as any;
    expect(apply.security).to.deep.equal([]);
    const statuses = "201 202 400 413 415 429 500 503".split(" ");
    expect(Object.keys(apply.responses)).to.include.members(statuses);
  });

  it("the OpenAPI document fits what the service answers, and the check bites", async () => {
    const calls: [string, string, RequestInit & { key?: string | null }][] = [
      ["GET", "/v1/assets", {}],
      ["GET", "/v1/policies", {}],
      ["GET", "/v1/assets", { key: null }],
      ["GET", "/v1/policies", { key: "ak_nope" }],
      ["GET", "/healthz", {}],
      ["GET", "/readyz", {}],
      ["GET", "/openapi.json", {}],
      ["POST", "/api/v1/keys", { method: "POST" }],
    ];
    for (const [method, path, init] of calls) {
      const { status, body } = await app.call(path, init);
      validateAnswer(app.openapi, method, path, status, body);
    }
    const { body } = await app.call("/v1/assets");
    const faulty = [
      { ...body, registryHash: "0x12" },
      { ...body, assets: [{ ...body.assets[0], decimals: "18" }] },
      { registryVersion: "1" },
      { status: 401, code: "missing_api_key" },
    ];
    for (const wrong of faulty)
      expect(() => validateAnswer(app.openapi, "GET", "/v1/assets", 200, wrong)).to.throw();
    expect(() => validateAnswer(app.openapi, "GET", "/v1/assets", 418, body)).to.throw("not described");
    expect(() => validateAnswer(app.openapi, "GET", "/v1/nothing", 200, body)).to.throw("not described");
    validateAnswer(app.openapi, "GET", "/v1/assets", 200, { ...body, more: 1 });
  });
});
