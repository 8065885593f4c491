/**
 * Which changes between two OpenAPI documents can break a program that was written for the first. Its requests may be
 * refused, or its answers undocumented. New calls, new optional inputs and new members of answers break nothing.
 */
import { isDeepStrictEqual } from "node:util";
import { type Json, membersOf, narrowings, objectOf, type Schema } from "./narrowings.ts";

export interface Breaking {
  /** As in `GET /v1/jobs/{id}`; `document` for what concerns all of them. */
  readonly operation: string;
  /** Of the member, as in `responses.200.jobId`; empty: the whole operation. */
  readonly place: string;
  readonly what: string;
}

const METHODS = ["get", "put", "post", "delete", "options", "head", "patch", "trace"];

interface Operations {
  readonly before: Json;
  readonly after: Json;
  /** Finds where what A allows is more than B allows. */
  within(a: Side, b: Side, place: string): Omit<Breaking, "operation">[];
}
interface Side {
  readonly of: "before" | "after";
  readonly schema: Schema;
}

/** Of a parameter, a header or a content. */
const schemaIn = (of: Side["of"], one: unknown): Side => ({ of, schema: objectOf(objectOf(one).schema) });

/** Both as `JSON.parse` gives them. @returns in the order of the first document; empty: programs go on */
export function breakingChanges(before: unknown, after: unknown): Breaking[] {
  const [old, now] = [objectOf(before), objectOf(after)];
  const documents = { before: old, after: now };
  const within: Operations["within"] = (a, b, place) =>
    narrowings(
      { schema: a.schema, document: documents[a.of] },
      { schema: b.schema, document: documents[b.of] },
      { direction: a.of === "before" ? "input" : "output" },
    ).map((found) => ({ place: [place, ...found.place].join("."), what: found.what }));
  const ofOperations = membersOf(old.paths).flatMap(([path, methods]) =>
    METHODS.flatMap((method) => {
      const was = operationOf(old, methods, method);
      const is = operationOf(now, objectOf(now.paths)[path], method);
      if (was === undefined) return [];
      const operation = `${method.toUpperCase()} ${path}`;
      if (is === undefined) return [{ operation, place: "", what: "is gone" }];
      const both = { before: was, after: is, within };
      const found = [...ofSecurity(both), ...ofParameters(both), ...ofBody(both), ...ofResponses(both)];
      return found.map((one) => ({ operation, ...one }));
    }),
  );
  return [...ofDocument(old, now), ...ofOperations];
}

/** Includes what it inherits: parameters of its path, and the document's authentication. */
function operationOf(document: Json, path: unknown, method: string): Json | undefined {
  const own = objectOf(path)[method];
  if (own === undefined) return undefined;
  const operation = objectOf(own);
  const parameters = [...parametersOf(operation), ...parametersOf(objectOf(path))];
  return { ...operation, security: operation.security ?? document.security, parameters };
}

/** Where the API is, and how a credential is shown. */
function ofDocument(before: Json, after: Json): Breaking[] {
  const urlsOf = ({ servers }: Json) =>
    Array.isArray(servers) ? servers.map((one) => objectOf(one).url) : [];
  const schemesOf = ({ components }: Json) => objectOf(objectOf(components).securitySchemes);
  const plain = (scheme: unknown) => ({ ...objectOf(scheme), description: undefined });
  const moved = urlsOf(before)
    .filter((url) => !urlsOf(after).includes(url))
    .map((url) => ({ operation: "document", place: "servers", what: `is at ${url} no more` }));
  const shown = membersOf(schemesOf(before))
    .filter(([name, scheme]) => !isDeepStrictEqual(plain(scheme), plain(schemesOf(after)[name])))
    .map(([name]) => `securitySchemes.${name}`)
    .map((place) => ({ operation: "document", place, what: "is shown otherwise" }));
  return [...moved, ...shown];
}

type Found = Omit<Breaking, "operation">;

