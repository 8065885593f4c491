/** The real application on a real port, with fakes only where the chain would be. */
import { randomBytes } from "node:crypto";
import { Readable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "chai";
import { answering } from "../../api/answering.ts";
import { app, openApi } from "../../api/app.ts";
import { listedAssets } from "../../api/data/listing.ts";
import type { OpenApi } from "../../api/docs/openapi.ts";
import { createDailyCap, createLimits, type Limits } from "../../api/http/limits.ts";
import { listen } from "../../api/http/listen.ts";
import { createKeys } from "../../api/keys/keys.ts";
import type { KeyApplication } from "../../api/keys/schemas.ts";
import { developmentLogSigner } from "../../api/log/key.ts";
import { createLogger } from "../../api/metrics/logger.ts";
import { createMetrics } from "../../api/metrics/metrics.ts";
import { createWatches } from "../../api/metrics/watches.ts";
import { readAssets } from "../../api/pages/assets.ts";
import type { Service } from "../../api/service.ts";
import { type Config, parseConfig } from "../../api/settings/config.ts";
import { POLICY_VERSIONS } from "../../attestor/policies/policy.ts";
import type { Registry } from "../../attestor/registry.ts";
import { createCaches } from "../../chain/caches.ts";
import type { Chain } from "../../chain/chain.ts";
import type { Database } from "../../database/open.ts";
import { memoryDatabase } from "./database.ts";
import { validateAnswer } from "./openapi.ts";
import { ofSuite } from "./suite.ts";

export const APPLICANT: KeyApplication = { name: "Ann", email: "ann@example.org", purpose: "tests" };

const guard = "0x5FbDB2315678afecb367f032d93F642f64180aa3";
const token = (digit: string) => `0x${digit.repeat(40)}`;

export const REGISTRY: Registry = {
  version: "test-1",
  chainId: 31337,
  assets: [
    {
      assetKey: `eip155:31337:${token("1")}`,
      symbol: "AAPLx",
      name: "Apple",
      kind: "stock",
      underlying: "AAPL",
      issuer: "xstocks",
      chainId: 31337,
      address: token("1"),
      decimals: 18,
      priceSources: [],
      tokenSources: [],
    },
    {
      assetKey: `eip155:31337:${token("2")}`,
      symbol: "USDL",
      name: "Local dollar",
      kind: "settlement",
      underlying: null,
      issuer: null,
      chainId: 31337,
      address: token("2"),
      decimals: 6,
      priceSources: [],
      tokenSources: [],
    },
  ],
  routes: [
    {
      kind: "uniswap-v2",
      name: "v2",
      chainId: 31337,
      address: token("3"),
      selector: "0x38ed1739",
      factory: token("4"),
    },
  ],
};

/** One of a test's own is ended by `await using`. */
export type TestApp = Awaited<ReturnType<typeof startTestApp>>;
/** A request; `key` null: without one. */
export type Asked = RequestInit & { key?: string | null };

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** Parsed where the text is JSON. */
  readonly body: any;
}

export interface TestAppOptions {
  readonly db?: Database;
  /** Fills a database of the app's own. */
  readonly seed?: (db: Database) => Promise<void>;
  readonly limits?: Limits;
  readonly settings?: Partial<Config>;
  /** Each resolves when the chain, or its publishers of signed prices, answer. */
  readonly probes?: { readonly chain?: () => Promise<void> };
  readonly probeSigned?: Chain["probeSigned"];
  /** What is there beside, or instead. */
  readonly jobs?: object;
  readonly resolveJobToken?: Service["resolveJobToken"];
  readonly registry?: Registry;
  readonly clockAheadMs?: number;
  /** What the data API reads, its database apart from the one of keys; and the clocks of the whole app. */
  readonly data?: Partial<Pick<Service, "db" | "assets" | "simulated" | "caches" | "now" | "monotonic">>;
  readonly heartbeats?: Service["heartbeats"];
  /** Where it says that it stands; by default where it listens. */
  readonly publicUrl?: string;
}

/** A service without chain and key of its own. */
function serviceOf(options: TestAppOptions, db: Database, log: string[]): Service {
  const registry = options.registry ?? REGISTRY;
  const deployment = { registry, guard, source: "simulated", chainId: registry.chainId };
  const metrics = createMetrics();
  const address = { url: "" };
  const monotonic = options.data?.monotonic ?? (() => performance.now());
  const core = {
    config: {
      ...parseConfig({ MCP_ALLOWED_HOSTS: "127.0.0.1,localhost" }),
      keyLimitPerMinute: 60,
      addressLimitPerMinute: 20,
      ...options.settings,
    },
    version: "0.0.0-test",
    logger: loggerTo(log),
    db,
    now: Date.now,
    clock: Date.now,
    clockAheadMs: () => options.clockAheadMs ?? 0,
    monotonic,
    random: randomBytes,
    newRequestId: () => randomBytes(9).toString("base64url"),
    address,
    publicUrl: () => options.publicUrl ?? address.url,
    ending: new AbortController().signal,
    caches: createCaches(monotonic),
    metrics,
    watches: createWatches(metrics, monotonic),
    deployment,
    simulated: true,
    chain: {
      deployment,
      probe: options.probes?.chain ?? (async () => {}),
      probeSigned: options.probeSigned ?? null,
      pendingChanges: async () => [],
    },
    attestation: { state: () => ({ signer: guard, waiting: null, fault: null }) },
    log: { signer: developmentLogSigner(), origin: "test.localhost/log" },
    payments: null,
    policies: POLICY_VERSIONS,
    keys: createKeys({ db, now: Date.now, randomBytes }),
    limits: options.limits ?? createLimits(),
    oneShots: createDailyCap("one-shots", 500, Date.now),
    automaticKeys: createDailyCap("automatic-keys", 3, Date.now),
    resolveJobToken: options.resolveJobToken ?? (async () => null),
    assets: listedAssets({ source: "simulated", registry }),
    market: {},
    taskNames: [],
    webAssets: readAssets(),
    ...options.data,
  } as unknown as Service;
  const beside = options.heartbeats ? { heartbeats: options.heartbeats } : {};
  return { ...core, ...answering(core), ...beside, ...options.jobs };
}

