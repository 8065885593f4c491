/** What a service publishes: its files by hash, and the tree of its log. Nothing of the answers is believed. */

import { setTimeout as sleep } from "node:timers/promises";
import type { LogSource } from "../../attestor/log/served.ts";
import { parseUrl } from "../../attestor/values/url.ts";
import { MAX_DOCUMENT_LENGTH } from "../../attestor/verify/document.ts";
import { readShort, textOf } from "../console.ts";
import { Unusable, UsageError } from "../errors.ts";
import { filesOf } from "../log/files.ts";

export type ArtifactKind = "evidence" | "registry" | "policies";

export type ArtifactAnswer =
  | { readonly kind: "found"; readonly text: string }
  /** The service says that there is none. */
  | { readonly kind: "missing" }
  /** No answer that is of any use, and why, in words that end a sentence. */
  | { readonly kind: "failed"; readonly why: string };

/** Never throws. @param hash 32 bytes, lower case */
export type ArtifactSource = (kind: ArtifactKind, hash: string) => Promise<ArtifactAnswer>;

const TIMEOUT_MS = 15_000;
const MAX_REDIRECTS = 3;

/** @throws UsageError for what is no http(s) address, or carries a password */
export function serviceAddress(text: string): string {
  const url = parseUrl(text);
  if (url === null || !/^https?:$/.test(url.protocol) || url.username !== "" || url.password !== "")
    throw new UsageError("must be an http or https URL, without a password");
  return `${url.origin}${url.pathname.replace(/\/+$/, "")}`;
}

/** @param base as `serviceAddress` gives it @param timeoutMs for one answer, its body and redirects included */
export function connectService(base: string, timeoutMs = TIMEOUT_MS): ArtifactSource {
  return async (kind, hash) => {
    try {
      const signal = AbortSignal.timeout(timeoutMs);
      const response = await followed(new URL(`${base}/${kind}/${hash}`), signal);
      if (response.status === 200) return { kind: "found", text: await bodyOf(response) };
      await response.body?.cancel();
      if (response.status === 404) return { kind: "missing" };
      return failed(
        response.status === 429
          ? "it answers that there were too many requests (429): try again in a minute"
          : `it answers with status ${response.status}`,
      );
    } catch (error) {
      return failed(reasonOf(error, timeoutMs));
    }
  };
}

const failed = (why: string): ArtifactAnswer => ({ kind: "failed", why });

/** As `fetch`, of a file. */
const fetchOfHost = (url: string | URL | Request, { signal }: RequestInit = {}): Promise<Response> =>
  followed(new URL(String(url)), signal ?? null);

/** Goes on to the same host alone: a service does not choose whom else we ask. */
async function followed(first: URL, signal: AbortSignal | null): Promise<Response> {
  let url = first;
  for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects++) {
    const response = await fetch(url.href, { redirect: "manual", signal });
    const location = response.headers.get("location");
    if (response.status < 300 || response.status > 399 || location === null) return response;
    await response.body?.cancel();
    const next = parseUrl(location, url.href);
    if (next === null || next.host !== first.host || !isAsSafe(next, url))
      throw new Unusable("it redirects to another host, which is not followed");
    url = next;
  }
  throw new Unusable("it redirects without end");
}

const isAsSafe = (next: URL, before: URL): boolean =>
  next.protocol === before.protocol || next.protocol === "https:";

async function bodyOf(response: Response): Promise<string> {
  const bytes = await readShort(response.body ?? [], MAX_DOCUMENT_LENGTH);
  if (bytes === null) throw new Unusable("its answer is longer than 4 MiB");
  const text = textOf(bytes);
  if (text === null) throw new Unusable("its answer is not UTF-8 text");
  return text;
}

function reasonOf(error: unknown, timeoutMs: number): string {
  const { name, cause } = error as Error & { cause?: { code?: string } };
  if (error instanceof Unusable) return error.message;
  if (name === "TimeoutError") return `no answer within ${timeoutMs / 1000} s`;
  return cause?.code ?? "no connection";
}

/** A service's checkpoint may be kept for two seconds by what stands before it. */
const PAUSE_MS = 3_000;

/** @param base as `serviceAddress` gives it */
export function connectLog(base: string): LogSource {
  return { file: filesOf(`${base}/log`, fetchOfHost), pause: () => sleep(PAUSE_MS) };
}
