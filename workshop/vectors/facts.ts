/** Arbitraries of the facts of a judgement, each near the limits of its policy. */
import fc from "fast-check";
import type { Facts, QuoteFacts, ReferencePrice } from "../../attestor/evidence/facts.ts";
import { gradeOf } from "../../attestor/evidence/liquidity.ts";
import { type Policy, type PolicyDefinition, SESSIONS } from "../../attestor/policies/policy.ts";
import type { Registry } from "../../attestor/registry.ts";
import { wholeUnits } from "../../attestor/values/wholeUnits.ts";
import { CHAIN_ID, GUARD, type Side } from "../../test/attestor/fixtures.ts";
import { address, bytes } from "../../test/support/arbitraries.ts";

export const int = (min: number, max: number) => fc.integer({ min, max });
export const decimal = (min: number, max: number, places: number) =>
  int(min, max).map((value) => wholeUnits(BigInt(value), places));

/** Mostly the usual; once in so many times the odd. */
export const mostly = <T>(inHowMany: number, usual: fc.Arbitrary<T>, odd: fc.Arbitrary<T>) =>
  fc.oneof({ weight: inHowMany - 1, arbitrary: usual }, { weight: 1, arbitrary: odd });

/** What all facts of a judgement have in common. */
export interface Scene {
  readonly policy: Policy;
  readonly side: Side;
  /** Whether most checks pass. */
  readonly isSound: boolean;
  readonly now: number;
  /** US dollars per share. */
  readonly price: number;
  /** Shares per token. */
  readonly factor: string;
  readonly registry: Registry;
  readonly owner: string;
  readonly recipient: string;
}

/** Once in so many times true, and never in a sound judgement. */
const rarely = ({ isSound }: Scene, inHowMany: number) =>
  isSound ? fc.constant(false) : mostly(inHowMany, fc.constant(false), fc.constant(true));
const unless = <T>(isLeft: fc.Arbitrary<boolean>, given: fc.Arbitrary<T>): fc.Arbitrary<T | null> =>
  isLeft.chain((left) => (left ? fc.constant(null) : given));

export function factsOf(scene: Scene): fc.Arbitrary<Facts> {
  const { now, policy, isSound } = scene;
  const { reference, settlement, allowedSessions, maxQuoteAgeSeconds } = policy.definition;
  return fc.record({
    chain: fc.record({
      chainId: fc.constant(CHAIN_ID),
      blockNumber: int(1, 90_000_000),
      blockHash: bytes(32),
      blockTimestamp: int(-3, Math.min(30, maxQuoteAgeSeconds)).map((age) => now - age),
    }),
    quote: unless(rarely(scene, 20), quotes(scene)),
    references: readings(scene, { ...reference, price: scene.price }),
    settlement: readings(scene, { ...settlement, kind: "live", price: 1 }),
    session: unless(
      rarely(scene, 20),
      fc.record({
        source: fc.constant("simulated"),
        state: isSound ? fc.constant(allowedSessions[0]!) : fc.constantFrom(...SESSIONS),
      }),
    ),
    token: tokens(scene),
    liquidity: unless(rarely(scene, 20), liquidity(scene)),
    guard: guards(scene),
    failures: isSound
      ? fc.constant([])
      : mostly(3, fc.constant([]), fc.array(failures(now), { maxLength: 4 })),
    proofs: fc.constant(null),
  });
}

const PROVIDERS = ["pyth", "chainlink", "finnhub", "exchange", "desk"];

/** Readings around a price; in judgements that are not sound some are stale, some of the future, some of one provider. */
function readings(
  scene: Scene,
  about: Pick<PolicyDefinition["settlement"], "maxAgeSeconds" | "minSources"> &
    Pick<ReferencePrice, "kind"> & { readonly price: number },
): fc.Arbitrary<ReferencePrice[]> {
  const { now, isSound } = scene;
  const { kind, price, maxAgeSeconds, minSources } = about;
  const raw = Math.round(price * 10_000);
  const ages = fc.oneof(int(0, maxAgeSeconds), int(maxAgeSeconds - 1, maxAgeSeconds + 2), int(-7, 0));
  const prices = decimal(Math.floor(raw * 0.996), Math.ceil(raw * 1.004), 4);
  const reading = fc.record({
    provider: fc.constantFrom(...PROVIDERS),
    source: fc.constant("made up"),
    kind: rarely(scene, 5).map((isOther) => (isOther === (kind === "live") ? "close" : "live")),
    symbol: fc.constant("ACME"),
    price: isSound ? fc.constant(wholeUnits(BigInt(raw), 4)) : mostly(25, prices, fc.constant("0")),
    confidence: fc.option(isSound ? fc.constant("0") : decimal(0, raw >> 5, 4)),
    publishedAt: (isSound ? int(0, maxAgeSeconds) : ages).map((age) => now - age),
    receivedAt: int(-3, 5).map((late) => now + late),
    rawHash: bytes(32),
    onChain: fc.constant(null),
    proof: fc.constant(null),
    signer: fc.constant(null),
  });
  if (!isSound) return fc.array(reading, { maxLength: 6 });
  return fc
    .array(reading, { minLength: minSources, maxLength: minSources })
    .map((list) => list.map((one, index) => ({ ...one, provider: PROVIDERS[index % PROVIDERS.length]! })));
}