/** @param options `db`: an own one, which `stop()` then leaves open */
export async function startTestApp(options: TestAppOptions = {}) {
  const db = options.db ?? (await memoryDatabase());
  await options.seed?.(db);
  const log: string[] = [];
  const service = serviceOf(options, db, log);
  const { keys, newRequestId, address } = service;
  const { key, record } = await keys.create(APPLICANT, "test");
  let described: OpenApi | undefined;
  const listening = await listen(app(service), { host: "127.0.0.1", port: 0, newRequestId });
  address.url = listening.url;
  const stop = async () => {
    await listening.stop(1_000);
    if (!options.db) await db.destroy();
  };
  return {
    url: listening.url,
    db,
    keys,
    listening,
    stop,
    /** An active key. */
    key,
    keyId: record.id,
    /** Made when first asked for. */
    get openapi() {
      const { version, publicUrl } = service;
      described ??= openApi({ version, baseUrl: publicUrl() });
      return described;
    },
    /** Lines of the log so far. */
    log,
    /** `fetch` with a path; the key is sent unless `headers` say otherwise. */
    async call(path: string, { key: given, ...init }: Asked = {}) {
      const headers = new Headers(init.headers);
      if (given === undefined && !headers.has("authorization") && !headers.has("x-api-key"))
        headers.set("x-api-key", key);
      else if (given) headers.set("x-api-key", given);
      return answerOf(await fetch(new URL(path, listening.url), { ...init, headers }));
    },
    /** The answer to a GET, as the OpenAPI document says that it is. */
    async get(path: string, given?: string | null): Promise<Answer> {
      const answer = await this.call(path, given === undefined ? {} : { key: given });
      validateAnswer(this.openapi, "GET", path, answer.status, answer.body, answer.headers);
      return answer;
    },
    [Symbol.asyncDispose]: stop,
  };
}

/** A logger that writes everything it is given to `lines`. */
export const loggerTo = (lines: string[], level: "debug" | "info" | "warn" = "debug") =>
  createLogger({ level, destination: { write: (line: string) => void lines.push(line) } });

/** One of the suite's own. */
export const testApp = (options: TestAppOptions = {}): TestApp => ofSuite(() => startTestApp(options));

export async function answerOf(response: Response): Promise<Answer> {
  const text = await response.text();
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    body = undefined;
  }
  return { status: response.status, headers: response.headers, text, body };
}

/** JSON as a request takes it. */
export const json = (value: unknown): RequestInit => ({
  method: "POST",
  headers: { "content-type": "application/json" },
  body: typeof value === "string" ? value : JSON.stringify(value),
});

/** A body that is sent piece by piece, without its length. */
export function chunked(text: string): RequestInit {
  const body = Readable.toWeb(Readable.from([Buffer.from(text)])) as ReadableStream;
  return { ...json(""), body, duplex: "half" } as RequestInit;
}

/** A request with a payment, or with none. */
export function paidWith(signature: string | undefined, init: RequestInit = {}): RequestInit {
  if (signature === undefined) return init;
  const headers = { ...(init.headers as Record<string, string>), "payment-signature": signature };
  return { ...init, headers };
}

/** What has this status. */
export function expectStatus<A extends { readonly status: number }>(answer: A, status: number): A {
  const { text } = answer as { text?: unknown };
  expect(answer.status, typeof text === "string" ? text : undefined).to.equal(status);
  return answer;
}

/** The answer that is this problem, in every member that problems have. @param more members that it has beside them */
export function expectProblem(answer: Answer, status: number, code: string, more: object = {}): Answer {
  expectStatus(answer, status);
  expect(answer.headers.get("content-type")).to.equal("application/problem+json");
  expect(answer.headers.get("cache-control")).to.equal("no-store, private");
  expect(answer.body, answer.text).to.include({ type: `urn:assay:problem:${code}`, status, code, ...more });
  expect(answer.body.title).to.be.a("string").and.not.equal("");
  expect(answer.body.detail).to.be.a("string").and.not.equal("");
  expect(answer.body.requestId).to.equal(answer.headers.get("x-request-id"));
  expect(answer.text).to.not.match(/<[a-z!/]|node_modules|at .*\.ts|Error:/);
  return answer;
}

/** When to come again, as the answer says. */
export const retryAfter = ({ headers }: Answer): number => Number(headers.get("retry-after"));

/** Repeats a request until its answer has none of these statuses. */
export async function insisted(ask: () => Promise<Answer>, statuses = [409, 503]): Promise<Answer> {
  for (let attempt = 0; ; attempt++) {
    const answer = await ask();
    if (!statuses.includes(answer.status) || attempt > 150) return answer;
    await sleep(100);
  }
}
