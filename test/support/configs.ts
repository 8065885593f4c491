/** Configuration files of `deploy`, with the places of a test in them. */
import { readFileSync } from "node:fs";

/** @param places the texts to replace, each with its replacement; each must occur */
export function haproxyConfig(places: readonly (readonly [string, string])[]): string {
  let text = readFileSync(new URL("../../deploy/haproxy/haproxy.cfg", import.meta.url), "utf8");
  for (const [from, to] of places) {
    if (!text.includes(from)) throw new Error(`deploy/haproxy/haproxy.cfg has no ${from}`);
    text = text.replaceAll(from, to);
  }
  return text;
}
