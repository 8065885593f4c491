/** What two OpenAPI documents differ in: texts for people, or what programs rely on. */

export interface Difference {
  /** As in `paths./v1/jobs.post.summary`. */
  readonly place: string;
  /** `text`: a description, summary or title. */
  readonly kind: "text" | "shape";
  /** null: not there. */
  readonly before: string | null;
  readonly after: string | null;
}

const TEXTS = new Set(["description", "summary", "title"]);
/** Their members have names that somebody chose: a property may be called `title`. */
const NAMED = new Set([
  "properties",
  "patternProperties",
  "$defs",
  "schemas",
  "responses",
  "parameters",
  "headers",
  "securitySchemes",
  "paths",
  "content",
  "examples",
  "variables",
]);

/** Both as `JSON.parse` gives them. @returns in the order of the documents; empty: they are the same */
export function differences(before: unknown, after: unknown): Difference[] {
  return [...between(before, after, [])];
}

function* between(before: unknown, after: unknown, place: readonly string[]): Generator<Difference> {
  if (isContainer(before) && isContainer(after) && Array.isArray(before) === Array.isArray(after)) {
    for (const key of new Set([...Object.keys(before), ...Object.keys(after)]))
      yield* between(before[key], after[key], [...place, key]);
    return;
  }
  const [was, is] = [textOf(before), textOf(after)];
  if (was !== is)
    yield { place: place.join("."), kind: kindOf(before, after, place), before: was, after: is };
}

type Container = Readonly<Record<string, unknown>>;
const isContainer = (value: unknown): value is Container => typeof value === "object" && value !== null;
const textOf = (value: unknown): string | null => (value === undefined ? null : JSON.stringify(value));

function kindOf(before: unknown, after: unknown, place: readonly string[]): Difference["kind"] {
  const isText = (value: unknown) => value === undefined || typeof value === "string";
  const isTexts = isText(before) && isText(after) && TEXTS.has(place.at(-1) ?? "");
  return isTexts && !NAMED.has(place.at(-2) ?? "") && !isWithinExample(place) ? "text" : "shape";
}

/** Examples show what is sent, which may have a `description` of its own. */
const isWithinExample = (place: readonly string[]) =>
  place.some(
    (key, index) => /^(example|examples|default|const|enum)$/.test(key) && !NAMED.has(place[index - 1] ?? ""),
  );
