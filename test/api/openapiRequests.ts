/** Requests of any operation that an OpenAPI document describes, right and wrong in every part. */
import fc from "fast-check";
import type { OpenApi } from "../../api/docs/openapi.ts";
import { type Answer, answerOf } from "../support/http.ts";

export type ApiRequest = Readonly<Record<"method" | "template" | "path", string>> & {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
};

/** Values by the name of a member or parameter that lead deeper than chance would. */
export type Known = Readonly<Record<string, readonly any[]>>;

export async function send(url: string, { method, path, headers, body }: ApiRequest): Promise<Answer> {
  const init = body === undefined ? { method, headers } : { method, headers, body };
  return answerOf(await fetch(`${url}${path}`, init));
}

/** Half of what makes one character: JSON carries it, UTF-8 does not. */
export const SURROGATE = "\ud800";
/** Texts that programs stumble over. */
const NASTY = [
  ...["", "null", "-1", "1e999", "NaN", "__proto__", "constructor", "'; drop table jobs; --"],
  ...["../../etc/passwd", "\u0000", "𝟘", "苹果", "<b>", "%", "x".repeat(4_000)],
];
const text = fc.oneof(
  fc.string({ unit: fc.constantFrom(SURROGATE, "\udfff", "a"), minLength: 1, maxLength: 20 }),
  fc.constantFrom(...NASTY),
  fc.string({ maxLength: 40 }),
  fc.string({ unit: "binary", maxLength: 20 }),
);
const anything = fc.oneof(fc.jsonValue({ maxDepth: 3 }), text);

/** Values of a schema, mostly; where it has a pattern, from the examples that fit this service. */
function fitting(openapi: OpenApi, schema: any, known: Known): fc.Arbitrary<unknown> {
  if (schema.$ref)
    return fitting(openapi, openapi.components?.schemas?.[schema.$ref.split("/").at(-1)], known);
  if (schema.enum) return fc.constantFrom(...schema.enum);
  if (schema.anyOf) return fc.oneof(...schema.anyOf.map((one: any) => fitting(openapi, one, known)));
  if (schema.type === "object") return objectOf(openapi, schema, known);
  if (schema.format === "date") return fc.constantFrom("2025-01-01", "2030-02-28");
  if (schema.format === "date-time") return fc.constantFrom("2025-01-01T00:00:00Z", "2030-02-28T23:59:59Z");
  if (schema.type === "integer")
    return fc.integer({ min: schema.minimum ?? -10, max: schema.maximum ?? 1_000 });
  if (schema.type === "array") return fc.array(fitting(openapi, schema.items ?? {}, known), { maxLength: 3 });
  if (schema.type === "boolean") return fc.boolean();
  return fc.string({ minLength: schema.minLength ?? 0, maxLength: Math.min(schema.maxLength ?? 30, 60) });
}

function objectOf(openapi: OpenApi, schema: any, known: Known): fc.Arbitrary<unknown> {
  const members = Object.entries<any>(schema.properties ?? {}).map(([name, member]) => {
    const fits = { weight: 1, arbitrary: fitting(openapi, member, known) };
    const leads = (known[name] ?? []).map((value) => ({ weight: 12, arbitrary: fc.constant(value) }));
    return [name, fc.oneof(...leads, fits)];
  });
  return fc.record(Object.fromEntries(members), { requiredKeys: schema.required ?? [] });
}

const asJson = (value: unknown): string => JSON.stringify(value) ?? "";

/** A good body as text, or one in which a member or the whole is something else. */
function spoiled(good: fc.Arbitrary<unknown>): fc.Arbitrary<string> {
  const withOddMember = fc.tuple(good, text, anything).map(([value, name, odd]) => {
    if (typeof value !== "object" || value === null) return asJson(odd);
    const names = Object.keys(value);
    const changed = names[name.length % Math.max(1, names.length)] ?? name;
    return asJson({ ...value, [changed]: odd });
  });
  return fc.oneof(
    { weight: 4, arbitrary: good.map(asJson) },
    { weight: 4, arbitrary: withOddMember },
    { weight: 1, arbitrary: anything.map(asJson) },
    { weight: 1, arbitrary: text },
    { weight: 1, arbitrary: good.map((value) => asJson(value).slice(0, -1)) },
  );
}

const encoded = (value: string): string => encodeURIComponent(value.toWellFormed());

