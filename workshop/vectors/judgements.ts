/** Made-up judgements: mostly such as a service could make, each fact near the limits of its policy. */
import { getAddress, id } from "ethers";
import type { Judgement } from "../../attestor/attest.ts";
import type { Facts, ReferencePrice } from "../../attestor/evidence/facts.ts";
import { gradeOf } from "../../attestor/evidence/liquidity.ts";
import type { Limits } from "../../attestor/intent.ts";
import { type Policy, SESSIONS } from "../../attestor/policies/policy.ts";
import { parseRegistry, type Registry } from "../../attestor/registry.ts";
import { TOKEN_KINDS } from "../../attestor/shares.ts";
import { assetKeyOf } from "../../attestor/values/primitives.ts";
import type { UnixSeconds } from "../../attestor/values/time.ts";
import { wholeUnits } from "../../attestor/values/wholeUnits.ts";
import type { Draw } from "./draw.ts";

/** A judgement that may still be bent. */
export type Draft = { -readonly [K in keyof Judgement]: Judgement[K] } & {
  facts: Facts;
  side: "buy" | "sell";
};

const GUARD = getAddress(`0x${id("the guard of the vectors").slice(26)}`);
const CHAIN_ID = 31_337;
/** A Monday in a regular session, unix seconds. */
const START = 1_790_000_000;

const address = (draw: Draw) => getAddress(draw.hex(20));

function registryOf(draw: Draw): Registry {
  const base = { chainId: CHAIN_ID, issuer: null, name: "Made up" };
  const [stock, dollar] = [address(draw), address(draw)];
  const tokenKind = draw.once(8) ? {} : { tokenKind: draw.pick(TOKEN_KINDS) };
  return parseRegistry({
    version: `vectors-${draw.int(1, 99)}`,
    chainId: CHAIN_ID,
    assets: [
      {
        ...{ ...base, kind: "stock", assetKey: assetKeyOf(CHAIN_ID, stock), address: stock },
        ...{ symbol: "ACMEx", underlying: "ACME", decimals: draw.pick([6, 8, 18]), ...tokenKind },
      },
      {
        ...{ ...base, kind: "settlement", assetKey: assetKeyOf(CHAIN_ID, dollar), address: dollar },
        ...{ symbol: "USDM", underlying: null, decimals: draw.pick([6, 18]) },
      },
    ],
    routes: [
      {
        ...{ chainId: CHAIN_ID, kind: "uniswap-v2", name: "made-up-v2", address: address(draw) },
        ...{ selector: "0x38ed1739", factory: address(draw) },
      },
    ],
  });
}

const PROVIDERS = ["pyth", "chainlink", "finnhub", "exchange", "desk"];

/** Readings around a price, some stale, some of the future, some of a provider that is there already. */
function readings(
  draw: Draw,
  at: Readonly<Record<"price" | "now" | "maxAge" | "least" | "most" | "spread", number>> & {
    readonly kind: "live" | "close";
  },
): ReferencePrice[] {
  const cents = Math.round(at.price * 10_000);
  const first = draw.int(0, PROVIDERS.length - 1);
  return Array.from({ length: draw.int(at.least, at.most) }, (_, index) => {
    const age = draw.once(6) ? draw.int(at.maxAge - 1, at.maxAge + 2) : draw.int(0, at.maxAge);
    const price = draw.once(25)
      ? 0n
      : BigInt(Math.round(cents * (1 + draw.int(-at.spread, at.spread) / 10_000)));
    return {
      provider: index < at.least ? PROVIDERS[(first + index) % PROVIDERS.length]! : draw.pick(PROVIDERS),
      source: "made up",
      kind: draw.once(5) ? (at.kind === "live" ? "close" : "live") : at.kind,
      symbol: "ACME",
      price: wholeUnits(price, 4),
      confidence: draw.once(3) ? null : wholeUnits(BigInt(draw.int(0, at.spread > 0 ? cents >> 5 : 0)), 4),
      publishedAt: at.now - (draw.once(12) ? draw.int(-7, 0) : age),
      receivedAt: at.now - draw.int(-5, 3),
      rawHash: draw.hex(32),
      onChain: null,
      proof: null,
      signer: null,
    };
  });
}

