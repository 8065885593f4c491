/**
 * Where one schema lets something through that another does not. Of keywords whose meaning it cannot compare (a pattern,
 * a format) it says that they differ, so that it finds too much rather than too little.
 */
import { isDeepStrictEqual } from "node:util";
import KEYWORDS from "./keywords.json" with { type: "json" };

export type Json = Readonly<Record<string, unknown>>;
/** A JSON Schema of an OpenAPI 3.1 document. */
export type Schema = Json;

export interface Narrowing {
  readonly place: readonly string[];
  readonly what: string;
}

export interface Within {
  readonly schema: Schema;
  /** In which its references lead somewhere. */
  readonly document: Json;
}

/** `input`: A is what was sent, B what is taken. `output`: A is what is sent, B what was expected. */
type Direction = "input" | "output";

interface Context {
  readonly direction: Direction;
  /** Pairs that are being compared further up. */
  readonly under?: readonly (readonly [unknown, unknown])[];
}

type Kind = "number" | "string" | "array" | "object";
/** Keywords, by the type of the values that they concern; null: of all. */
const {
  lower: LOWER,
  upper: UPPER,
  opaque: OPAQUE,
} = KEYWORDS as Readonly<Record<"lower" | "upper" | "opaque", Readonly<Record<string, Kind | null>>>>;

/** The object, or an empty one in the place of anything else. */
export function objectOf(value: unknown): Json {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Json) : {};
}

export const membersOf = (value: unknown): [string, unknown][] => Object.entries(objectOf(value));

/**
 * @returns where A is not within B; empty: all that fits A fits B
 * @throws RangeError for a reference that leads nowhere
 */
export function narrowings(a: Within, b: Within, context: Context): Narrowing[] {
  const { under = [], direction } = context;
  const [keyA, keyB] = [keyOf(a.schema), keyOf(b.schema)];
  if (under.some(([one, other]) => one === keyA && other === keyB)) return [];
  const inner: Context = { direction, under: [...under, [keyA, keyB]] };
  const [parts, others] = [partsOf(a), partsOf(b)];
  // A request that omits it would get another value.
  const isOther = direction === "input" && !isDeepStrictEqual(defaultOf(a), defaultOf(b));
  return [
    ...(isOther ? [{ place: [], what: "has another default" }] : []),
    // What fits one part fits; of what parts allow together nothing is known. The later ones say more of their own.
    ...others.flatMap((other) => best(parts.toReversed().map((part) => ofParts(part, other, a, b, inner)))),
  ];
}

/** The first that fits best says what is wrong. */
const best = (tries: readonly Narrowing[][]): Narrowing[] =>
  tries.reduce((found, next) => (next.length < found.length ? next : found));

function ofParts(part: Schema, other: Schema, a: Within, b: Within, context: Context): Narrowing[] {
  const between = (one: Schema, two: Schema) =>
    narrowings({ ...a, schema: one }, { ...b, schema: two }, context);
  const [choices, allowed] = [choicesOf(part), choicesOf(other)];
  if (choices !== null) return choices.flatMap((choice) => between(choice, other));
  if (allowed !== null) return best(allowed.map((option) => between(part, option)));
  return plain({ ...a, schema: part }, { ...b, schema: other }, context);
}

/** A reference is the same wherever it stands; anything else is itself. */
const keyOf = (schema: Schema): unknown => (Object.keys(schema).join() === "$ref" ? schema.$ref : schema);

const TEXTS = new Set(KEYWORDS.texts);

/** All schemas that must be met: a reference's target, those of `allOf`, the alternatives, and their siblings. */
function partsOf({ schema, document }: Within): Schema[] {
  const { $ref, allOf, anyOf, oneOf, ...beside } = schema;
  const rest = Object.fromEntries(Object.entries(beside).filter(([keyword]) => !TEXTS.has(keyword)));
  const choices = anyOf ?? oneOf;
  const parts = [
    ...($ref === undefined ? [] : partsOf({ document, schema: at(document, String($ref)) })),
    ...(Array.isArray(allOf) ? allOf.flatMap((part) => partsOf({ document, schema: objectOf(part) })) : []),
    ...(choices === undefined ? [] : [{ anyOf: choices }]),
    ...(Object.keys(rest).length === 0 ? [] : [rest]),
  ];
  return parts.length === 0 ? [{}] : parts;
}

/** Alternatives; of `oneOf` that exactly one fits is taken for granted. null: there are none. */
const choicesOf = ({ anyOf }: Schema): Schema[] | null => (Array.isArray(anyOf) ? anyOf.map(objectOf) : null);

function defaultOf({ schema, document }: Within): unknown {
  if (schema.default !== undefined || schema.$ref === undefined) return schema.default;
  return defaultOf({ document, schema: at(document, String(schema.$ref)) });
}

