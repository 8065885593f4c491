/**
 * Repeats at a report's very block (EIP-1898: by hash, and canonical) the reading that its facts came from, and compares.
 * Each fact is the same, different or gone: nodes forget the state of old blocks, and what is gone says nothing.
 */
import { getAddress, id, makeError } from "ethers";
import type { Evidence } from "../attestor/evidence/evidence.ts";
import type { ReferencePrice, TokenFacts } from "../attestor/evidence/facts.ts";
import type { Fact } from "../attestor/factKinds.ts";
import { findAsset, type Registry, type Route } from "../attestor/registry.ts";
import {
  type ChainTokenSource,
  isChainPrice,
  isChainToken,
  type Subject,
  sourceName,
  TokenSource,
} from "../attestor/sources.ts";
import type { Fault } from "../attestor/values/fault.ts";
import { sameJson } from "../attestor/values/json.ts";
import { addressOf } from "../attestor/values/primitives.ts";
import type { Caller } from "./blockReads.ts";
import { UpstreamUnavailable } from "./chainErrors.ts";
import { type GuardState, readGuardState } from "./facts/guard.ts";
import { type ReadableFeed, readPrices } from "./facts/references.ts";
import { NOTHING_KNOWN, readToken } from "./facts/token.ts";
import { NOTHING_SCHEDULED, pendingChanges, SCHEDULE_TOPICS, scheduleAfter } from "./guard/schedule.ts";
import { nodeFault, type Rpc, RpcRefused } from "./jsonRpc.ts";
import { collectLogs } from "./logs.ts";
import { poolOrigins, poolStates, QuoterNotKnown, quoterOutputs, type Repeated } from "./quoteAgain.ts";

