/** Holds answers against the description that the service itself publishes. */
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { expect } from "chai";
import type { OpenApi } from "../../api/docs/openapi.ts";

/** Compiles a part of a document by its pointer, each once. */
type Compile = (pointer: string) => ValidateFunction;
/** By the document's text, since every service has one of its own. */
const compilers = new Map<string, Compile>();
const compilerOf = new WeakMap<OpenApi, Compile>();

function compile(openapi: OpenApi, pointer: string): ValidateFunction {
  let compiler = compilerOf.get(openapi);
  if (!compiler) {
    // Of what no answer is checked by: every service has an address of its own.
    const text = JSON.stringify({ ...openapi, info: null, servers: null });
    compiler = compilers.get(text) ?? newCompiler(openapi);
    compilers.set(text, compiler);
    compilerOf.set(openapi, compiler);
  }
  return compiler(pointer);
}

function newCompiler(openapi: OpenApi): Compile {
  const ajv = new Ajv2020({ strict: false, allErrors: true, validateSchema: false });
  addFormats.default(ajv);
  ajv.addSchema({ $id: "openapi", ...openapi });
  const compiled = new Map<string, ValidateFunction>();
  return (pointer) => {
    const validate = compiled.get(pointer) ?? ajv.compile({ $ref: `openapi#/${pointer}` });
    compiled.set(pointer, validate);
    return validate;
  };
}

const OF_ANY_ANSWER =
  /^(date|connection|keep-alive|transfer-encoding|content-(type|length|security-policy)|referrer-policy|x-content-type-options|strict-transport-security)$/;

const escaped = (part: string) => part.replaceAll("~", "~0").replaceAll("/", "~1");

/** An answer of an operation, or the component that it refers to. */
export function sharedAnswer({ components }: OpenApi, answer: any): any {
  const name: string | undefined = answer?.$ref?.replace("#/components/responses/", "");
  return name === undefined ? answer : components?.responses?.[name];
}

/**
 * @param path as requested, such as `/v1/jobs/job_1?x=1`
 * @param body parsed JSON
 * @param headers each of them must be described too, but for those of every HTTP answer and for browsers
 * @throws AssertionError when the document does not describe that answer, or describes another one
 */
export function validateAnswer(
  openapi: OpenApi,
  method: string,
  path: string,
  status: number,
  body: unknown,
  headers: Headers = new Headers(),
): void {
  const template = templateOf(openapi, path);
  const answers = (openapi.paths?.[template] as any)?.[method.toLowerCase()]?.responses;
  const where = `${method.toUpperCase()} ${template} ${status}`;
  expect(answers?.[status], `${where} is not described`).to.be.an("object");
  const shared = answers[status].$ref?.replace("#/components/responses/", "");
  const answer = sharedAnswer(openapi, answers[status]);
  const described = Object.keys(answer.headers ?? {}).map((name) => name.toLowerCase());
  for (const name of headers.keys())
    if (!OF_ANY_ANSWER.test(name)) expect(described, `${where}: the header ${name}`).to.include(name);
  const types = Object.keys(answer.content ?? {});
  const type = types.find((one) => headers.get("content-type")?.startsWith(one)) ?? types[0];
  if (type === undefined) {
    expect(body, `${where} has a body, but none is described`).to.equal(undefined);
    return;
  }
  // Of a text nothing more is described.
  if (body === undefined && /csv|ndjson/.test(type)) return;
  const place =
    shared === undefined
      ? ["paths", template, method.toLowerCase(), "responses", String(status)]
      : ["components", "responses", shared];
  const pointer = [...place, "content", type, "schema"].map(escaped).map(encodeURIComponent).join("/");
  const validate = compile(openapi, pointer);
  if (validate(body)) return;
  expect.fail(`${where}: ${JSON.stringify(validate.errors)}\n${JSON.stringify(body)?.slice(0, 2_000)}`);
}

function templateOf(openapi: OpenApi, path: string): string {
  const parts = (path.split("?")[0] ?? "").split("/");
  const found = Object.keys(openapi.paths ?? {}).find((template) => {
    const wanted = template.split("/");
    return (
      wanted.length === parts.length &&
      wanted.every((part, index) => part === parts[index] || (part.startsWith("{") && parts[index] !== ""))
    );
  });
  expect(found, `${path} is not described`).to.be.a("string");
  return found ?? "";
}
