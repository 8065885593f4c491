/** What the chain says of a stock token: the issuer's factor, an announced change of it, and whether trading is halted. */
import { Interface, keccak256 } from "ethers";
import type {
  Announcement,
  ChainFacts,
  HaltStatement,
  SharesFactor,
  TokenFacts,
} from "../../attestor/evidence/facts.ts";
import { findAsset } from "../../attestor/registry.ts";
import { multiplierText, secondOf } from "../../attestor/shares.ts";
import { type ChainTokenSource, isChainToken } from "../../attestor/sources.ts";
import type { UnixSeconds } from "../../attestor/values/time.ts";
import type { Caller } from "../blockReads.ts";
import type { Deployment } from "../deployment.ts";
import { orNull, upstream } from "../rpc.ts";
import VIEWS from "../views.json" with { type: "json" };

const abi = new Interface(VIEWS.token);

export const NOTHING_KNOWN: TokenFacts = { factor: null, announcement: null, layout: null, halts: [] };

export interface TokenReading {
  readonly provider: Caller;
  /** Where the deployment's numbers come from. */
  readonly source: string;
  readonly token: string;
  readonly chain: Pick<ChainFacts, "blockNumber" | "blockTimestamp">;
  readonly receivedAt: UnixSeconds;
}

/**
 * What each of these sources says at one block.
 * @throws UpstreamUnavailable when the node does not answer
 */
export function readToken(
  reading: TokenReading,
  sources: readonly ChainTokenSource[],
): Promise<TokenFacts[]> {
  return Promise.all(sources.map((source) => readSource(reading, source)));
}

/** A chain that is read as it stands now. */
export interface ChainNow {
  readonly provider: Caller & { getBlockNumber(): Promise<number> };
  readonly deployment: Deployment;
}

/**
 * The issuer's factor by the token's own word now; null where the registry names no contract that states one, or none does.
 * @throws UpstreamUnavailable when the node does not answer
 */
export async function factorOnChain(chain: ChainNow, assetKey: string): Promise<string | null> {
  // Of pauses alone the time is asked for, and of no factor.
  return (await tokenOnChain(chain, assetKey, 0))?.factor?.value ?? null;
}

/**
 * What the token's contracts say of it now; null where the registry names none.
 * @param now unix seconds
 * @throws UpstreamUnavailable when the node does not answer
 */
export async function tokenOnChain(
  { provider, deployment }: ChainNow,
  assetKey: string,
  now: UnixSeconds,
): Promise<TokenFacts | null> {
  const asset = findAsset(deployment.registry, assetKey);
  const sources = asset?.tokenSources.filter(isChainToken) ?? [];
  if (!asset || sources.length === 0) return null;
  const blockNumber = await upstream("block number", () => provider.getBlockNumber());
  const chain = { blockNumber, blockTimestamp: now };
  const reading = { provider, source: deployment.source, token: asset.address, chain, receivedAt: now };
  return mergedFacts(await readToken(reading, sources));
}

/** The first word for each fact, and all about halts. @param all what each source says, in their order */
export function mergedFacts(all: readonly TokenFacts[]): TokenFacts {
  return {
    factor: all.find(({ factor }) => factor !== null)?.factor ?? null,
    announcement: all.find(({ announcement }) => announcement !== null)?.announcement ?? null,
    layout: null,
    halts: all.flatMap(({ halts }) => halts),
  };
}

function readSource(reading: TokenReading, source: ChainTokenSource): Promise<TokenFacts> {
  switch (source.source) {
    case "erc-8056":
      return readScheduled(reading, "erc-8056", ["uiMultiplier", "newUIMultiplier", "effectiveAt"]);
    case "backed":
      return readScheduled(reading, "backed", ["multiplier", "newMultiplier", "newMultiplierActivationTime"]);
    case "ondo-oracle":
      return readOndo(reading, source.address);
    case "halt-flag":
      return readFlag(reading, source.function);
  }
}

/** The raw answer of a view, or null where the contract does not have it. */
function ask(
  { provider, chain }: TokenReading,
  to: string,
  name: string,
  args: unknown[] = [],
): Promise<string | null> {
  const data = abi.encodeFunctionData(name, args);
  return upstream("token facts", () =>
    orNull(async () => {
      const raw = await provider.call({ to, data, blockTag: chain.blockNumber });
      // Code that is not there answers nothing at all.
      abi.decodeFunctionResult(name, raw);
      return raw;
    }),
  );
}

const value = (name: string, raw: string): bigint => BigInt(abi.decodeFunctionResult(name, raw)[0]);

function statedBy(
  { source, chain, receivedAt }: TokenReading,
  provider: string,
  address: string,
  raws: readonly string[],
) {
  const rawHash = keccak256(`0x${raws.map((raw) => raw.slice(2)).join("")}`);
  return { provider, source, blockNumber: chain.blockNumber, address, receivedAt, rawHash };
}

async function readScheduled(
  reading: TokenReading,
  provider: string,
  [now, next, from]: readonly [string, string, string],
): Promise<TokenFacts> {
  const [rawNow, rawNext, rawFrom] = await Promise.all(
    [now, next, from].map((name) => ask(reading, reading.token, name)),
  );
  let factor: SharesFactor | null = null;
  const text = rawNow == null ? null : multiplierText(value(now, rawNow));
  if (rawNow != null && text !== null)
    factor = { ...statedBy(reading, provider, reading.token, [rawNow]), value: text };
  let announcement: Announcement | null = null;
  if (rawNext != null && rawFrom != null)
    announcement = {
      ...statedBy(reading, provider, reading.token, [rawNext, rawFrom]),
      change: changeOf(value(next, rawNext), value(from, rawFrom)),
    };
  return { ...NOTHING_KNOWN, factor, announcement };
}

/** A time of zero says that nothing was ever announced. */
function changeOf(next: bigint, from: bigint): Announcement["change"] {
  return from === 0n ? null : { value: multiplierText(next), effectiveAt: secondOf(from) };
}

async function readOndo(reading: TokenReading, oracle: string): Promise<TokenFacts> {
  const raw = await ask(reading, oracle, "assetData", [reading.token]);
  if (raw === null) return NOTHING_KNOWN;
  const [sValue, pending, , pauseFrom] = abi.decodeFunctionResult("assetData", raw).map(BigInt) as bigint[];
  if (sValue === undefined || pending === undefined || pauseFrom === undefined) return NOTHING_KNOWN;
  const text = multiplierText(sValue);
  if (text === null) return NOTHING_KNOWN;
  const stated = statedBy(reading, "ondo-oracle", oracle, [raw]);
  const now = BigInt(reading.chain.blockTimestamp);
  // A pending value without a time can take effect at any moment from the next block on.
  const from = pauseFrom === 0n && pending !== 0n ? now + 1n : pauseFrom;
  return {
    ...NOTHING_KNOWN,
    factor: { ...stated, value: text },
    announcement: { ...stated, change: changeOf(pending, from) },
    // The pause lasts until the change is made, however long ago it began.
    halts: [{ ...stated, halted: pauseFrom !== 0n && now >= pauseFrom }],
  };
}

async function readFlag(reading: TokenReading, name: string): Promise<TokenFacts> {
  const raw = await ask(reading, reading.token, name);
  if (raw === null) return NOTHING_KNOWN;
  const halt: HaltStatement = {
    ...statedBy(reading, name, reading.token, [raw]),
    halted: value(name, raw) !== 0n,
  };
  return { ...NOTHING_KNOWN, halts: [halt] };
}
