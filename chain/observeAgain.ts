/**
 * Reads what a report observed again, at its very block (EIP-1898: by hash, and canonical). Each fact is the same,
 * different or gone: nodes forget the state of old blocks, and what is gone says nothing.
 */
import { getAddress, Interface, id, makeError } from "ethers";
import type { Evidence } from "../attestor/evidence/evidence.ts";
import type { ReferencePrice } from "../attestor/evidence/facts.ts";
import type { Fact } from "../attestor/factKinds.ts";
import { findAsset, type Registry } from "../attestor/registry.ts";
import {
  type ChainTokenSource,
  isChainPrice,
  isChainToken,
  sourceName,
  TokenSource,
} from "../attestor/sources.ts";
import type { Fault } from "../attestor/values/fault.ts";
import { sameJson } from "../attestor/values/json.ts";
import { addressOf } from "../attestor/values/primitives.ts";
import type { Caller } from "./blockReads.ts";
import { UpstreamUnavailable } from "./chainErrors.ts";
import { type ReadableFeed, readPrices } from "./facts/references.ts";
import { readToken } from "./facts/token.ts";
import { NOTHING_SCHEDULED, pendingChanges, SCHEDULE_TOPICS, scheduleAfter } from "./guard/schedule.ts";
import { collectLogs } from "./guardLogs.ts";
import { nodeFault, type Rpc, RpcRefused } from "./jsonRpc.ts";
import { type Ask, originQuestions, poolQuestion, type Question, quoterQuestion } from "./observeQuote.ts";
import VIEWS from "./views.json" with { type: "json" };

const contracts = new Interface(VIEWS.trade);
const AUTHORITY_UPDATED = id("AuthorityUpdated(address)");

export interface Observing {
  readonly rpc: Rpc;
  /** The one that the evidence names, where available: it names the quoter of a V3 route. */
  readonly registry?: Registry | undefined;
  /** The guard's first block, where its record says it: shortens the search for its events. */
  readonly deployedAtBlock?: number | undefined;
}

/** What the node says of the facts, one by one. */
export interface ReadAgain {
  /** What it says otherwise, or does not say. */
  readonly faults: Fault[];
  /** What it no longer has. */
  readonly trusted: Fault[];
}

/**
 * @param facts with what each rests on for this reader: the state that is not proved is read
 * @returns never throws
 */
export async function observeAgain(
  evidence: Evidence,
  facts: readonly Fact[],
  observing: Observing,
): Promise<ReadAgain> {
  const call = pinned(observing.rpc, evidence.chain.blockHash);
  const isProved = facts.some(({ kind }) => kind === "proved");
  const questions = questionsOf(evidence, call, isProved, observing);
  const answers = await Promise.all(questions.map(answerTo));
  const gone = answers.flatMap((answer) => (answer.outcome === "gone" ? [answer.fact] : []));
  return {
    faults: answers.flatMap((answer) => (answer.outcome === "fault" ? [answer.fault] : [])),
    trusted: [
      ...(gone.length === 0 ? [] : [{ code: "gone_from_node", params: { facts: gone.join(", ") } }]),
      ...(answers.some(({ outcome }) => outcome === "no quoter")
        ? [{ code: "quoter_not_known", params: {} }]
        : []),
    ],
  };
}

type Answer =
  | { readonly outcome: "same" | "no quoter" }
  | { readonly outcome: "gone"; readonly fact: string }
  | { readonly outcome: "fault"; readonly fault: Fault };

async function answerTo({ name: fact, isSame }: Question): Promise<Answer> {
  // The registry, which names the quoter, is missing.
  if (isSame === null) return { outcome: "no quoter" };
  // What is called observed and cannot be read by anybody is not left to its word.
  if (isSame === "stranger")
    return { outcome: "fault", fault: { code: "read_again_stranger", params: { fact } } };
  try {
    if (await isSame()) return { outcome: "same" };
    return { outcome: "fault", fault: { code: "read_again_other", params: { fact } } };
  } catch (error) {
    const cause = error instanceof UpstreamUnavailable ? error.cause : error;
    // What is gone says nothing; a node that answers something else than JSON-RPC is not to be relied on.
    if (cause instanceof RpcRefused) return { outcome: "gone", fact: `${fact} (${cause.message})` };
    const params = { fact, reason: nodeFault(cause) };
    return { outcome: "fault", fault: { code: "read_again_failed", params } };
  }
}

