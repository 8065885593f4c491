/** Raw samples as they are stored: a JSON list of what their series and their time do not say. */
import { z } from "zod";
import type { UnixSeconds } from "../../attestor/values/time.ts";

export interface StoredSample {
  readonly series: string;
  readonly sampledAt: UnixSeconds;
  /** A JSON list. */
  readonly text: string;
}

/** The members that neither the series nor the time says, in the order of the schema: so a raw sample lists them. */
export const listedOf = <Shape extends object, Said extends keyof Shape & string>(
  shape: Shape,
  ...said: readonly Said[]
) =>
  Object.keys(shape).filter((member) => !said.some((each) => each === member)) as Exclude<
    keyof Shape & string,
    Said
  >[];

export function listText<K extends string>(
  members: readonly K[],
  sample: Readonly<Record<K, unknown>>,
): string {
  return JSON.stringify(members.map((member) => sample[member]));
}

/** By its length. To make one takes longer than to parse by it. */
const schemas = new Map<number, z.ZodType<unknown[]>>();

/** @throws ZodError for another number of figures; SyntaxError */
export function listedMembers<K extends string>(members: readonly K[], text: string): Record<K, unknown> {
  const { length } = members;
  const schema = schemas.get(length) ?? z.array(z.unknown()).length(length);
  schemas.set(length, schema);
  const list = schema.parse(JSON.parse(text));
  return Object.fromEntries(members.map((member, index) => [member, list[index]])) as Record<K, unknown>;
}
