/**
 * Gathers the facts of one judgement, all at one block: guard, quote, references, token.
 * What a source does not say is null or missing and denies; only a silent node is an error.
 */
import { tradeOf } from "../../attestor/attest.ts";
import type {
  ChainFacts,
  Facts,
  GuardFacts,
  SourceFailure,
  TokenFacts,
} from "../../attestor/evidence/facts.ts";
import type { Intent } from "../../attestor/intent.ts";
import type { MarketSession } from "../../attestor/policies/policy.ts";
import { PROOFS_SCHEMA, type Proofs } from "../../attestor/proofs/stateProofs.ts";
import { findAsset } from "../../attestor/registry.ts";
import { isChainPrice, isChainToken, sourceName, subjectsOf } from "../../attestor/sources.ts";
import { addressOf } from "../../attestor/values/primitives.ts";
import type { BlockReader, Caller } from "../blockReads.ts";
import { UpstreamUnavailable } from "../chainErrors.ts";
import type { Deployment } from "../deployment.ts";
import { chooseQuote, quotesOf } from "../dex/best.ts";
import type { BlockMemo } from "./blockMemo.ts";
import { type GuardState, readGuardState } from "./guard.ts";
import { type Failure, type Lack, type OffchainSources, type Prices, pricesOf } from "./offchain.ts";
import { readPrices } from "./references.ts";
import type { ScheduleReader } from "./schedule.ts";
import type { ProofReader } from "./stateProofs.ts";
import { mergedFacts, NOTHING_KNOWN, readToken } from "./token.ts";

export interface GatherDeps {
  readonly reader: BlockReader;
  readonly deployment: Deployment;
  readonly memo: BlockMemo;
  readonly proofs: ProofReader;
  /** Asks the providers that the deployment names; null where it names none. */
  readonly offchain: OffchainSources | null;
  /** Address of the key that would sign the certificate for a guard that names this signer. */
  readonly attestorFor: (guardSigner: string) => string;
  readonly schedule: ScheduleReader;
  /** Takes what an operator should look at, each line once. */
  readonly warn?: (line: string) => void;
  /** The market session at a time in unix seconds; null where it is not known. */
  readonly sessionAt: (seconds: number) => { source: string; state: MarketSession } | null;
}

/** Everything but the stored liquidity, and the proofs that `facts.proofs` names. */
export interface Gathered {
  readonly facts: Omit<Facts, "liquidity">;
  readonly proofs: Proofs | null;
}

const contradicted = (assetKey: string) =>
  `multiplierLayout of ${assetKey}: the token's storage says otherwise than the token, so its multiplier is observed and not proved. If the token was upgraded, correct the registry.`;

/** How often to read again after a reorganization during our reads. */
const ATTEMPTS = 3;

/**
 * @param now unix seconds
 * @throws UpstreamUnavailable when the node does not answer, or the chain does not stand still for one read
 */
export async function gatherFacts(deps: GatherDeps, intent: Intent, now: number): Promise<Gathered> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const chain = await deps.reader.head();
    try {
      return await factsAt(deps, intent, now, chain);
    } catch (error) {
      // Reads name the block by its hash: a node that has left it cannot answer them, and there is another to read.
      if (!(error instanceof UpstreamUnavailable)) throw error;
      const after = await deps.reader.block(chain.blockNumber).catch(() => chain);
      if (after.blockHash === chain.blockHash) throw error;
    }
  }
  throw new UpstreamUnavailable("The chain is reorganising; its state cannot be read at a single block.");
}

