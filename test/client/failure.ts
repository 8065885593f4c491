/** What a call of the client fails with, and a service that fails as a test says. */
import { type ClientOptions, createClient, ServiceError } from "../../client/client.ts";
import { failureOf as anyFailureOf } from "../support/failure.ts";
import { json, startFakeUpstream } from "../support/providers/upstream.ts";
import { ofTest } from "../support/suite.ts";

/** @throws what it failed with, where that is no ServiceError */
export const failureOf = (work: Promise<unknown>): Promise<ServiceError> => anyFailureOf(work, ServiceError);

export const HASH = `0x${"11".repeat(32)}`;

/** A refusal as the service has it. */
export const problem = (code: number, name: string, headers: Record<string, string> = {}, more = {}) =>
  json(
    {
      type: `urn:assay:problem:${name}`,
      title: "t",
      detail: "d",
      requestId: "r1",
      status: code,
      code: name,
      ...more,
    },
    code,
    { "content-type": "application/problem+json", ...headers },
  );

/** A service of each test's own, and clients of it that need not wait. */
export function failingService() {
  const upstream = ofTest(startFakeUpstream);
  /** How long the clients would have waited each time, milliseconds. */
  const slept: number[] = [];
  beforeEach(() => {
    slept.length = 0;
  });
  const make = (options: Partial<ClientOptions> = {}) =>
    createClient({
      baseUrl: upstream.url,
      apiKey: "ak_test",
      sleep: async (ms) => void slept.push(ms),
      now: () => Date.UTC(2026, 0, 1),
      ...options,
    });
  return { upstream, slept, make };
}
