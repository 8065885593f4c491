/** Payloads of the real providers, as they were captured. */
import { readFileSync } from "node:fs";

const FOLDER = new URL("../../market/providers/captured/", import.meta.url);

/** Declares tests on a provider's payload. */
export function onCapture(name: string, declare: (capture: any) => void): void {
  declare(JSON.parse(readFileSync(new URL(`${name}.json`, FOLDER), "utf8")));
}