/** Amounts at about the price: the size costs more than the tiny trade by up to the worst, in thousandths of a percent. */
function quotes({ registry, side, isSound, policy, price, factor }: Scene): fc.Arbitrary<QuoteFacts> {
  const { maxAdversePremiumBps, maxImpactBps, notionalCapUsd } = policy.definition;
  const worst = isSound ? Math.min(maxAdversePremiumBps, maxImpactBps) * 5 : 900;
  const [stock, dollar] = registry.assets as [Registry["assets"][0], Registry["assets"][0]];
  const [input, output] = side === "buy" ? [dollar, stock] : [stock, dollar];
  const route = registry.routes[0]!;
  const shares = stock.tokenKind === "rebasing" ? 1 : Number(factor);
  return fc
    .record({
      dollars: int(10, isSound ? Math.floor(Number(notionalCapUsd) * 0.9) : 60_000),
      drift: int(-worst, worst),
      worse: int(0, worst),
      fees: fc.constantFrom<number[]>([], [2_500], [3_000]),
    })
    .map(({ dollars, drift, worse, fees }) => {
      const micro = BigInt(Math.round(price * shares * (1_000_000 + drift * 10)));
      const amounts = (settled: bigint, loss: bigint) => {
        const paid = settled * 10n ** BigInt(dollar.decimals);
        const bought = (settled * 1_000_000n * 10n ** BigInt(stock.decimals)) / micro;
        const [given, taken] = side === "buy" ? [paid, bought] : [bought, paid];
        return [given.toString(), ((taken * (100_000n - loss)) / 100_000n).toString()] as const;
      };
      const [amountInRaw, amountOutRaw] = amounts(BigInt(dollars), BigInt(worse));
      const [referenceAmountInRaw, referenceAmountOutRaw] = amounts(10n, 0n);
      return {
        routeName: route.name,
        route: route.address,
        selector: route.selector,
        path: [input.address, output.address],
        fees,
        amountInRaw,
        amountOutRaw,
        referenceAmountInRaw,
        referenceAmountOutRaw,
        pools: null,
      };
    });
}

function tokens(scene: Scene): fc.Arbitrary<Facts["token"]> {
  const { now, factor } = scene;
  const stated = {
    provider: fc.constantFrom("issuer", "xstocks", "desk"),
    source: fc.constant("made up"),
    blockNumber: fc.constant(null),
    address: fc.constant(null),
    receivedAt: int(-5, 60).map((ago) => now - ago),
    rawHash: bytes(32),
  };
  const change = fc.record({
    value: fc.constantFrom(null, "2"),
    effectiveAt: int(now - 9_000, now + 20_000),
  });
  return fc.record({
    factor: unless(
      rarely(scene, 10),
      fc.record({ ...stated, value: rarely(scene, 30).map((isNone) => (isNone ? "0" : factor)) }),
    ),
    announcement: unless(
      rarely(scene, 6),
      fc.record({
        ...stated,
        change: unless(
          rarely(scene, 3).map((is) => !is),
          change,
        ),
      }),
    ),
    layout: fc.constant(null),
    halts: fc.array(fc.record({ ...stated, halted: rarely(scene, 7) }), {
      minLength: scene.isSound ? 1 : 0,
      maxLength: 3,
    }),
  });
}

/** The grade is what follows from its figures, as in all evidence that a service may write. */
function liquidity(scene: Scene): fc.Arbitrary<NonNullable<Facts["liquidity"]>> {
  const { now, isSound } = scene;
  return fc
    .record({
      sampleN: isSound ? int(20, 60) : fc.oneof(int(0, 3), int(3, 60)),
      impact: decimal(0, isSound ? 490_000 : 5_600_000, 4),
      age: int(0, 4_000),
      samplesRoot: fc.option(bytes(32)),
    })
    .map(({ sampleN, impact, age, samplesRoot }) => {
      const isNone = sampleN === 0;
      return {
        source: "made up",
        grade: sampleN < 3 ? null : gradeOf(impact),
        sampleN,
        impact1kBps: isNone ? null : "4.5",
        impact10kBps: isNone ? null : impact,
        updatedAt: isNone ? null : now - age,
        samplesRoot: isNone ? null : samplesRoot,
      };
    });
}

function guards(scene: Scene): fc.Arbitrary<Facts["guard"]> {
  const isOther = rarely(scene, 15);
  const isOwn = scene.owner === scene.recipient;
  return fc
    .record({
      signer: address,
      another: address,
      executor: address,
      isOther,
      paused: isOther,
      barred: isOther,
    })
    .map(({ signer, another, executor, isOther, paused, barred }) => ({
      address: GUARD,
      executor,
      paused,
      signer,
      attestor: isOther ? another : signer,
      routeAllowed: !barred,
      recipientAllowed: isOwn || !barred,
      pending: [],
    }));
}

const failures = (now: number): fc.Arbitrary<Facts["failures"][number]> =>
  fc.record({
    asset: fc.constantFrom("stock", "settlement"),
    source: fc.constantFrom("finnhub live ACME", "xstocks ACMEx", "pyth-hermes live ACME"),
    subject: fc.constantFrom("price", "factor", "announcement", "halt"),
    reason: fc.constantFrom("not-configured", "unreachable", "no-answer", "unusable"),
    at: int(now - 5, now),
    rawHash: fc.option(bytes(32)),
  });
