/** Arbitraries of sound judgements: by each policy, of tokens of each kind, of prices and amounts of any size. */
import fc from "fast-check";
import type { Judgement } from "../../../attestor/attest.ts";
import type { Facts, QuoteFacts, ReferencePrice } from "../../../attestor/evidence/facts.ts";
import type { Policy } from "../../../attestor/policies/policy.ts";
import { parseRegistry, type Registry } from "../../../attestor/registry.ts";
import { TOKEN_KINDS } from "../../../attestor/shares.ts";
import { wholeUnits } from "../../../attestor/values/wholeUnits.ts";
import {
  facts,
  judgement,
  NOW,
  REGISTRY,
  reading,
  SIDES,
  type Side,
} from "../../../test/attestor/fixtures.ts";
import { address, bytes } from "../../../test/support/arbitraries.ts";

/** A judgement that may be brought to a boundary. */
export type Draft = Judgement & { readonly facts: Facts; readonly side: Side };

const int = (min: number, max: number) => fc.integer({ min, max });
/** How much of a bound is used, in thousandths. */
const share = int(0, 1_000);
const partOf = (bound: number, thousandths: number) => Math.floor((bound * thousandths) / 1_000);

/** What is drawn. Everything else of a judgement follows from it. */
const scene = fc.record({
  side: fc.constantFrom(...SIDES),
  now: int(NOW, NOW + 20_000_000),
  reportVersion: int(1, 4),
  blockNumber: int(1, 90_000_000),
  blockHash: bytes(32),
  owner: address,
  recipient: fc.option(address),
  tokenKind: fc.constantFrom(...TOKEN_KINDS),
  stockDecimals: fc.constantFrom(6, 8, 18),
  dollarDecimals: fc.constantFrom(6, 18),
  /** Of a share. */
  cents: int(500, 90_000),
  /** Shares per token, in millionths. */
  factor: fc.oneof(int(200_000, 90_000_000), fc.constant(1_000_000)),
  size: share,
  drift: int(-1_000, 1_000),
  worse: share,
  age: share,
  spread: share,
  confidence: fc.option(share),
  slippage: share,
  sampleN: int(20, 60),
  /** In ten-thousandths of a basis point. */
  impact: int(0, 490_000),
  samplesRoot: fc.option(bytes(32)),
});
type Scene = typeof scene extends fc.Arbitrary<infer T> ? T & { readonly policy: Policy } : never;

export const drafts = (policies: readonly Policy[]): fc.Arbitrary<Draft> =>
  fc.record({ policy: fc.constantFrom(...policies), drawn: scene }).map(({ policy, drawn }) => {
    // A clone: what fast-check draws has no prototype, and no canonical form.
    return draftOf({ ...structuredClone(drawn), policy });
  });

function draftOf(scene: Scene): Draft {
  const { policy, side, now, owner, recipient, reportVersion } = scene;
  const registry = registryOf(scene);
  const given = judgement({ policy, side, registry, facts: factsOf(scene, registry) });
  return {
    ...given,
    side,
    jobId: `job_vector_${now}`,
    reportVersion,
    capturedAt: now,
    intent: {
      ...given.intent,
      ownerAddress: owner,
      recipientAddress: recipient ?? owner,
      maxSlippageBps: partOf(policy.definition.maxSlippageBps, scene.slippage),
    },
  };
}

function registryOf({ tokenKind, stockDecimals, dollarDecimals }: Scene): Registry {
  const [stock, dollar] = REGISTRY.assets;
  const assets = [
    { ...stock, tokenKind, decimals: stockDecimals },
    { ...dollar, decimals: dollarDecimals },
  ];
  return parseRegistry({ ...REGISTRY, assets });
}

