/** Random names and tokens. `random(n)` gives n random bytes. */
import { createHash, createHmac } from "node:crypto";

export type Random = (bytes: number) => Uint8Array;

const base64url = (bytes: Uint8Array): string => Buffer.from(bytes).toString("base64url");

export const newJobId = (random: Random): string => `job_${base64url(random(16))}`;
export const newExecutionId = (random: Random): string => `exe_${base64url(random(16))}`;

/** Bearer token of one job. Shown once; only its digest is stored. */
export const newJobToken = (random: Random): string => `jt_${base64url(random(32))}`;

/**
 * The token of a job that was bought: the same for all copies of one payment, however many are answered.
 * @param proof what only the buyer and the service know of the payment
 */
export const boughtJobToken = (jobId: string, proof: { quote: string; signature: string }): string =>
  `jt_${createHmac("sha256", proof.quote).update(`job token ${jobId} ${proof.signature}`).digest("base64url")}`;

export const isJobToken = (text: string): boolean => /^jt_[A-Za-z0-9_-]{43}$/.test(text);

/** Bearer token of one prepared version, for the page where a wallet signs it. Shown once; only its digest is stored. */
export const newSignToken = (random: Random): string => `st_${base64url(random(32))}`;

export const isSignToken = (text: string): boolean => /^st_[A-Za-z0-9_-]{43}$/.test(text);

/** SHA-256 in hexadecimal. */
export const digestOf = (token: string): string => createHash("sha256").update(token).digest("hex");
