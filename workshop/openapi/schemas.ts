/** JSON Schemas of an OpenAPI 3.1 document, as plain JSON: references followed, `allOf` made one. */

import { isDeepStrictEqual } from "node:util";

export type Json = Readonly<Record<string, unknown>>;
export type Schema = Json;
export type Resolve = (schema: Schema) => Schema;

/** The object, or an empty one in the place of anything else. */
export function objectOf(value: unknown): Json {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Json) : {};
}

export const membersOf = (value: unknown): [string, unknown][] => Object.entries(objectOf(value));

const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);

/**
 * @returns what follows the references of one document and joins `allOf`, one level deep
 * @throws RangeError for a reference that leads nowhere
 */
export function resolverOf(document: Json): Resolve {
  const resolve = (schema: Schema): Schema => {
    const { $ref, allOf, ...rest } = schema;
    const parts = [
      ...($ref === undefined ? [] : [resolve(at(document, String($ref)))]),
      ...listOf(allOf).map((part) => resolve(objectOf(part))),
    ];
    return parts.length === 0 ? schema : [...parts, rest].reduce(joined);
  };
  return resolve;
}

function at(document: Json, ref: string): Schema {
  const keys = ref.replace(/^#\//, "").split("/");
  let found: unknown = document;
  for (const key of keys) found = objectOf(found)[key.replaceAll("~1", "/").replaceAll("~0", "~")];
  if (found === undefined) throw new RangeError(`${ref} leads nowhere`);
  return objectOf(found);
}

const NOTHING: Schema = { type: [] };
const LARGER = ["minimum", "exclusiveMinimum", "minLength", "minItems", "minProperties"];
const SMALLER = ["maximum", "exclusiveMaximum", "maxLength", "maxItems", "maxProperties"];

/** What fits both, of schemas whose references are followed. */
function joined(one: Schema, other: Schema): Schema {
  const both: Record<string, unknown> = { ...one };
  for (const [keyword, value] of Object.entries(other))
    both[keyword] = keyword in one ? [one[keyword], value] : value;
  const twice = (keyword: string) => keyword in one && keyword in other;
  for (const keyword of LARGER)
    if (twice(keyword)) both[keyword] = Math.max(Number(one[keyword]), Number(other[keyword]));
  for (const keyword of SMALLER)
    if (twice(keyword)) both[keyword] = Math.min(Number(one[keyword]), Number(other[keyword]));
  if (twice("type")) both.type = joinedTypes(one, other);
  if (twice("items")) both.items = { allOf: [one.items, other.items] };
  const required = [...new Set([...listOf(one.required), ...listOf(other.required)])];
  if (required.length > 0) both.required = required;
  return { ...both, ...joinedValues(one, other), ...joinedMembers(one, other), ...joinedChoices(one, other) };
}

/** As they are, also where one says nothing. */
function joinedTypes(one: Schema, other: Schema): string[] {
  const [mine, others] = [one.type, other.type].map((type) => [type].flat().map(String)) as [
    string[],
    string[],
  ];
  const within = (types: readonly string[], allowed: readonly string[]) =>
    types.filter((type) => allowed.includes(type) || (type === "integer" && allowed.includes("number")));
  return [...new Set([...within(mine, others), ...within(others, mine)])];
}

/** The values that a schema lists; null: it lists none. */
export function valuesOf({ enum: values, const: value }: Schema): unknown[] | null {
  const listed = Array.isArray(values) ? values : null;
  if (value === undefined) return listed;
  return listed === null || listed.some((each) => isDeepStrictEqual(each, value)) ? [value] : [];
}

function joinedValues(one: Schema, other: Schema): Schema {
  const [mine, others] = [valuesOf(one), valuesOf(other)];
  if (mine === null && others === null) return {};
  const values =
    mine === null
      ? others
      : mine.filter((value) => others?.some((each) => isDeepStrictEqual(value, each)) ?? true);
  return { enum: values, const: undefined };
}

/** `additionalProperties` is about the names beside it alone: what one forbids, the other cannot bring back. */
function joinedMembers(one: Schema, other: Schema): Schema {
  const [mine, others] = [objectOf(one.properties), objectOf(other.properties)];
  const [rest, otherRest] = [one.additionalProperties, other.additionalProperties];
  const names = new Set([...Object.keys(mine), ...Object.keys(others)]);
  const as = (named: Readonly<Record<string, unknown>>, name: string, beside: unknown): unknown => {
    if (name in named) return named[name];
    return beside === false ? NOTHING : typeof beside === "object" ? beside : {};
  };
  const properties = Object.fromEntries(
    [...names].map((name) => {
      const parts = [as(mine, name, rest), as(others, name, otherRest)].filter(
        (part) => Object.keys(objectOf(part)).length > 0,
      );
      return [name, parts.length === 1 ? parts[0] : { allOf: parts }];
    }),
  );
  const open = [rest, otherRest].filter((each) => each !== undefined && each !== true);
  const additional = open.includes(false) ? false : open.length === 2 ? { allOf: open } : open[0];
  return {
    ...(one.properties || other.properties ? { properties } : {}),
    ...(additional === undefined
      ? { additionalProperties: undefined }
      : { additionalProperties: additional }),
  };
}

function joinedChoices(one: Schema, other: Schema): Schema {
  const [mine, others] = [choicesOf(one), choicesOf(other)];
  if (mine === null || others === null) return {};
  return { oneOf: undefined, anyOf: mine.flatMap((a) => others.map((b) => ({ allOf: [a, b] }))) };
}

/** Alternatives; of `oneOf` that exactly one fits is taken for granted. null: there are none. */
export function choicesOf({ anyOf, oneOf }: Schema): Schema[] | null {
  const choices = Array.isArray(anyOf) ? anyOf : Array.isArray(oneOf) ? oneOf : null;
  return choices?.map(objectOf) ?? null;
}
