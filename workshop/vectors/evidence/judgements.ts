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
import { address } from "../../../test/support/arbitraries.ts";

/** A judgement that may be brought to a boundary. */
export type Draft = Judgement & { readonly facts: Facts; readonly side: Side };

const int = (min: number, max: number) => fc.integer({ min, max });

/** What is drawn. Everything else of a judgement is as in the tests' sound one, or follows from it. */
const scene = fc.record({
  side: fc.constantFrom(...SIDES),
  owner: address,
  recipient: fc.option(address),
  tokenKind: fc.constantFrom(...TOKEN_KINDS),
  stockDecimals: fc.constantFrom(6, 8, 18),
  dollarDecimals: fc.constantFrom(6, 18),
  /** Of a share. */
  cents: int(500, 90_000),
  /** Shares per token, in millionths. */
  factor: fc.oneof(int(200_000, 90_000_000), fc.constant(1_000_000)),
  /** Of the trade. */
  dollars: int(11, 50_000),
  /** How far the tiny trade is from the price, and the whole trade from the tiny one; in thousandths of the bound. */
  drift: int(-1_000, 1_000),
  worse: int(0, 1_000),
  /** Of the price of each source, in ten-thousandths. */
  spread: int(0, 20),
  age: int(0, 60),
});
type Scene = typeof scene extends fc.Arbitrary<infer T> ? T & { readonly policy: Policy } : never;

export const drafts = (policies: readonly Policy[]): fc.Arbitrary<Draft> =>
  fc.record({ policy: fc.constantFrom(...policies), drawn: scene }).map(({ policy, drawn }) => {
    // A clone: what fast-check draws has no prototype, and no canonical form.
    return draftOf({ ...structuredClone(drawn), policy });
  });

function draftOf(scene: Scene): Draft {
  const { policy, side, owner, recipient } = scene;
  const registry = registryOf(scene);
  const given = judgement({ policy, side, registry, facts: factsOf(scene, registry) });
  const intent = { ...given.intent, ownerAddress: owner, recipientAddress: recipient ?? owner };
  return { ...given, side, intent };
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
  const { policy, side, cents, factor, spread, age } = scene;
  const { reference, settlement, allowedSessions } = policy.definition;
  const sound = facts({}, side);
  const value = wholeUnits(BigInt(factor), 6);
  /** Some sources are dearer than the others by the spread. */
  const readings = (kind: ReferencePrice["kind"], count: number, raw: number) =>
    Array.from({ length: count }, (_, index) =>
      reading({
        provider: `source ${index}`,
        kind,
        price: wholeUnits(BigInt(index % 2 === 0 ? raw * 10_000 : raw * (10_000 + spread)), 6),
        confidence: null,
        publishedAt: NOW - (index === 0 ? age : 0),
      }),
    );
  return {
    ...sound,
    quote: quoteOf(scene, registry),
    references: readings(reference.kind, reference.minSources, cents),
    settlement: readings("live", settlement.minSources, 100),
    session: { source: "simulated", state: allowedSessions[0]! },
    token: { ...sound.token, factor: { ...sound.token.factor!, value } },
  };
}

/** Amounts at about the price: the whole trade is worse than the tiny one by up to what the policy allows. */
function quoteOf(scene: Scene, registry: Registry): QuoteFacts {
  const { policy, side, cents, factor, tokenKind, dollars, drift, worse } = scene;
  const { maxAdversePremiumBps, maxImpactBps } = policy.definition;
  const [stock, dollar] = registry.assets as [Registry["assets"][0], Registry["assets"][0]];
  /** Half of the smaller bound, in millionths. */
  const bound = Math.min(maxAdversePremiumBps, maxImpactBps) * 50;
  const partOfBound = (thousandths: number) => BigInt(Math.floor((bound * thousandths) / 1_000));
  const shares = tokenKind === "rebasing" ? 1_000_000n : BigInt(factor);
  /** Of a token, in dollars with 14 places. */
  const price = BigInt(cents) * shares * (1_000_000n + partOfBound(drift));
  const amounts = (size: number, lost: bigint) => {
    const paid = BigInt(size) * 10n ** BigInt(dollar.decimals);
    const bought = (BigInt(size) * 10n ** BigInt(14 + stock.decimals)) / price;
    const [given, taken] = side === "buy" ? [paid, bought] : [bought, paid];
    return [given.toString(), ((taken * (1_000_000n - lost)) / 1_000_000n).toString()] as const;
  };
  const [amountInRaw, amountOutRaw] = amounts(dollars, partOfBound(worse));
  const [referenceAmountInRaw, referenceAmountOutRaw] = amounts(10, 0n);
  const quote = facts({}, side).quote!;
  return { ...quote, amountInRaw, amountOutRaw, referenceAmountInRaw, referenceAmountOutRaw };
}