async function factsAt(deps: GatherDeps, intent: Intent, now: number, chain: ChainFacts): Promise<Gathered> {
  const { reader, deployment, memo, offchain, sessionAt } = deps;
  const { blockHash } = chain;
  const trade = tradeOf(intent, deployment.registry);
  const reads = reader.at(chain);
  const atBlock = <T>(key: string, read: () => Promise<T>) => memo(blockHash, key, read);
  const pair = {
    reads,
    atBlock,
    input: addressOf(intent.inputAssetKey),
    output: addressOf(intent.outputAssetKey),
    amountIn: BigInt(intent.amountInRaw),
    side: trade.side,
    settlementDecimals: trade.side === "buy" ? trade.inputDecimals : trade.outputDecimals,
  };
  const { routes } = deployment.registry;
  const quoted = () => quotesOf(routes, pair);
  const guard = atBlock(guardKey(intent), () => guardStateAt(deps, intent, chain));
  const pricesAt = (assetKey: string) => assetPrices(deps, chain, assetKey, now);
  // All at once, so that everything not yet known of this block is one batch.
  const [{ routes: allowed, ...state }, quotes, references, settlement, told] = await Promise.all([
    guard,
    // What a quoter says is worth keeping; what follows from state that is kept is not.
    routes.every(({ pools }) => pools !== undefined)
      ? quoted()
      : atBlock(`quotes ${pair.input} ${pair.output} ${pair.amountIn}`, quoted),
    pricesAt(trade.stockAssetKey),
    pricesAt(trade.settlementAssetKey),
    tokenFacts({ reads, deployment, memo, offchain }, trade.stockAssetKey, chain, now),
  ]);
  const { facts: token } = told;
  const chosen = await chooseQuote(quotes, allowed, pair);
  const gathered = {
    guard: guardFacts(deps, state, chosen?.allowed ?? false),
    quote: chosen?.quote ?? null,
  };
  const checked = await deps.proofs.proofsOf({ ...gathered, intent, trade, chain, token });
  const isProved = checked?.isLayoutRight ?? false;
  if (checked !== null && !isProved) deps.warn?.(contradicted(trade.stockAssetKey));
  return {
    facts: {
      chain,
      ...gathered,
      references: [...references.readings],
      settlement: [...settlement.readings],
      failures: [
        ...failuresOf("stock", [...references.failures, ...told.failures]),
        ...failuresOf("settlement", settlement.failures),
      ],
      session: sessionAt(now),
      token: isProved ? token : { ...token, layout: null },
      proofs: checked && { format: PROOFS_SCHEMA, hash: checked.hash },
    },
    proofs: checked?.proofs ?? null,
  };
}

/** null: the owner, who needs no list. */
const recipientOf = ({ recipientAddress, ownerAddress }: Intent): string | null =>
  recipientAddress === ownerAddress ? null : recipientAddress;
const guardKey = (intent: Intent): string => `guard ${recipientOf(intent)}`;

async function guardStateAt(
  { reader, deployment, schedule }: Pick<GatherDeps, "reader" | "deployment" | "schedule">,
  intent: Intent,
  chain: ChainFacts,
): Promise<GuardState> {
  const { guard, registry } = deployment;
  const place = { guard, routes: registry.routes };
  const pendingOf = (manager: string) => schedule.pendingAt(chain, manager);
  const state = await readGuardState(reader.at(chain), place, recipientOf(intent), pendingOf);
  if (state === null) throw new UpstreamUnavailable(`The chain has no guard at ${guard}.`);
  return state;
}

/** What is read again of a trade that was judged before. */
export type StandingFacts = Pick<Facts, "guard" | "chain">;

/**
 * What the guard says at the newest block of a trade that was judged before.
 * @throws UpstreamUnavailable when the node does not answer
 */
export async function gatherStanding(
  deps: Pick<GatherDeps, "reader" | "deployment" | "memo" | "attestorFor" | "schedule">,
  intent: Intent,
  routeName: string,
): Promise<StandingFacts> {
  const { reader, memo } = deps;
  const chain = await reader.head();
  const state = await memo(chain.blockHash, guardKey(intent), () => guardStateAt(deps, intent, chain));
  const isAllowed = state.routes.some(({ route, allowed }) => allowed && route.name === routeName);
  return { guard: guardFacts(deps, state, isAllowed), chain };
}