function quoteOf(
  draw: Draw,
  registry: Registry,
  side: "buy" | "sell",
  price: number,
  largest: number,
  worst: number,
): NonNullable<Facts["quote"]> {
  const [stock, dollar] = registry.assets as [Registry["assets"][0], Registry["assets"][0]];
  const [input, output] = side === "buy" ? [dollar, stock] : [stock, dollar];
  const route = registry.routes[0]!;
  const micro = BigInt(Math.round(price * 1_000_000));
  // Whole settlement tokens, and what they buy or cost, in raw units; the size costs a little more than the tiny trade.
  const amounts = (dollars: bigint, worseBy: bigint) => {
    const settled = dollars * 10n ** BigInt(dollar.decimals);
    const shares = (dollars * 1_000_000n * 10n ** BigInt(stock.decimals)) / micro;
    return side === "buy"
      ? { in: settled, out: (shares * (100_000n - worseBy)) / 100_000n }
      : { in: shares, out: (settled * (100_000n - worseBy)) / 100_000n };
  };
  const [size, tiny] = [amounts(BigInt(draw.int(10, largest)), BigInt(draw.int(0, worst))), amounts(10n, 0n)];
  return {
    routeName: route.name,
    route: route.address,
    selector: route.selector,
    path: [input.address, output.address],
    fees: draw.pick([[], [2_500], [3_000]]),
    amountInRaw: size.in.toString(),
    amountOutRaw: (draw.once(40) ? 0n : size.out).toString(),
    referenceAmountInRaw: tiny.in.toString(),
    referenceAmountOutRaw: tiny.out.toString(),
    pools: null,
  };
}

/** The same draws, but nothing that is rare ever happens. */
const calm = (draw: Draw): Draw => ({ ...draw, once: () => false });

/** A judgement by this policy that may pass, fail or lack anything; every other one passes most checks. */
export function draftFor(rough: Draw, policy: Policy, number: number): Draft {
  const { definition } = policy;
  const sound = rough.once(2);
  const draw = sound ? calm(rough) : rough;
  const registry = registryOf(draw);
  const side = draw.pick(["buy", "sell"] as const);
  const now = START + draw.int(0, 20_000_000);
  const price = draw.int(500, 90_000) / 100;
  const factor = draw.once(4) ? "1" : wholeUnits(BigInt(draw.int(200_000, 90_000_000)), 6);
  const shares = registry.assets[0]!.tokenKind === "rebasing" ? 1 : Number(factor);
  const most = sound ? Math.min(definition.maxAdversePremiumBps, definition.maxImpactBps) * 5 : 700;
  const drift = 1 + draw.int(-most, most) / 100_000;
  const largest = sound ? Math.floor(Number(definition.notionalCapUsd) * 0.9) : 60_000;
  const quote = draw.once(20)
    ? null
    : quoteOf(draw, registry, side, price * shares * drift, largest, sound ? most : 900);
  const stock = registry.assets[0]!.assetKey;
  const dollar = registry.assets[1]!.assetKey;
  const owner = address(draw);
  const recipient = draw.once(3) ? address(draw) : owner;
  return {
    jobId: `job_vector_${number}`,
    reportVersion: draw.int(1, 4),
    capturedAt: now,
    policy,
    registry,
    side,
    intent: {
      ownerAddress: owner,
      recipientAddress: recipient,
      inputAssetKey: side === "buy" ? dollar : stock,
      outputAssetKey: side === "buy" ? stock : dollar,
      amountInRaw: quote?.amountInRaw ?? draw.digits(20).toString(),
      policyId: definition.policyId,
      maxSlippageBps: draw.int(0, definition.maxSlippageBps + (draw.once(5) ? 40 : 0)),
      ...limitsOf(draw, definition, quote),
    },
    facts: factsFor(draw, { definition, sound, now, price, factor, quote, isOwn: owner === recipient }),
  };
}

/** In one of six what an owner may demand beside the policy. */
function limitsOf(
  draw: Draw,
  { maxAdversePremiumBps, maxImpactBps, reference }: Policy["definition"],
  quote: Draft["facts"]["quote"],
): { limits?: Limits } {
  if (!draw.once(6)) return {};
  const limits = {
    maxPremiumBps: draw.int(-10, maxAdversePremiumBps),
    maxImpactBps: draw.int(0, maxImpactBps),
    minAmountOutRaw: (
      (BigInt(quote?.amountOutRaw ?? 9) * BigInt(draw.int(9_900, 10_005))) / 10_000n +
      1n
    ).toString(),
    maxReferenceAgeSeconds: draw.int(1, reference.maxAgeSeconds),
  };
  return { limits: Object.fromEntries(draw.some(Object.entries(limits))) };
}

