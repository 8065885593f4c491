/** What the rows of the bench are called: the same in SQL, which makes them, and here, where they are asked for. */
import { createHash } from "node:crypto";

const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex");
const sqlSha256 = (text: string): string => `encode(sha256(convert_to(${text}, 'UTF8')), 'hex')`;

const ID_DIGITS = 22;
const TOKEN_LENGTH = 43;

export const jobIdOf = (n: number): string => `job_${String(n).padStart(ID_DIGITS, "0")}`;
/** Of a job that was bought without a key. */
export const tokenOf = (n: number): string => `jt_${sha256(`token ${n}`).slice(0, TOKEN_LENGTH)}`;
export const evidenceOf = (n: number, version: number): string => `0x${sha256(`evidence ${n} ${version}`)}`;
export const samplesOf = (n: number): string => `0x${sha256(`samples ${n}`)}`;
/** Of a token that nobody issued, with samples all the same. */
export const assetOf = (n: number): string => `eip155:56:0x${sha256(`asset ${n}`).slice(0, 40)}`;

/** The same as SQL. Each takes an expression for `n`. */
export const SQL = {
  jobId: (n: string) => `'job_' || lpad((${n})::text, ${ID_DIGITS}, '0')`,
  tokenDigest: (n: string) => sqlSha256(`'jt_' || left(${sqlSha256(`'token ' || (${n})`)}, ${TOKEN_LENGTH})`),
  evidence: (n: string, version: string) =>
    `'0x' || ${sqlSha256(`'evidence ' || (${n}) || ' ' || ${version}`)}`,
  samples: (n: string) => `'0x' || ${sqlSha256(`'samples ' || (${n})`)}`,
  asset: (n: string) => `'eip155:56:0x' || left(${sqlSha256(`'asset ' || (${n})`)}, 40)`,
  /** A hash of another kind. */
  hash: (kind: string, n: string) => `'0x' || ${sqlSha256(`'${kind} ' || (${n})`)}`,
};
