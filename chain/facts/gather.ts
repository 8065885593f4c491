/**
 * Gathers the facts of one judgement, all at one block: guard, quote, references, token.
 * What a source does not say is null or missing and denies; only a silent node is an error.
 */
import type { JsonRpcProvider } from "ethers";
import { tradeOf } from "../../attestor/attest.ts";
import type { ChainFacts, Facts, ReferencePrice, TokenFacts } from "../../attestor/evidence.ts";
import type { Intent } from "../../attestor/intent.ts";
import type { MarketSession } from "../../attestor/policy.ts";
import { addressOf } from "../../attestor/primitives.ts";
import { ChainTokenSource, type Deployment, ProviderTokenSource } from "../deployment.ts";
import { bestQuote } from "../dex/best.ts";
import { UpstreamUnavailable } from "../errors.ts";
import { upstream } from "../rpc.ts";
import type { BlockMemo } from "./blockMemo.ts";
import { readGuard } from "./guard.ts";
import type { OffchainSources } from "./offchain.ts";
import { readReferences } from "./references.ts";
import { mergedFacts, readToken } from "./token.ts";

export interface GatherDeps {
  readonly provider: JsonRpcProvider;
  readonly deployment: Deployment;
  readonly memo: BlockMemo;
  /** Asks the providers that the deployment names; null where it names none. */
  readonly offchain: OffchainSources | null;
  /** Address of the key that would sign the certificate for a guard that names this signer. */
  readonly attestorFor: (guardSigner: string) => string;
  /** The market session at a time in unix seconds; null where it is not known. */
  readonly sessionAt: (seconds: number) => { source: string; state: MarketSession } | null;
}

/** How often a reorganisation under our reads is answered by reading again. */
const ATTEMPTS = 3;

/**
 * @param now unix seconds
 * @throws UpstreamUnavailable when the node does not answer, or the chain does not stand still for one read
 */
export async function gatherFacts(
  deps: GatherDeps,
  intent: Intent,
  now: number,
): Promise<Omit<Facts, "liquidity">> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const chain = await blockFacts(deps.provider, deps.deployment.chainId, "latest");
    const facts = await factsAt(deps, intent, now, chain);
    // Reads name the block by number. Its hash must still be the same, or they saw two chains.
    const after = await blockFacts(deps.provider, deps.deployment.chainId, chain.blockNumber);
    if (after.blockHash === chain.blockHash) return facts;
  }
  throw new UpstreamUnavailable("The chain is reorganising; its state cannot be read at one block.");
}

async function blockFacts(
  provider: JsonRpcProvider,
  chainId: number,
  tag: number | "latest",
): Promise<ChainFacts> {
  const block = await upstream("block", () => provider.getBlock(tag));
  if (block?.hash == null) throw new UpstreamUnavailable("The chain's RPC has no such block.");
  return { chainId, blockNumber: block.number, blockHash: block.hash, blockTimestamp: block.timestamp };
}

async function factsAt(
  { provider, deployment, memo, offchain, attestorFor, sessionAt }: GatherDeps,
  intent: Intent,
  now: number,
  chain: ChainFacts,
): Promise<Omit<Facts, "liquidity">> {
  const { blockNumber, blockHash } = chain;
  const { source } = deployment;
  const trade = tradeOf(intent, deployment.registry);
  const recipient = intent.recipientAddress === intent.ownerAddress ? null : intent.recipientAddress;
  const pair = {
    provider,
    blockNumber,
    input: addressOf(intent.inputAssetKey),
    output: addressOf(intent.outputAssetKey),
    amountIn: BigInt(intent.amountInRaw),
    side: trade.side,
    settlementDecimals: trade.side === "buy" ? trade.inputDecimals : trade.outputDecimals,
  };
  const atBlock = <T>(key: string, read: () => Promise<T>) => memo(blockHash, key, read);

  const guard = atBlock(`guard ${recipient}`, () => readGuard(provider, deployment, recipient, blockNumber));
  const pricesOf = async (assetKey: string): Promise<ReferencePrice[]> => {
    const [onChain, byProviders] = await Promise.all([
      atBlock(`references ${assetKey}`, () =>
        readReferences(provider, deployment.references[assetKey] ?? [], source, {
          blockNumber,
          receivedAt: now,
        }),
      ),
      offchain?.references(deployment.offchain?.[assetKey] ?? []) ?? [],
    ]);
    return [...onChain, ...byProviders];
  };
  const [state, chosen, references, settlement, token] = await Promise.all([
    guard,
    guard.then(({ routes }) =>
      atBlock(`quote ${pair.input} ${pair.output} ${pair.amountIn}`, () => bestQuote(routes, pair)),
    ),
    pricesOf(trade.stockAssetKey),
    pricesOf(trade.settlementAssetKey),
    tokenFacts({ provider, deployment, memo, offchain }, trade.stockAssetKey, chain, now),
  ]);
  return {
    chain,
    quote: chosen?.quote ?? null,
    references,
    settlement,
    session: sessionAt(now),
    token,
    guard: {
      address: deployment.guard,
      executor: deployment.executor,
      paused: state.paused,
      signer: state.signer,
      attestor: attestorFor(state.signer),
      routeAllowed: chosen?.allowed ?? false,
      recipientAllowed: state.recipientAllowed,
    },
  };
}

/** What the deployment's sources say of a token: the chain first, then the providers. */
async function tokenFacts(
  { provider, deployment, memo, offchain }: Pick<GatherDeps, "provider" | "deployment" | "memo" | "offchain">,
  assetKey: string,
  chain: ChainFacts,
  now: number,
): Promise<TokenFacts> {
  const token = addressOf(assetKey);
  const sources = deployment.tokens?.[assetKey] ?? [];
  const onChain = sources.flatMap((source) => ChainTokenSource.safeParse(source).data ?? []);
  const byProviders = sources.flatMap((source) => ProviderTokenSource.safeParse(source).data ?? []);
  const reading = { provider, source: deployment.source, token, chain, receivedAt: now };
  const said = await Promise.all([
    memo(chain.blockHash, `token ${token}`, () => readToken(reading, onChain)),
    ...(offchain === null ? [] : byProviders.map((source) => offchain.token(source, token, now))),
  ]);
  return mergedFacts(said);
}
