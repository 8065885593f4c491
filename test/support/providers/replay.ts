/**
 * The live market's providers on one local server, each under a path of its own and in its own shapes. What
 * they say follows from a small world that a test sets, and lies where the test tells it to.
 */
import { text } from "node:stream/consumers";
import type { TokenFacts } from "../../../attestor/evidence/facts.ts";
import type { Database } from "../../../database/open.ts";
import type { MarketDeps } from "../../../market/collect/types.ts";
import { connectMarket, type LiveDeps } from "../../../market/providers/connect.ts";
import { UNLIMITED } from "../../../market/providers/limits.ts";
import { PROVIDERS } from "../../../market/providers/providers.ts";
import { localServer } from "../ports.ts";
import { answerOf } from "./replayAnswers.ts";
import { REPLAY_NOW, type ReplayWorld } from "./replayWorld.ts";

/** One of a test's own is closed by `await using`. */
export interface Replay extends AsyncDisposable {
  readonly world: ReplayWorld;
  readonly baseUrls: NonNullable<LiveDeps["baseUrls"]>;
  /** Provider and path of every request, in order. */
  readonly asked: string[];
  /** For `connectMarket`: without network, limits and further attempts. */
  readonly deps: Omit<LiveDeps, "tokens">;
  close(): Promise<void>;
}

/** What was asked and answered. */
export interface Heard {
  readonly provider: string;
  readonly path: string;
  readonly query: URLSearchParams;
  /** The request's body. */
  readonly asked: string;
  readonly status: number;
  readonly body: any;
}

/**
 * Starts the server. Close it.
 * @param admit whether a provider takes a request now; else it answers 429
 * @param onAnswer told of every answer as it goes out
 */
export async function startReplay(
  world: ReplayWorld,
  admit: (provider: string) => boolean = () => true,
  onAnswer: (heard: Heard) => void = () => {},
): Promise<Replay> {
  const asked: string[] = [];
  const respond = (url: URL, body: string): Response => {
    const [, provider = "", ...rest] = url.pathname.split("/");
    const path = `/${rest.join("/")}`;
    asked.push(`${provider}${path}`);
    if (!admit(provider)) return Response.json({ error: "too many requests" }, { status: 429 });
    if (world.down.has(provider)) return Response.json({ error: "down" }, { status: 503 });
    const answer = answerOf(world, provider, { path, query: url.searchParams, body });
    const status = answer.status ?? 200;
    const request = `${provider}${path}?${url.searchParams} ${body}`;
    const told = status === 404 ? answer.body : world.rewrite(provider, answer.body, request);
    onAnswer({ provider, path, query: url.searchParams, asked: body, status, body: told });
    return typeof told === "string" ? new Response(told, { status }) : Response.json(told, { status });
  };
  const { url: base, close } = await localServer(async (request, response) => {
    const answer = respond(new URL(request.url ?? "/", base), await text(request));
    response.writeHead(answer.status, { "content-type": "application/json" });
    response.end(await answer.text());
  });
  const baseUrls = Object.fromEntries(PROVIDERS.map(({ name }) => [name, `${base}/${name}`]));
  return {
    world,
    asked,
    baseUrls,
    deps: {
      // No network is needed.
      fetch: (async (input: URL, init?: RequestInit) =>
        respond(new URL(input), String(init?.body ?? ""))) as typeof fetch,
      now: () => world.now * 1_000,
      keys: { pyth: "key", binanceRwa: "key:secret" },
      // Nobody waits: time passes where the test says so.
      limits: UNLIMITED,
      attempts: 1,
      baseUrls,
      factsOf: async (assetKey) => {
        const said: any = await respond(new URL(`${base}/chain/${assetKey}`), "").json();
        return said.ratio === null ? null : factsOf(said.ratio);
      },
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}

/** What the chain says of a token whose factor is known. */
const factsOf = (value: string): TokenFacts => ({
  announcement: null,
  layout: null,
  halts: [],
  factor: {
    provider: "erc-8056",
    source: "rpc",
    blockNumber: 1,
    address: null,
    receivedAt: REPLAY_NOW,
    rawHash: `0x${"00".repeat(32)}`,
    value,
  },
});

/** For `collectRound`: what asks the replayed providers, in a regular session and without a word. */
export function replayCollector(replay: Replay, db: Database, more: Partial<MarketDeps> = {}): MarketDeps {
  const tokens = replay.world.tokens;
  return {
    db,
    assets: tokens,
    market: connectMarket({ ...replay.deps, tokens }),
    sessionAt: () => "regular",
    now: () => replay.world.now * 1_000,
    log: { warn: () => {}, error: () => {} },
    ...more,
  };
}
