/** An RPC in front of a real one: it records what it is asked, and loses, delays and misplaces it as the test says. */
import type { ServerResponse } from "node:http";
import { text } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import { id, Transaction } from "ethers";
import { localServer, passOn } from "./ports.ts";

type RpcCall = { readonly id: number; readonly method: string; readonly params: unknown[] };

/**
 * What to do with a request: nothing special, no answer at all, an error status, let the node do it and lose its
 * answer, or this answer.
 */
export type Verdict =
  | null
  | "drop"
  | "busy"
  | "lose-answer"
  | { readonly result: unknown }
  | { readonly error: object };

const TRADE_EXECUTED = id("TradeExecuted(bytes32,address,bytes32,bytes32,uint256,uint256)");

/** Whether a request searches for the guard's trades. What is scheduled of it is another search, which judging needs. */
export function isTradeSearch(method: string, params: readonly unknown[]): boolean {
  return method === "eth_getLogs" && JSON.stringify(params).includes(TRADE_EXECUTED);
}

type Decide = (
  method: string,
  transaction: Transaction | null,
  /** What it changes of them the node is asked. */
  params: unknown[],
) => Verdict | Promise<Verdict>;

/** One of a test's own is closed by `await using`. */
export interface FlakyRpc extends AsyncDisposable {
  readonly url: string;
  /** Methods in the order they came. */
  readonly asked: string[];
  /** The calls of each request: several where it is a batch. */
  readonly requests: RpcCall[][];
  /** Transactions that were handed over, forwarded or not. */
  readonly sent: Transaction[];
  /** Decides on each request; `null` forwards it. */
  decide: Decide;
  close(): Promise<void>;
}

export async function flakyRpc(target: string, decide: Decide = () => null): Promise<FlakyRpc> {
  const server = await localServer(async (request, response) => {
    if (request.method === "GET") return passOn(request, response, target);
    await answer(JSON.parse(await text(request)), response);
  });

  /** Of a batch, too: one call that is dropped or refused takes the whole batch with it. */
  async function answer(asked: RpcCall | RpcCall[], response: ServerResponse): Promise<void> {
    flaky.requests.push([asked].flat());
    const given = new Map<number, object>();
    let isLost = false;
    for (const rpc of [asked].flat()) {
      const verdict = await verdictOn(rpc);
      if (verdict === "drop") return void response.destroy();
      if (verdict === "busy") return void response.writeHead(503).end();
      if (verdict === "lose-answer") isLost = true;
      else if (verdict !== null) given.set(rpc.id, { jsonrpc: "2.0", id: rpc.id, ...verdict });
    }
    response.setHeader("content-type", "application/json");
    if (!Array.isArray(asked) && given.size > 0)
      return void response.end(JSON.stringify(given.get(asked.id)));
    const headers = { "content-type": "application/json" };
    const body = JSON.stringify(asked);
    const real = await (await fetch(target, { method: "POST", headers, body })).text();
    if (isLost) response.destroy();
    else if (given.size === 0) response.end(real);
    else response.end(JSON.stringify(JSON.parse(real).map((one: RpcCall) => given.get(one.id) ?? one)));
  }

  function verdictOn(rpc: RpcCall): Verdict | Promise<Verdict> {
    flaky.asked.push(rpc.method);
    const raw = rpc.method === "eth_sendRawTransaction" ? String(rpc.params[0]) : null;
    const transaction = raw === null ? null : Transaction.from(raw);
    if (transaction !== null) flaky.sent.push(transaction);
    return flaky.decide(rpc.method, transaction, rpc.params);
  }

  const close = async () => {
    await server.close();
    await sleep(0);
  };
  const flaky: FlakyRpc = {
    url: server.url,
    asked: [],
    requests: [],
    sent: [],
    decide,
    close,
    [Symbol.asyncDispose]: close,
  };
  return flaky;
}
