/** `npm run verifier`: makes verify.html, and prints where it is, how large and what it hashes to. */
import { createHash } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { brotliCompressSync, gzipSync } from "node:zlib";
import { ROOT } from "./buildOnce.ts";
import { singleFile } from "./singleFile.ts";

const path = process.argv[2] ?? join(ROOT, "web/dist/verify.html");
const text = await singleFile();
mkdirSync(dirname(path), { recursive: true });
writeFileSync(path, text);
const bytes = Buffer.from(text);
const kB = (size: number) => `${(size / 1000).toFixed(1)} kB`;
console.log(relative(process.cwd(), path));
console.log(
  `${kB(bytes.length)}, ${kB(gzipSync(bytes, { level: 9 }).length)} gzip, ${kB(brotliCompressSync(bytes).length)} brotli`,
);
console.log(`sha256 ${createHash("sha256").update(bytes).digest("hex")}`);
