/** Payloads of the real providers, where their folder stands beside the checkout. */
import { existsSync, readFileSync } from "node:fs";

const FOLDER = new URL("../../../../shared/data/providers/", import.meta.url);

/** Declares tests on a provider's payload; none where it is absent. */
export function onCapture(name: string, declare: (capture: any) => void): void {
  const file = new URL(`${name}.json`, FOLDER);
  if (existsSync(file)) declare(JSON.parse(readFileSync(file, "utf8")));
}