function at(document: Json, ref: string): Schema {
  const keys = ref.replace(/^#\//, "").split("/");
  let found: unknown = document;
  for (const key of keys) found = objectOf(found)[key.replaceAll("~1", "/").replaceAll("~0", "~")];
  if (found === undefined) throw new RangeError(`${ref} leads nowhere`);
  return objectOf(found);
}

/** The values that a schema lists; null: it lists none. */
function valuesOf({ enum: values, const: value }: Schema): unknown[] | null {
  const listed = Array.isArray(values) ? values : null;
  if (value === undefined) return listed;
  return listed === null || listed.some((each) => isDeepStrictEqual(each, value)) ? [value] : [];
}

function plain(a: Within, b: Within, context: Context): Narrowing[] {
  return [
    ...ofTypes(a.schema, b.schema),
    ...ofValues(a.schema, b.schema),
    ...ofBounds(a.schema, b.schema),
    ...ofMembers(a, b, context),
    ...ofItems(a, b, context),
  ];
}

const ALL_TYPES = ["array", "boolean", "integer", "null", "number", "object", "string"];

/** Of values that are listed, their types. */
function typesOf(schema: Schema): string[] {
  const values = valuesOf(schema);
  const { type } = schema;
  const said = Array.isArray(type) ? type.map(String) : type === undefined ? ALL_TYPES : [String(type)];
  if (values === null) return said;
  return [...new Set(values.map(typeOfValue))].filter((one) => fitsType(one, said));
}

function typeOfValue(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  return Number.isInteger(value) ? "integer" : typeof value;
}

const fitsType = (type: string, types: readonly string[]) =>
  types.includes(type) || (type === "integer" && types.includes("number"));

function ofTypes(a: Schema, b: Schema): Narrowing[] {
  const allowed = typesOf({ type: b.type });
  return typesOf(a)
    .filter((type) => !fitsType(type, allowed))
    .map((type) => ({ place: [], what: `may be of the type ${type}, which the other is not` }));
}

function ofValues(a: Schema, b: Schema): Narrowing[] {
  const [values, allowed] = [valuesOf(a), valuesOf(b)];
  if (allowed === null) return [];
  if (values === null) return [{ place: [], what: "may be any value, where the other lists them" }];
  return values
    .filter((value) => !allowed.some((other) => isDeepStrictEqual(value, other)))
    .map((value) => ({ place: [], what: `may be ${JSON.stringify(value)}, which the other does not list` }));
}

function ofBounds(a: Schema, b: Schema): Narrowing[] {
  // Listed values are compared one by one, and hold no bound of their own.
  if (valuesOf(a) !== null && valuesOf(b) !== null) return [];
  const shared = typesOf(a).filter((type) => fitsType(type, typesOf({ type: b.type })));
  const concerns = (kind: Kind | null) =>
    kind === null || shared.some((type) => type === kind || (kind === "number" && type === "integer"));
  const bound = (keywords: typeof LOWER, fits: (mine: number, others: number) => boolean) =>
    Object.entries(keywords).filter(([keyword, kind]) => {
      const [mine, others] = [a[keyword], b[keyword]];
      return (
        concerns(kind) && typeof others === "number" && !(typeof mine === "number" && fits(mine, others))
      );
    });
  const opaque = Object.entries(OPAQUE).filter(
    ([keyword, kind]) =>
      concerns(kind) && b[keyword] !== undefined && !isDeepStrictEqual(a[keyword], b[keyword]),
  );
  return [
    ...bound(LOWER, (mine, others) => mine >= others),
    ...bound(UPPER, (mine, others) => mine <= others),
    ...opaque,
  ].map(([keyword]) => ({ place: [], what: `has another ${keyword}` }));
}

const requiredOf = ({ required }: Schema): string[] => (Array.isArray(required) ? required.map(String) : []);

function ofMembers(a: Within, b: Within, context: Context): Narrowing[] {
  if (!typesOf(a.schema).includes("object") || !typesOf(b.schema).includes("object")) return [];
  const isInput = context.direction === "input";
  const [mine, others] = [objectOf(a.schema.properties), objectOf(b.schema.properties)];
  const demanded = requiredOf(b.schema)
    .filter((name) => !requiredOf(a.schema).includes(name))
    .filter((name) => isInput || name in mine)
    .map((name) => ({ place: [name], what: isInput ? "must be given now" : "may be missing now" }));
  const shared = Object.keys(others).flatMap((name): Narrowing[] => {
    if (!(name in mine)) {
      // Of answers a member that is not told of any more. What is sent may have had any value there.
      const isClosed = a.schema.additionalProperties === false;
      if (!isInput) return [{ place: [name], what: "is gone" }];
      return isClosed || a.schema.properties !== undefined
        ? []
        : [{ place: [name], what: "is declared now" }];
    }
    return within(name, { ...a, schema: mine[name] }, { ...b, schema: others[name] }, context);
  });
  return [...demanded, ...shared, ...ofOthers(a, b, context)];
}

/** Members that the other has no name for. */
function ofOthers(a: Within, b: Within, context: Context): Narrowing[] {
  const others = objectOf(b.schema.properties);
  const unnamed = membersOf(a.schema.properties).filter(([name]) => !(name in others));
  const rest = b.schema.additionalProperties;
  const gone = context.direction === "input" && rest === undefined && b.schema.properties !== undefined;
  if (rest === false || gone)
    return [
      ...unnamed.map(([name]) => ({ place: [name], what: "is not taken" })),
      ...(rest === false && a.schema.additionalProperties !== false
        ? [{ place: [], what: "may have members that the other forbids" }]
        : []),
    ];
  if (typeof rest !== "object" || rest === null) return [];
  const each = [
    ...unnamed,
    ...(a.schema.additionalProperties === false ? [] : [["*", a.schema.additionalProperties] as const]),
  ];
  return each.flatMap(([name, schema]) => within(name, { ...a, schema }, { ...b, schema: rest }, context));
}

function ofItems(a: Within, b: Within, context: Context): Narrowing[] {
  if (b.schema.items === undefined || !typesOf(a.schema).includes("array")) return [];
  return within("[]", { ...a, schema: a.schema.items }, { ...b, schema: b.schema.items }, context);
}

type Inside = Omit<Within, "schema"> & { readonly schema: unknown };

function within(name: string, a: Inside, b: Inside, context: Context): Narrowing[] {
  return narrowings({ ...a, schema: objectOf(a.schema) }, { ...b, schema: objectOf(b.schema) }, context).map(
    ({ place, what }) => ({ place: [name, ...place], what }),
  );
}
