/** One attempt: ask, read to the end or the deadline, judge the status, parse. */
import type { z } from "zod";
import { keccak256 } from "../../attestor/evm/hash.ts";
import { fieldOf, ProviderFault } from "./fault.ts";
import type { RateGate } from "./rate.ts";
import type { Answer, RequestOptions, UpstreamOptions } from "./request.ts";

const DEFAULT_MAX_BYTES = 8 * 1024 * 1024;
const MAX_REDIRECTS = 3;

/** @param url of the provider, with its query @throws ProviderFault */
export async function attemptOnce<T>(
  options: UpstreamOptions,
  gate: RateGate,
  url: URL,
  init: RequestInit,
  schema: z.ZodType<T>,
  { refusal }: RequestOptions<T>,
): Promise<Answer<T>> {
  const { name, clock } = options;
  const signal = clock.deadline(options.timeoutMs);
  const { status, raw } = await beforeAbort(name, signal, async () => {
    const response = await send(options, url, init, signal);
    gate.observe(response.headers);
    if (response.status === 429 || response.status === 418)
      throw await discarded(
        response,
        new ProviderFault(name, "rate_limited", {
          status: response.status,
          retryAfterMs: gate.lockOut(response.headers),
        }),
      );
    if (!response.ok && !refusal)
      throw await discarded(response, new ProviderFault(name, "status", { status: response.status }));
    const limit = options.maxBytes ?? DEFAULT_MAX_BYTES;
    return { status: response.status, raw: await readBody(name, response, limit) };
  });
  const ok = status >= 200 && status < 300;
  const body = parseJson(raw);
  options.onAnswer?.(raw);
  if (!ok) {
    const read = body ? refusal?.(status, body.value) : undefined;
    if (read === undefined) throw new ProviderFault(name, "status", { status });
    return { data: read, raw, receivedAt: Math.floor(clock.now() / 1_000) };
  }
  const useless = { status, rawHash: keccak256(raw) };
  if (!body) throw new ProviderFault(name, "not_json", useless);
  const parsed = schema.safeParse(body.value);
  if (!parsed.success) throw new ProviderFault(name, "shape", { ...useless, field: fieldOf(parsed.error) });
  return { data: parsed.data, raw, receivedAt: Math.floor(clock.now() / 1_000) };
}

/** Follows redirects within the origin alone: a key must not travel to another host. */
async function send(
  options: UpstreamOptions,
  url: URL,
  init: RequestInit,
  signal: AbortSignal,
): Promise<Response> {
  let target = url;
  for (let hops = 0; ; hops++) {
    const signed = options.sign?.({
      method: init.method ?? "GET",
      path: target.pathname + target.search,
      body: typeof init.body === "string" ? init.body : "",
      atMs: options.clock.now(),
    });
    const headers = {
      accept: "application/json",
      ...options.headers,
      ...signed,
      ...init.headers,
    };
    const response = await options.fetch(target, { ...init, headers, signal, redirect: "manual" });
    const location = response.headers.get("location");
    if (response.status < 300 || response.status >= 400 || !location || init.method !== "GET")
      return response;
    const next = URL.canParse(location, target.href) ? new URL(location, target) : null;
    if (next?.origin !== url.origin || hops >= MAX_REDIRECTS) return response;
    await response.body?.cancel();
    target = next;
  }
}

/** Gives up at the deadline even where the injected fetch does not listen to its signal. */
async function beforeAbort<T>(provider: string, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
  const late = () => new ProviderFault(provider, "timeout");
  let onAbort = () => {};
  const aborted = new Promise<never>((_, reject) => {
    onAbort = () => reject(late());
    if (signal.aborted) onAbort();
    else signal.addEventListener("abort", onAbort, { once: true });
  });
  try {
    return await Promise.race([work(), aborted]);
  } catch (error) {
    if (error instanceof ProviderFault) throw error;
    throw signal.aborted ? late() : new ProviderFault(provider, "network");
  } finally {
    signal.removeEventListener("abort", onAbort);
  }
}

async function discarded(response: Response, fault: ProviderFault): Promise<ProviderFault> {
  await response.body?.cancel().catch(() => {});
  return fault;
}

function parseJson(raw: Uint8Array): { readonly value: unknown } | null {
  try {
    return { value: JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(raw)) };
  } catch {
    return null;
  }
}

/**
 * An answer's body. Counts decoded bytes as they come: a header may lie, and a small compressed body may grow large.
 * @throws ProviderFault `too_large`
 */
export async function readBody(provider: string, response: Response, maxBytes: number): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  // The rest of a body that is left early is cancelled.
  for await (const chunk of response.body ?? []) {
    size += chunk.byteLength;
    if (size > maxBytes) throw new ProviderFault(provider, "too_large", { status: response.status });
    chunks.push(chunk);
  }
  return new Uint8Array(Buffer.concat(chunks));
}
