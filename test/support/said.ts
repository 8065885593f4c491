/** How a command ended, and what it said. */
import { expect } from "chai";

/**
 * Expects that it ended with the code, and that its output has each of these.
 * @returns all that it said
 */
export function expectSaid(
  { code, text }: { readonly code: number; readonly text: string },
  wanted: number,
  ...words: readonly (string | RegExp)[]
): string {
  expect(code, text).to.equal(wanted);
  for (const each of words)
    if (typeof each === "string") expect(text).to.contain(each);
    else expect(text).to.match(each);
  return text;
}
