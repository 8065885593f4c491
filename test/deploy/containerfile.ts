/** Reads deploy/image/Containerfile. */
import { readFileSync } from "node:fs";
import { join } from "node:path";

export const ROOT = join(import.meta.dirname, "../..");

export interface Instruction {
  readonly name: string;
  readonly words: string;
}

/** Each instruction in one line, as a builder reads it. */
export function instructions(): Instruction[] {
  const text = readFileSync(join(ROOT, "deploy/image/Containerfile"), "utf8");
  const lines = text.replace(/^#.*\n/gm, "").replace(/\\\n\s*/g, "");
  return lines
    .split("\n")
    .filter((line) => line.trim() !== "")
    .map((line) => {
      const [name = "", ...words] = line.split(" ");
      return { name, words: words.join(" ") };
    });
}
