/**
 * What the publishers' own proofs say of the prices in the evidence: whether they parse and are signed, whether the
 * evidence says what was signed, and whether it is the price of the very asset.
 */
import type { Evidence } from "../evidence/evidence.ts";
import type { ReferencePrice } from "../evidence/facts.ts";
import type { ProofCheck } from "../publishers/publisher.ts";
import { KNOWN_KEYS, type PublisherKeys } from "../publishers/publisherKeys.ts";
import { checkPriceProof, differencesFrom } from "../publishers/publishers.ts";
import { type Asset, findAsset, type Registry } from "../registry.ts";
import type { Steps } from "../steps.ts";

interface Checked {
  readonly reading: ReferencePrice;
  readonly assetKey: string;
  /** Null where the reading carries no proof. */
  readonly check: ProofCheck | null;
}

/**
 * @param keys of publishers that the reader knows
 * @param registry the one that the evidence names; undefined where it is not at hand
 */
export function priceSteps(
  { references, settlement, trade, chain }: Evidence,
  keys: PublisherKeys = KNOWN_KEYS,
  registry: Registry | undefined,
  steps: Steps,
): void {
  const checkedOf = (assetKey: string) => (reading: ReferencePrice) => ({
    reading,
    assetKey,
    check: reading.proof && checkPriceProof(reading.proof, keys, chain.chainId),
  });
  const prices: Checked[] = [
    ...references.map(checkedOf(trade.stockAssetKey)),
    ...settlement.map(checkedOf(trade.settlementAssetKey)),
  ];
  proofStep(prices, steps);
  figureStep(prices, steps);
  if (registry !== undefined) feedStep(prices, registry, steps);
  else if (prices.some(({ check }) => check?.outcome === "signed"))
    steps.add(
      "price feeds",
      "absent",
      "The registry is not at hand, so whether the signed prices are those of the assets was not checked.",
    );
}

const nameOf = ({ provider, symbol }: ReferencePrice): string => `${symbol} by ${provider}`;

/** Whether every proof parses, and is signed by keys that the reader knows. */
function proofStep(prices: readonly Checked[], steps: Steps): void {
  const proofs = prices.filter(({ check }) => check !== null);
  const broken = proofs.flatMap(({ reading, check }) =>
    check?.outcome === "broken" ? [`${nameOf(reading)}: ${check.reason}`] : [],
  );
  const unknown = proofs.flatMap(({ reading, check }) =>
    check?.outcome === "unknown" ? [`${nameOf(reading)}: ${check.reason}`] : [],
  );
  const signers = new Set(proofs.flatMap(({ check }) => (check?.outcome === "signed" ? [check.by] : [])));
  const signed = proofs.length - broken.length - unknown.length;
  if (signed + broken.length > 0)
    steps.judge(
      "price proofs",
      broken.length === 0,
      `${signed} of ${prices.length} prices carry their publisher's signatures (${[...signers].join(", ")}).`,
      `These proofs of prices prove nothing: ${broken.join("; ")}.`,
    );
  if (unknown.length > 0)
    steps.add(
      "price proofs",
      "absent",
      `As good as their issuer's word, and not checked: ${unknown.join("; ")}.`,
    );
}

/** Whether the evidence says what was signed. */
function figureStep(prices: readonly Checked[], steps: Steps): void {
  const signed = prices.flatMap(({ reading, check }) =>
    check?.outcome === "signed" ? [{ reading, differing: differencesFrom(reading, check.price) }] : [],
  );
  const wrong = signed.flatMap(({ reading, differing }) =>
    differing.length === 0 ? [] : [`${nameOf(reading)}: ${differing.join(", ")}`],
  );
  if (signed.length > 0)
    steps.judge(
      "signed prices",
      wrong.length === 0,
      "Price, confidence and time are those that were signed.",
      `What was signed reads otherwise: ${wrong.join("; ")}.`,
    );
}

/** Whether the feeds are those that the registry names for the assets. */
function feedStep(prices: readonly Checked[], registry: Registry, steps: Steps): void {
  const read = prices.flatMap(({ reading, assetKey, check }) => {
    const feedId = check?.outcome === "signed" ? check.price.feedId : (reading.onChain?.feedId ?? null);
    const named = feedsOf(reading.provider, findAsset(registry, assetKey));
    return feedId === null ? [] : [{ reading, feedId, named }];
  });
  const wrong = read.filter(({ feedId, named }) => named !== undefined && !named.includes(feedId));
  const unnamed = read.filter(({ named }) => named === undefined);
  if (read.length > unnamed.length)
    steps.judge(
      "price feeds",
      wrong.length === 0,
      `The feeds are those that registry ${registry.version} names for the assets.`,
      `Registry ${registry.version} names other feeds: ${wrong.map(({ reading, feedId }) => `${nameOf(reading)} is feed ${feedId}`).join("; ")}.`,
    );
  if (unnamed.length > 0)
    steps.add(
      "price feeds",
      "absent",
      `Registry ${registry.version} names no feed to hold these against: ${unnamed.map(({ reading }) => nameOf(reading)).join(", ")}.`,
    );
}

/** The ids that the registry names of that publisher for the asset; undefined where it names none. */
export function feedsOf(provider: string, asset: Asset | undefined): readonly string[] | undefined {
  const { pyth, chainlink } = asset?.priceFeeds ?? {};
  if (provider === "chainlink") return chainlink;
  return pyth === undefined ? undefined : [pyth];
}