interface Circumstances {
  readonly definition: Policy["definition"];
  readonly sound: boolean;
  readonly now: UnixSeconds;
  /** US dollars per share. */
  readonly price: number;
  readonly factor: string;
  readonly quote: Draft["facts"]["quote"];
  /** Whether the output goes to the owner. */
  readonly isOwn: boolean;
}

function factsFor(
  draw: Draw,
  { definition, sound, now, price, factor, quote, isOwn }: Circumstances,
): Draft["facts"] {
  const { kind, maxAgeSeconds, minSources } = definition.reference;
  const { settlement } = definition;
  const readingsFrom = (needed: number, most: number) =>
    sound ? { least: needed, most: needed, spread: 0 } : { least: 0, most, spread: 40 };
  return {
    chain: {
      chainId: CHAIN_ID,
      blockNumber: draw.int(1, 90_000_000),
      blockHash: draw.hex(32),
      blockTimestamp: now - draw.int(-3, Math.min(30, definition.maxQuoteAgeSeconds)),
    },
    quote,
    references: readings(draw, { ...readingsFrom(minSources, 6), price, now, kind, maxAge: maxAgeSeconds }),
    settlement: readings(draw, {
      ...readingsFrom(settlement.minSources, 4),
      ...{ price: 1, now, kind: "live", maxAge: settlement.maxAgeSeconds },
    }),
    session: draw.once(20)
      ? null
      : { source: "simulated", state: draw.once(3) ? draw.pick(SESSIONS) : definition.allowedSessions[0]! },
    token: tokenOf(draw, now, factor),
    liquidity: liquidityOf(draw, now, sound),
    guard: guardOf(draw, isOwn),
    failures: Array.from({ length: draw.once(3) ? draw.int(0, 4) : 0 }, () => ({
      asset: draw.pick(["stock", "settlement"] as const),
      source: draw.pick(["finnhub live ACME", "xstocks ACMEx", "pyth-hermes live ACME"]),
      subject: draw.pick(["price", "factor", "announcement", "halt"] as const),
      reason: draw.pick(["not-configured", "unreachable", "no-answer", "unusable"] as const),
      at: now - draw.int(0, 5),
      rawHash: draw.once(2) ? null : draw.hex(32),
    })),
    proofs: null,
  };
}

function tokenOf(draw: Draw, now: number, factor: string) {
  const stated = () => ({
    provider: draw.pick(["issuer", "xstocks", "desk"]),
    source: "made up",
    blockNumber: null,
    address: null,
    receivedAt: now - draw.int(-5, 60),
    rawHash: draw.hex(32),
  });
  const change = { value: draw.once(2) ? null : "2", effectiveAt: now + draw.int(-9_000, 20_000) };
  return {
    factor: draw.once(10) ? null : { ...stated(), value: draw.once(30) ? "0" : factor },
    announcement: draw.once(6) ? null : { ...stated(), change: draw.once(3) ? change : null },
    layout: null,
    halts: Array.from({ length: draw.int(0, 3) }, () => ({ ...stated(), halted: draw.once(7) })),
  };
}

/** The grade is what follows from its figures, as in all evidence that a service may write. */
function liquidityOf(draw: Draw, now: number, isDeep: boolean) {
  if (draw.once(20)) return null;
  const sampleN = draw.once(6) ? draw.int(0, 3) : draw.int(isDeep ? 20 : 3, 60);
  const impact = wholeUnits(BigInt(draw.int(0, isDeep ? 490_000 : 5_600_000)), 4);
  const impact10kBps = sampleN === 0 || draw.once(10) ? null : impact;
  return {
    source: "made up",
    grade: sampleN < 3 ? null : gradeOf(impact10kBps),
    sampleN,
    impact1kBps: impact10kBps === null ? null : "4.5",
    impact10kBps,
    updatedAt: sampleN === 0 ? null : now - draw.int(0, 4_000),
    samplesRoot: sampleN === 0 || draw.once(2) ? null : draw.hex(32),
  };
}

function guardOf(draw: Draw, ownIsRecipient: boolean) {
  const signer = getAddress(draw.hex(20));
  return {
    address: GUARD,
    executor: getAddress(draw.hex(20)),
    paused: draw.once(15),
    signer,
    attestor: draw.once(15) ? getAddress(draw.hex(20)) : signer,
    routeAllowed: !draw.once(15),
    recipientAllowed: ownIsRecipient || draw.once(2),
    pending: [],
  };
}