/** Each way in of before has to be one still. No requirement at all is a way in. */
function ofSecurity({ before, after }: Operations): Found[] {
  const waysOf = ({ security }: Json) => {
    const ways = Array.isArray(security)
      ? security.map((way) => Object.keys(objectOf(way)).sort().join("+"))
      : [];
    return ways.length === 0 ? [""] : ways;
  };
  const ways = waysOf(after);
  if (ways.includes("")) return [];
  return waysOf(before)
    .filter((way) => !ways.includes(way))
    .map((way) => (way === "" ? "needs a credential now" : `${way} opens it no more`))
    .map((what) => ({ place: "security", what }));
}

const parametersOf = ({ parameters }: Json): Json[] =>
  Array.isArray(parameters) ? parameters.map(objectOf) : [];
const nameOf = ({ in: place, name }: Json) => `${place}.${name}`;

function ofParameters({ before, after, within }: Operations): Found[] {
  const [old, now] = [parametersOf(before), parametersOf(after)];
  const demanded = now
    .filter(
      (one) =>
        one.required === true &&
        !old.some((other) => nameOf(other) === nameOf(one) && other.required === true),
    )
    .map((one) => ({ place: nameOf(one), what: "must be given now" }));
  const kept = old.flatMap((one) => {
    const same = now.find((other) => nameOf(other) === nameOf(one));
    if (same === undefined) return [{ place: nameOf(one), what: "is taken no more" }];
    return within(schemaIn("before", one), schemaIn("after", same), nameOf(one));
  });
  return [...demanded, ...kept];
}

function ofBody({ before, after, within }: Operations): Found[] {
  const [old, now] = [objectOf(before.requestBody), objectOf(after.requestBody)];
  const isDemanded = now.required === true && old.required !== true;
  return [
    ...(isDemanded ? [{ place: "body", what: "must be given now" }] : []),
    ...membersOf(old.content).flatMap(([type, one]) => {
      const same = objectOf(now.content)[type];
      if (same === undefined) return [{ place: "body", what: `is taken as ${type} no more` }];
      return within(schemaIn("before", one), schemaIn("after", same), "body");
    }),
  ];
}

function ofResponses({ before, after, within }: Operations): Found[] {
  const now = objectOf(after.responses);
  const added = Object.keys(now)
    .filter((status) => objectOf(before.responses)[status] === undefined)
    .map((status) => ({ place: `responses.${status}`, what: "is a new answer" }));
  const kept = membersOf(before.responses).flatMap(([status, one]) => {
    const place = `responses.${status}`;
    const same = now[status];
    if (same === undefined) return [{ place, what: "is gone" }];
    const headers = membersOf(objectOf(one).headers).flatMap(([name, header]) => {
      const other = objectOf(objectOf(same).headers)[name];
      if (other === undefined) return [{ place: `${place}.headers.${name}`, what: "is gone" }];
      return within(schemaIn("after", other), schemaIn("before", header), `${place}.headers.${name}`);
    });
    const contents = membersOf(objectOf(one).content).flatMap(([type, content]) => {
      const other = objectOf(objectOf(same).content)[type];
      if (other === undefined) return [{ place, what: `comes as ${type} no more` }];
      return within(schemaIn("after", other), schemaIn("before", content), place);
    });
    return [...headers, ...contents];
  });
  return [...added, ...kept];
}

/** Those changes that no item beginning with `**Breaking` names, by its operation or its path in backticks. */
export function unannounced(changes: readonly Breaking[], changelog: string): Breaking[] {
  const items = changelog.split(/\n(?=- |#)/).filter((item) => item.startsWith("- **Breaking"));
  const named = new Set(items.flatMap((item) => [...item.matchAll(/`([^`]+)`/g)].map(([, name]) => name)));
  return changes.filter(
    ({ operation }) => ![operation, operation.split(" ")[1]].some((name) => named.has(name)),
  );
}
