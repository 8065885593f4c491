/** What a page may load: its own scripts, styles and answers, and nothing of anybody else. */
import { createHash } from "node:crypto";
import type { WebAssets } from "./assets.ts";

/** @param styles the texts of the pages' style elements, which their hashes let in */
export function pagePolicy(styles: WebAssets["styles"]): string {
  const hashes = Object.values(styles).map(
    (style) => `'sha256-${createHash("sha256").update(style).digest("base64")}'`,
  );
  return [
    "default-src 'none'",
    "script-src 'self'",
    `style-src ${hashes.join(" ")}`,
    "connect-src 'self'",
    "img-src 'self' data:",
    "font-src 'self'",
    "worker-src 'self'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join("; ");
}
