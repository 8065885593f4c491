/**
 * A facilitator over HTTP. The library's client is not used: it follows every redirect with the key and the payment,
 * reads answers of any length, and prints what a facilitator sends in a header.
 */
import { readBody } from "../../market/providers/body.ts";
import type { FacilitatorClient } from "./facilitator.ts";

type Operation = "verify" | "settle";

/** Usual ones have a few hundred bytes. */
const MAX_ANSWER_BYTES = 2 ** 20;
const MAX_REDIRECTS = 3;
const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);
/** Those that keep method and body. */
const KEEPING: ReadonlySet<number> = new Set([307, 308]);
const SERVER_ERROR = 500;

/**
 * @param key sent as a bearer, for facilitators that ask for one
 * @param timeoutMs for one request, its answer's body included
 */
export function httpFacilitator(
  url: string,
  key: string | null,
  timeoutMs: number,
  request: typeof fetch,
): FacilitatorClient {
  const base = url.replace(/\/+$/, "");
  const headers = {
    "Content-Type": "application/json",
    ...(key === null ? {} : { Authorization: `Bearer ${key}` }),
  };

  async function send(operation: Operation, init: RequestInit): Promise<Response> {
    const signal = AbortSignal.timeout(timeoutMs);
    let place = `${base}/${operation}`;
    for (let hop = 0; hop <= MAX_REDIRECTS; hop++) {
      const response = await request(place, { ...init, headers, signal, redirect: "manual" });
      if (!REDIRECTS.has(response.status)) return response;
      await response.body?.cancel().catch(() => {});
      const next = new URL(response.headers.get("location") ?? "", place);
      if (next.origin !== new URL(place).origin) throw new Error("the facilitator redirects to another host");
      if (init.method !== "GET" && !KEEPING.has(response.status))
        throw new Error("the facilitator redirects without the payment");
      place = next.href;
    }
    throw new Error("the facilitator redirects too often");
  }

  /** @returns what it answered, parsed by nothing but JSON, and whether it was a 2xx */
  async function ask(operation: Operation, init: RequestInit): Promise<{ answer: unknown; status: number }> {
    const response = await send(operation, init);
    const body = await readBody("facilitator", response, MAX_ANSWER_BYTES);
    return { answer: JSON.parse(new TextDecoder().decode(body)), status: response.status };
  }

  async function post<T>(
    operation: Operation,
    [paymentPayload, paymentRequirements]: Parameters<FacilitatorClient["verify"]>,
  ): Promise<T> {
    const { x402Version } = paymentPayload;
    const body = JSON.stringify({ x402Version, paymentPayload, paymentRequirements });
    const { answer, status } = await ask(operation, { method: "POST", body });
    // Some refuse with 4xx. That is an answer too, of `verify`; anything from 500 on is an outage.
    const isRefusal =
      operation === "verify" &&
      status < SERVER_ERROR &&
      typeof answer === "object" &&
      answer !== null &&
      "isValid" in answer &&
      answer.isValid === false;
    if (!isOk(status) && !isRefusal) throw new Error(`the facilitator answers ${status}`);
    // The caller parses it by a schema (`facilitator.ts`).
    return answer as T;
  }

  return {
    verify: (...args) => post("verify", args),
    settle: (...args) => post("settle", args),
  };
}

const isOk = (status: number): boolean => status >= 200 && status < 300;