function factsOf(scene: Scene, registry: Registry): Facts {
  const { policy, side, now, cents, age } = scene;
  const { reference, settlement, allowedSessions, maxQuoteAgeSeconds } = policy.definition;
  const sound = facts({}, side);
  const stated = { blockNumber: scene.blockNumber, receivedAt: now - 1 };
  const { factor, announcement, halts } = sound.token;
  return {
    ...sound,
    chain: {
      ...sound.chain,
      blockNumber: scene.blockNumber,
      blockHash: scene.blockHash,
      blockTimestamp: now - partOf(Math.min(30, maxQuoteAgeSeconds), age),
    },
    quote: quoteOf(scene, registry),
    references: readings(scene, cents * 100, { ...reference, apartBps: reference.maxDisagreementBps }),
    settlement: readings(scene, 10_000, {
      ...settlement,
      kind: "live",
      apartBps: settlement.maxDeviationBps,
    }),
    session: { source: "simulated", state: allowedSessions[0]! },
    token: {
      ...sound.token,
      factor: { ...factor!, ...stated, value: wholeUnits(BigInt(scene.factor), 6) },
      announcement: { ...announcement!, ...stated },
      halts: halts.map((halt) => ({ ...halt, ...stated })),
    },
    liquidity: {
      source: "made up",
      grade: "A",
      sampleN: scene.sampleN,
      impact1kBps: "4.5",
      impact10kBps: wholeUnits(BigInt(scene.impact), 4),
      updatedAt: now - 60,
      samplesRoot: scene.samplesRoot,
    },
  };
}

interface Agreement {
  readonly kind: ReferencePrice["kind"];
  readonly minSources: number;
  readonly maxAgeSeconds: number;
  /** How far every other one may be above the price. */
  readonly apartBps: number;
}

/** As many sources as the policy asks for, which agree. @param raw the price in ten-thousandths of a dollar */
function readings(scene: Scene, raw: number, agreement: Agreement): ReferencePrice[] {
  const { policy, now, age, spread, confidence } = scene;
  const { kind, minSources, maxAgeSeconds, apartBps } = agreement;
  const apart = Math.floor((raw * partOf(apartBps, spread)) / 10_000);
  const widest = Math.floor((raw * policy.definition.reference.maxConfidenceBps) / 10_000);
  const priceText = (units: number) => wholeUnits(BigInt(units), 4);
  return Array.from({ length: minSources }, (_, index) =>
    reading({
      provider: `source ${index}`,
      kind,
      price: priceText(index % 2 === 0 ? raw : raw + apart),
      confidence: confidence === null ? null : priceText(partOf(widest, confidence)),
      publishedAt: now - partOf(maxAgeSeconds, index === 0 ? age : 0),
      receivedAt: now - 1,
    }),
  );
}

/** Amounts at about the price: the whole trade is worse than the tiny one by up to what the policy allows. */
function quoteOf(scene: Scene, registry: Registry): QuoteFacts {
  const { policy, side, cents, factor, tokenKind, size, drift, worse } = scene;
  const { maxAdversePremiumBps, maxImpactBps, notionalCapUsd } = policy.definition;
  const [stock, dollar] = registry.assets as [Registry["assets"][0], Registry["assets"][0]];
  // Half of the smaller bound, in thousandths of a percent.
  const bound = Math.min(maxAdversePremiumBps, maxImpactBps) * 5;
  const loss = BigInt(partOf(bound, worse));
  const shares = tokenKind === "rebasing" ? 1_000_000n : BigInt(factor);
  /** Of a token, in dollars with 13 places. */
  const price = BigInt(cents) * shares * BigInt(100_000 + partOf(bound, drift));
  const amounts = (dollars: bigint, lost: bigint) => {
    const paid = dollars * 10n ** BigInt(dollar.decimals);
    const bought = (dollars * 10n ** BigInt(13 + stock.decimals)) / price;
    const [given, taken] = side === "buy" ? [paid, bought] : [bought, paid];
    return [given.toString(), ((taken * (100_000n - lost)) / 100_000n).toString()] as const;
  };
  const largest = Math.floor(Number(notionalCapUsd) * 0.9) - 10;
  const [amountInRaw, amountOutRaw] = amounts(BigInt(10 + partOf(largest, size)), loss);
  const [referenceAmountInRaw, referenceAmountOutRaw] = amounts(10n, 0n);
  return {
    ...facts({}, side).quote!,
    amountInRaw,
    amountOutRaw,
    referenceAmountInRaw,
    referenceAmountOutRaw,
  };
}
