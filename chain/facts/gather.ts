/**
 * Gathers the facts of one judgement, all at one block: guard, quote, references, token.
 * What a source does not say is null or missing and denies; only a silent node is an error.
 */
import type { JsonRpcProvider } from "ethers";
import { tradeOf } from "../../attestor/attest.ts";
import type { ChainFacts, Facts } from "../../attestor/evidence.ts";
import type { Intent } from "../../attestor/intent.ts";
import type { MarketSession } from "../../attestor/policy.ts";
import { addressOf } from "../../attestor/primitives.ts";
import type { Deployment } from "../deployment.ts";
import { bestQuote } from "../dex/best.ts";
import { UpstreamUnavailable } from "../errors.ts";
import { upstream } from "../rpc.ts";
import type { BlockMemo } from "./blockMemo.ts";
import { readGuard } from "./guard.ts";
import type { OffchainSources } from "./offchain.ts";
import { readReferences } from "./references.ts";
import { readToken } from "./token.ts";

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
  const stock = addressOf(trade.stockAssetKey);
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
  const beside = deployment.offchain?.[trade.stockAssetKey];
  const [state, chosen, chainReferences, providerReferences, token] = await Promise.all([
    guard,
    guard.then(({ routes }) =>
      atBlock(`quote ${pair.input} ${pair.output} ${pair.amountIn}`, () => bestQuote(routes, pair)),
    ),
    atBlock(`references ${stock}`, () =>
      readReferences(provider, deployment.references[trade.stockAssetKey] ?? [], source, {
        blockNumber,
        receivedAt: now,
      }),
    ),
    offchain !== null && beside !== undefined ? offchain.references(beside.references) : [],
    offchain !== null && beside?.token !== undefined
      ? offchain.token(beside.token, now)
      : atBlock(`token ${stock}`, () => readToken(provider, stock, source, blockNumber)),
  ]);
  return {
    chain,
    quote: chosen?.quote ?? null,
    references: [...chainReferences, ...providerReferences],
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
