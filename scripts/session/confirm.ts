/** A question to who sits at the terminal. */
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
  // An input that ends leaves the question without an answer for ever.
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
