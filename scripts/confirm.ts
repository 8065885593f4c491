/** A question to who sits at the terminal, and text for it. */
import { createInterface } from "node:readline/promises";

/**
 * @param terminal whether keys mean something, Ctrl-C and Ctrl-D among them
 * @returns true for a typed yes alone; Ctrl-C and Ctrl-D are a no
 */
export async function askYes(
  question: string,
  input: NodeJS.ReadableStream,
  output: NodeJS.WritableStream,
  terminal?: boolean,
): Promise<boolean> {
  const lines = createInterface({ input, output, ...(terminal === undefined ? {} : { terminal }) });
  // An input that ends leaves the question without an answer forever.
  const ended = new Promise<string>((resolve) => lines.once("close", () => resolve("")));
  try {
    const answer = await Promise.race([lines.question(`${question} [y/N] `), ended]);
    return /^y(es)?$/i.test(answer.trim());
  } catch {
    return false;
  } finally {
    lines.close();
  }
}

/**
 * Names come from files and contracts that others wrote: what would move the cursor, clear the screen or turn the
 * direction of reading is shown as its code point. Line ends stay.
 */
export function plainText(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, (character) =>
    character === "\n"
      ? character
      : `<U+${character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, "0")}>`,
  );
}
