/** Descriptions of members that stand apart from their schemas, in a file of words: there as sentences, here as a table. */
import type { z } from "zod";

/** The members with their descriptions. @throws Error for words about a member that there is not */
export function worded<const Shape extends Readonly<Record<string, z.ZodType>>>(
  words: { readonly [Name in keyof Shape]?: string },
  shape: Shape,
): Shape {
  const idle = Object.keys(words).filter((name) => !Object.hasOwn(shape, name));
  if (idle.length > 0) throw new Error(`words about ${idle.join(", ")}, which is no member`);
  const members = Object.entries(shape).map(([name, schema]) => [
    name,
    words[name] === undefined ? schema : schema.describe(words[name]),
  ]);
  return Object.fromEntries(members) as Shape;
}
