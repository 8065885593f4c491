/** Payloads of the real providers, as they were captured. */
import { readFileSync } from "node:fs";

const FOLDER = new URL("../../market/providers/captured/", import.meta.url);

export const captured = (name: string): any =>
  JSON.parse(readFileSync(new URL(`${name}.json`, FOLDER), "utf8"));