function guardFacts(
  { deployment, attestorFor }: Pick<GatherDeps, "deployment" | "attestorFor">,
  { executor, paused, signer, recipientAllowed, pending }: Omit<GuardState, "routes">,
  routeAllowed: boolean,
): GuardFacts {
  return {
    address: deployment.guard,
    executor,
    paused,
    signer,
    attestor: attestorFor(signer),
    routeAllowed,
    recipientAllowed,
    pending: [...pending],
  };
}

const failuresOf = (asset: SourceFailure["asset"], all: readonly Failure[]): SourceFailure[] =>
  all.map((one) => ({ asset, ...one }));

/** What the registry's sources of an asset's price say. */
async function assetPrices(
  { reader, deployment, memo, offchain }: GatherDeps,
  chain: ChainFacts,
  assetKey: string,
  now: number,
): Promise<Prices> {
  const sources = findAsset(deployment.registry, assetKey)?.priceSources ?? [];
  const overHttp = sources.filter((one) => !isChainPrice(one));
  const at = { blockNumber: chain.blockNumber, receivedAt: now };
  const [onChain, told] = await Promise.all([
    memo(chain.blockHash, `references ${assetKey}`, () =>
      readPrices(reader.at(chain), sources.filter(isChainPrice), deployment.source, at),
    ),
    offchain?.prices(overHttp, now) ??
      pricesOf(
        overHttp.map((source) => ({ source, answer: NOT_CONFIGURED })),
        now,
      ),
  ]);
  return {
    // Of two readings of one age the first counts: a signed one before the same one from the chain.
    readings: [...told.readings, ...onChain.readings],
    failures: [...told.failures, ...onChain.failures],
  };
}

/** What the registry's sources say of a token: the chain first, then the providers. Its layout is not read back yet. */
async function tokenFacts(
  {
    reads,
    deployment,
    memo,
    offchain,
  }: Pick<GatherDeps, "deployment" | "memo" | "offchain"> & { reads: Caller },
  assetKey: string,
  chain: ChainFacts,
  now: number,
): Promise<{ facts: TokenFacts; failures: Failure[] }> {
  const token = addressOf(assetKey);
  const asset = findAsset(deployment.registry, assetKey);
  const sources = asset?.tokenSources ?? [];
  const onChain = sources.filter(isChainToken);
  const byProviders = sources.filter((source) => !isChainToken(source));
  const reading = { provider: reads, source: deployment.source, token, chain, receivedAt: now };
  const [read, told] = await Promise.all([
    memo(chain.blockHash, `token ${token}`, () => readToken(reading, onChain)),
    Promise.all(byProviders.map(async (source) => await offchain?.token(source, token, now))),
  ]);
  const answers = [
    ...onChain.map((source, index) => ({ source, facts: read[index], lack: NO_ANSWER })),
    ...byProviders.map((source, index) => ({ source, lack: NOT_CONFIGURED, ...told[index] })),
  ];
  const merged = mergedFacts(answers.map(({ facts = NOTHING_KNOWN }) => facts));
  const isOfContract = [merged.factor, merged.announcement].every((fact) => fact?.provider === "erc-8056");
  const layout = asset?.multiplierLayout;
  return {
    facts: isOfContract && layout !== undefined ? { ...merged, layout } : merged,
    failures: answers.flatMap(({ source, facts = NOTHING_KNOWN, lack }) =>
      subjectsOf(source)
        .filter((subject) => (subject === "halt" ? facts.halts.length === 0 : facts[subject] === null))
        .map((subject) => ({ source: sourceName(source), subject, at: now, ...lack })),
    ),
  };
}

const NO_ANSWER: Lack = { reason: "no-answer", rawHash: null };
const NOT_CONFIGURED: Lack = { reason: "not-configured", rawHash: null };