export interface ReadingAgain {
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

/** A fact that is called observed, and that nobody here knows how to read. */
class Stranger extends Error {}

/**
 * @param facts with what each rests on for this reader: the state that is not proved is read
 * @returns never throws
 */
export async function readAgain(
  evidence: Evidence,
  facts: readonly Fact[],
  reading: ReadingAgain,
): Promise<ReadAgain> {
  const { rpc, registry } = reading;
  const { chain, quote } = evidence;
  const caller = callsAt(rpc, { blockHash: chain.blockHash, requireCanonical: true });
  const sources = sourcesAt(evidence, caller);
  const isProved = facts.some(({ kind }) => kind === "proved");
  const repeated = [
    scheduledChanges(evidence, reading),
    // What is proved needs no second look: the block is the chain's. Proofs that are only named prove nothing.
    ...(isProved ? [] : guardState(evidence, caller)),
    ...(isProved || quote === null ? [] : poolStates(quote, caller)),
    // A proof shows what an address contains, and not that it is a pool of the route.
    ...(quote === null ? [] : poolOrigins(quote, [caller, callsAt(rpc, "latest")])),
    ...(quote !== null && quote.pools === null ? [quoterOutputs(quote, registry, caller)] : []),
    ...statements(evidence, sources),
    ...(registry === undefined ? [] : failures(evidence, registry, sources)),
  ];
  return findings(await Promise.all(repeated.map(compared)));
}

/** @param found whether it is the same, or why nobody knows */
function findings(all: readonly { readonly fact: string; readonly found: boolean | Error }[]): ReadAgain {
  const faults: Fault[] = [];
  const gone: string[] = [];
  let isQuoterKnown = true;
  for (const { fact, found } of all) {
    if (found === true) continue;
    if (found === false) faults.push({ code: "read_again_other", params: { fact } });
    else if (found instanceof QuoterNotKnown) isQuoterKnown = false;
    // What is called observed and cannot be read by anybody is not left to its word.
    else if (found instanceof Stranger) faults.push({ code: "read_again_stranger", params: { fact } });
    // What is gone says nothing; a node that answers something else than JSON-RPC is not to be relied on.
    else if (found instanceof RpcRefused) gone.push(`${fact} (${found.message})`);
    else faults.push({ code: "read_again_failed", params: { fact, reason: nodeFault(found) } });
  }
  const trusted: Fault[] = [];
  if (gone.length > 0) trusted.push({ code: "gone_from_node", params: { facts: gone.join(", ") } });
  if (!isQuoterKnown) trusted.push({ code: "quoter_not_known", params: {} });
  return { faults, trusted };
}

async function compared({
  fact,
  stated,
  again,
}: Repeated): Promise<{ fact: string; found: boolean | Error }> {
  try {
    return { fact, found: sameJson((await again) ?? null, stated ?? null) };
  } catch (error) {
    return { fact, found: (error instanceof UpstreamUnavailable ? error.cause : error) as Error };
  }
}

/** Calls at one block. A contract that reverts, or is not there, is one that does not say what the evidence says. */
function callsAt(rpc: Rpc, at: "latest" | { blockHash: string; requireCanonical: true }): Caller {
  return {
    async call({ to, data }) {
      try {
        const raw = String(await rpc("eth_call", [to ? { to, data } : { data }, at]));
        // A contract that answers nothing is one whose state the node does not have; where there is none, it says so.
        if (raw === "0x" && (!to || (await rpc("eth_getCode", [to, at])) !== "0x"))
          throw new RpcRefused("it answers nothing");
        return raw;
      } catch (error) {
        if (error instanceof RpcRefused && /revert/i.test(error.message))
          throw makeError("reverted", "CALL_EXCEPTION", {
            action: "call",
            data: null,
            reason: null,
            transaction: { to: to ?? null, data },
            invocation: null,
            revert: null,
          });
        throw error;
      }
    },
  };
}

/**
 * Every change that waited, each as the manager's events tell it: these stay where the state of old blocks is gone, which a
 * judgement asks for the manager.
 */
function scheduledChanges({ guard, chain }: Evidence, { rpc, deployedAtBlock = 0 }: ReadingAgain): Repeated {
  const range = { from: deployedAtBlock, to: chain.blockNumber };
  async function pendingAgain() {
    const named = await collectLogs({ address: guard.address, topics: [AUTHORITY_UPDATED], ...range }, rpc);
    const last = named.at(-1);
    // The guard's first event: a node without it does not keep events that old.
    if (last === undefined) throw new RpcRefused("it has no event that names the guard's manager");
    const manager = getAddress(`0x${last.data.slice(26, 66)}`);
    const logs = await collectLogs({ address: manager, topics: [SCHEDULE_TOPICS], ...range }, rpc);
    const events = logs.map((log) => ({ ...log, blockNumber: Number(log.blockNumber) }));
    const schedule = scheduleAfter(NOTHING_SCHEDULED, events);
    return pendingChanges(schedule, chain, { guard: guard.address, manager });
  }
  return { fact: "scheduled changes of the guard", stated: guard.pending, again: pendingAgain() };
}

const AUTHORITY_UPDATED = id("AuthorityUpdated(address)");

function guardState({ guard, quote, intent }: Evidence, caller: Caller): Repeated[] {
  const recipient = intent.recipientAddress === intent.ownerAddress ? null : intent.recipientAddress;
  const routes = quote === null ? [] : [{ address: quote.route, selector: quote.selector }];
  // What is scheduled is read from events.
  const state = readGuardState(caller, { guard: guard.address, routes }, recipient, async () => []);
  const member = (fact: string, stated: unknown, read: (state: GuardSaid) => unknown): Repeated => ({
    fact,
    stated,
    again: state.then((said) => said && read(said)),
  });
  const repeated = [
    member("guard's signer", guard.signer, ({ signer }) => signer),
    member("guard paused", guard.paused, ({ paused }) => paused),
  ];
  if (quote !== null)
    repeated.push(member("route allowed", guard.routeAllowed, ({ routes: [route] }) => route?.allowed));
  if (recipient !== null)
    repeated.push(
      member("recipient allowed", guard.recipientAllowed, ({ recipientAllowed }) => recipientAllowed),
    );
  return repeated;
}

type GuardSaid = GuardState<Pick<Route, "address" | "selector">>;

/** A source on the chain by its contract. */
type Source = ReadableFeed | ChainTokenSource;
type Statement = ReferencePrice | TokenStatement;
type TokenStatement = NonNullable<TokenFacts["factor" | "announcement"]> | TokenFacts["halts"][number];

/** What a source states of a subject at the block; null: nothing. */
type Sources = (source: Source, subject: Subject) => Promise<object | null>;

function sourcesAt({ trade, chain, capturedAt }: Evidence, caller: Caller): Sources {
  const at = { blockNumber: chain.blockNumber, receivedAt: capturedAt };
  const token = getAddress(addressOf(trade.stockAssetKey));
  const reading = { provider: caller, source: READER, token, chain, receivedAt: capturedAt };
  /** By name: a contract of the token is asked once, whatever it states. */
  const answers = new Map<string, Promise<TokenFacts[]>>();
  return async (source, subject) => {
    if ("provider" in source) return (await readPrices(caller, [source], READER, at)).readings[0] ?? null;
    const name = sourceName(source);
    const answer = answers.get(name) ?? readToken(reading, [source]);
    answers.set(name, answer);
    const [facts = NOTHING_KNOWN] = await answer;
    if (subject === "price") return null;
    return subject === "halt" ? (facts.halts[0] ?? null) : facts[subject];
  };
}

/** In the place of who told the service. */
const READER = "read again";

/** What contracts state of prices and of the token. */
function statements({ references, settlement, token }: Evidence, sources: Sources): Repeated[] {
  const repeated: Repeated[] = [];
  const state = (what: string, subject: Subject, stated: Statement | null) => {
    if (stated === null) return;
    if ("onChain" in stated ? stated.onChain === null : stated.address === null) return;
    const fact = `${what} by ${stated.provider}`;
    repeated.push({ fact, stated, again: statementAgain(stated, subject, sources) });
  };
  for (const reading of references) state(`price of ${JSON.stringify(reading.symbol)}`, "price", reading);
  for (const reading of settlement)
    state(`settlement price of ${JSON.stringify(reading.symbol)}`, "price", reading);
  state("shares factor", "factor", token.factor);
  state("announced change", "announcement", token.announcement);
  for (const halt of token.halts) state("trading halt", "halt", halt);
  return repeated;
}

/** As its source states it now; whom the service asked and when is not the source's to say. */
async function statementAgain(stated: Statement, subject: Subject, sources: Sources): Promise<object | null> {
  const again = await sources("onChain" in stated ? feedOf(stated) : tokenSourceOf(stated), subject);
  if (again === null) return null;
  const { source, receivedAt } = stated;
  if (!("onChain" in stated)) return { ...again, source, receivedAt };
  const { proof, signer } = stated;
  return { ...again, source, receivedAt, proof, signer };
}

/** @throws Stranger */
function feedOf({ onChain, provider, kind, symbol }: ReferencePrice): ReadableFeed {
  const { address = "", feedId = null } = onChain ?? {};
  if (provider === "chainlink" && feedId === null) return { provider, kind, symbol, address };
  if (provider === "pyth" && feedId !== null) return { provider, kind: "live", symbol, address, feedId };
  throw new Stranger();
}

/** @throws Stranger */
function tokenSourceOf({ provider, address }: TokenStatement): ChainTokenSource {
  const flag = { source: "halt-flag", function: provider };
  const named = ["erc-8056", "backed"].includes(provider) ? { source: provider } : flag;
  const source = TokenSource.safeParse(provider === "ondo-oracle" ? { source: provider, address } : named);
  if (source.success && isChainToken(source.data)) return source.data;
  throw new Stranger();
}

/** A source on the chain that is said to have failed fails again at that block: else its word was left out. */
function failures(evidence: Evidence, registry: Registry, sources: Sources): Repeated[] {
  const { trade, token } = evidence;
  // Backed's tokens that announce nothing are not said to have failed.
  const unsaid = { asset: "stock", source: "backed", subject: "announcement" } as const;
  const isUnsaid = token.announcement === null || token.announcement.address === null;
  const failed = isUnsaid ? [...evidence.failures, unsaid] : evidence.failures;
  return failed.flatMap(({ asset, source, subject }) => {
    const listed = findAsset(registry, asset === "stock" ? trade.stockAssetKey : trade.settlementAssetKey);
    const onChain = [
      ...(listed?.priceSources.filter(isChainPrice) ?? []),
      ...(listed?.tokenSources.filter(isChainToken) ?? []),
    ];
    const named = onChain.find((one) => sourceName(one) === source);
    if (named === undefined) return [];
    return { fact: `no ${subject} by ${source}`, stated: null, again: sources(named, subject) };
  });
}