/** Headers of any caller. @param keys the first comes most often */
function headersOf(keys: readonly string[]): fc.Arbitrary<Record<string, string>> {
  const key = fc.oneof(
    { weight: 6, arbitrary: fc.constant<string | undefined>(keys[0]) },
    { weight: 3, arbitrary: fc.constantFrom<string | undefined>(undefined, ...keys) },
    { weight: 1, arbitrary: fc.stringMatching(/^[ -~]{1,60}$/) },
  );
  const etag = fc.option(fc.constantFrom("*", '"x"', "garbage,,"), { freq: 3 });
  const coding = fc.constantFrom("identity", "gzip", "br", "*;q=0", ";;");
  return fc.record({ key, etag, coding, isBearer: fc.boolean() }).map((drawn) => {
    const headers: Record<string, string> = { "accept-encoding": drawn.coding };
    if (drawn.etag !== null) headers["if-none-match"] = drawn.etag;
    if (drawn.key === undefined) return headers;
    if (drawn.isBearer) headers.authorization = `Bearer ${drawn.key}`;
    else headers["x-api-key"] = drawn.key;
    return headers;
  });
}

/** @returns each parameter of a place with what is drawn for it */
const drawnIn = (parameters: readonly any[], place: string, draw: (parameter: any) => fc.Arbitrary<any>) =>
  Object.fromEntries(parameters.filter((one) => one.in === place).map((one) => [one.name, draw(one)]));

/** Requests of one operation, right and wrong in every part. */
export function requestsOf(
  openapi: OpenApi,
  template: string,
  method: string,
  known: Known,
  keys: readonly string[],
): fc.Arbitrary<ApiRequest> {
  const operation = (openapi.paths as any)[template][method];
  // With `wait`, a request for a pending job would block that long.
  const parameters: any[] = (operation.parameters ?? []).filter(({ name }: any) => name !== "wait");
  const argumentOf = (parameter: any) => {
    const names = known[parameter.name];
    return fc.oneof(
      ...(names ? [{ weight: 4, arbitrary: fc.constantFrom(...names) }] : []),
      { weight: 2, arbitrary: fitting(openapi, parameter.schema, known).map(String) },
      { weight: 2, arbitrary: text },
    );
  };
  // Of many parameters few come at once, and the required ones mostly once: else a wrong one would always be among them.
  const few = (parameter: any): fc.Arbitrary<string[]> => {
    const some = { weight: 2, arbitrary: fc.array(argumentOf(parameter), { maxLength: 2 }) };
    const usual = parameter.required
      ? argumentOf(parameter).map((value) => [value])
      : fc.constant<string[]>([]);
    return fc.oneof({ weight: 8, arbitrary: usual }, some);
  };
  const type = fc.oneof(
    { weight: 8, arbitrary: fc.constant("application/json") },
    { weight: 1, arbitrary: fc.constantFrom("text/plain", "application/xml", ";") },
  );
  const schema = operation.requestBody?.content?.["application/json"]?.schema;
  const drawing = {
    path: fc.record<Record<string, unknown>>(drawnIn(parameters, "path", argumentOf)),
    query: fc.record<Record<string, string[]>>(drawnIn(parameters, "query", few), { requiredKeys: [] }),
    stray: fc.option(fc.tuple(text, text), { freq: 4 }),
    headers: headersOf(keys),
    type,
    body: schema ? fc.option(spoiled(fitting(openapi, schema, known)), { freq: 8 }) : fc.constant(null),
  };
  return fc.record(drawing).map(({ path, query, stray, headers, type: contentType, body }): ApiRequest => {
    const pairs = Object.entries(query).flatMap(([name, values]) =>
      (values ?? []).map((value) => `${encoded(name)}=${encoded(value)}`),
    );
    if (stray) pairs.push(`${encoded(stray[0])}=${encoded(stray[1])}`);
    const filled = template.replace(/\{(\w+)\}/g, (_whole, name) => {
      const value = encoded(String(path[name]));
      // Empty, or dots that clients resolve: another path then.
      return /^\.*$/.test(value) ? "x" : value;
    });
    return {
      method: method.toUpperCase(),
      template,
      path: pairs.length > 0 ? `${filled}?${pairs.join("&")}` : filled,
      headers: body === null ? headers : { ...headers, "content-type": contentType },
      body: body ?? undefined,
    };
  });
}