/** Calls at one block. */
const pinned = (rpc: Rpc, blockHash: string) => callsAt(rpc, { blockHash, requireCanonical: true });
/** Calls at the newest block: for what never changes. */
const latest = (rpc: Rpc) => callsAt(rpc, "latest");

/** A contract that reverts, or is not there, is one that does not say what the evidence says. */
function callsAt(rpc: Rpc, at: "latest" | { blockHash: string; requireCanonical: true }): Caller {
  return {
    async call({ to, data }) {
      try {
        const raw = String(await rpc("eth_call", [{ to, data }, at]));
        // A contract that answers nothing is one whose state the node does not have; where there is none, it says so.
        if (raw === "0x" && (await rpc("eth_getCode", [to, at])) !== "0x")
          throw new RpcRefused("it answers nothing");
        return raw;
      } catch (error) {
        if (error instanceof RpcRefused && /revert/i.test(error.message))
          throw makeError("reverted", "CALL_EXCEPTION", {
            action: "call",
            data: null,
            reason: null,
            transaction: { to: String(to), data: String(data) },
            invocation: null,
            revert: null,
          });
        throw error;
      }
    },
  };
}

function questionsOf(evidence: Evidence, call: Caller, isProved: boolean, observing: Observing): Question[] {
  const { rpc, registry } = observing;
  const { references, settlement, token, quote } = evidence;
  const ask = asking(call);
  const pools = quote?.pools ?? [];
  return [
    scheduleQuestion(evidence, observing),
    // What is proved needs no second look: the block is the chain's. Proofs that are only named prove nothing.
    ...(isProved ? [] : [...guardQuestions(evidence, ask), ...pools.map((pool) => poolQuestion(pool, ask))]),
    // A proof shows what an address contains, and not that it is a pool of the route.
    ...(quote === null ? [] : originQuestions(quote, pools, [ask, asking(latest(rpc))])),
    ...(quote !== null && quote.pools === null ? [quoterQuestion(quote, ask, registry)] : []),
    ...references.flatMap((reading) => priceQuestion("price", reading, evidence, call)),
    ...settlement.flatMap((reading) => priceQuestion("settlement price", reading, evidence, call)),
    ...tokenQuestions(token, evidence, call),
    ...(registry === undefined ? [] : failureQuestions(evidence, registry, call)),
  ];
}

/** A source on the chain that is said to have failed fails again at that block: else its word was left out. */
function failureQuestions(evidence: Evidence, registry: Registry, provider: Caller): Question[] {
  const { trade, chain, capturedAt: receivedAt } = evidence;
  const at = { blockNumber: chain.blockNumber, receivedAt };
  const token = addressOf(trade.stockAssetKey);
  const reading = { provider, source: "read again", token, chain, receivedAt };
  // Backed's tokens that announce nothing are not said to have failed.
  const unsaid = { asset: "stock", source: "backed", subject: "announcement" } as const;
  const isUnsaid = (evidence.token.announcement?.address ?? null) === null;
  return [...evidence.failures, ...(isUnsaid ? [unsaid] : [])].flatMap(({ asset, source, subject }) => {
    const listed = findAsset(registry, asset === "stock" ? trade.stockAssetKey : trade.settlementAssetKey);
    const feeds = (listed?.priceSources ?? [])
      .filter(isChainPrice)
      .filter((one) => sourceName(one) === source);
    const said = (listed?.tokenSources ?? [])
      .filter(isChainToken)
      .filter((one) => sourceName(one) === source);
    if (feeds.length + said.length === 0) return [];
    const isSame = async () => {
      if (subject === "price") return (await readPrices(provider, feeds, "", at)).readings.length === 0;
      const [again] = await readToken(reading, said);
      return (subject === "halt" ? again?.halts[0] : again?.[subject]) == null;
    };
    return { name: `no ${subject} by ${source}`, isSame };
  });
}

const asking =
  (call: Caller): Ask =>
  async (to, name, ...args) => {
    const raw = await call.call({ to, data: contracts.encodeFunctionData(name, args) });
    return raw === "0x" ? [] : contracts.decodeFunctionResult(name, raw).toArray();
  };

function guardQuestions({ guard, quote, intent }: Evidence, ask: Ask): Question[] {
  const says =
    (name: string, expected: unknown, ...args: unknown[]) =>
    async () =>
      (await ask(guard.address, name, ...args))[0] === expected;
  return [
    { name: "guard's signer", isSame: says("signer", guard.signer) },
    { name: "guard paused", isSame: says("paused", guard.paused) },
    ...(quote === null
      ? []
      : [
          {
            name: "route allowed",
            isSame: says("isRouteAllowed", guard.routeAllowed, quote.route, quote.selector),
          },
        ]),
    ...(intent.recipientAddress === intent.ownerAddress
      ? []
      : [
          {
            name: "recipient allowed",
            isSame: says("isRecipientAllowed", guard.recipientAllowed, intent.recipientAddress),
          },
        ]),
  ];
}

/**
 * Whether the evidence states every change that waited, and each as the manager's events do. Events stay where the state of
 * old blocks is gone.
 */
function scheduleQuestion({ guard, chain }: Evidence, { rpc, deployedAtBlock = 0 }: Observing): Question {
  const range = { from: deployedAtBlock, to: chain.blockNumber };
  return {
    name: "scheduled changes of the guard",
    async isSame() {
      const named = await collectLogs({ address: guard.address, topics: [AUTHORITY_UPDATED], ...range }, rpc);
      const last = named.at(-1);
      // The guard's first event: a node without it does not keep events that old.
      if (last === undefined) throw new RpcRefused("it has no event that names the guard's manager");
      const manager = getAddress(`0x${last.data.slice(26, 66)}`);
      const logs = await collectLogs({ address: manager, topics: [SCHEDULE_TOPICS], ...range }, rpc);
      const events = logs.map((log) => ({ ...log, blockNumber: Number(log.blockNumber) }));
      const schedule = scheduleAfter(NOTHING_SCHEDULED, events);
      return sameJson(guard.pending, pendingChanges(schedule, chain, { guard: guard.address, manager }));
    },
  };
}

function priceQuestion(what: string, reading: ReferencePrice, { chain }: Evidence, call: Caller): Question[] {
  const { onChain, provider, kind, symbol, source, receivedAt } = reading;
  const name = `${what} of ${JSON.stringify(symbol)}`;
  if (onChain === null) return [];
  const { address, feedId } = onChain;
  if (provider !== (feedId === null ? "chainlink" : "pyth"))
    return [{ name: `${name} by ${provider}`, isSame: "stranger" }];
  const feed = (
    feedId === null
      ? { provider: "chainlink", kind, symbol, address }
      : { provider: "pyth", kind, symbol, address, feedId }
  ) as ReadableFeed;
  const at = { blockNumber: chain.blockNumber, receivedAt };
  return [
    {
      name: `${name} by ${provider}`,
      async isSame() {
        const [again] = (await readPrices(call, [feed], source, at)).readings;
        return (
          again !== undefined && sameJson({ ...again, proof: reading.proof, signer: reading.signer }, reading)
        );
      },
    },
  ];
}

/** Each contract is asked once; what it says of factor, change and halt is compared one by one. */
function tokenQuestions(token: Evidence["token"], evidence: Evidence, call: Caller): Question[] {
  const said = [
    { name: "shares factor", member: "factor" as const, statement: token.factor },
    { name: "announced change", member: "announcement" as const, statement: token.announcement },
    ...token.halts.map((statement) => ({ name: "trading halt", member: "halts" as const, statement })),
  ];
  return said.flatMap(({ name, member, statement }) => {
    if (statement === null || statement.address === null) return [];
    const { provider, address, source, receivedAt } = statement;
    const asked = TokenSource.safeParse(
      provider === "erc-8056" || provider === "backed"
        ? { source: provider }
        : provider === "ondo-oracle"
          ? { source: provider, address }
          : { source: "halt-flag", function: provider },
    );
    const stock = getAddress(addressOf(evidence.trade.stockAssetKey));
    const reading = { provider: call, source, token: stock, chain: evidence.chain, receivedAt };
    return {
      name: `${name} by ${provider}`,
      isSame: !(asked.success && isChainToken(asked.data))
        ? "stranger"
        : async () => {
            const [again] = await readToken(reading, [asked.data as ChainTokenSource]);
            if (again === undefined) return false;
            return sameJson(member === "halts" ? again.halts[0] : again[member], statement);
          },
    };
  });
}
