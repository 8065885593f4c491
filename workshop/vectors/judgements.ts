/** Arbitraries of judgements, mostly such as a service could make. */
import fc from "fast-check";
import type { Judgement } from "../../attestor/attest.ts";
import type { Facts } from "../../attestor/evidence/facts.ts";
import type { Limits } from "../../attestor/intent.ts";
import type { Policy } from "../../attestor/policies/policy.ts";
import { parseRegistry, type Registry } from "../../attestor/registry.ts";
import { TOKEN_KINDS } from "../../attestor/shares.ts";
import { NOW, REGISTRY, SIDES, type Side } from "../../test/attestor/fixtures.ts";
import { address } from "../../test/support/arbitraries.ts";
import { decimal, factsOf, int, mostly, type Scene } from "./facts.ts";

/** A judgement that may be brought to a boundary. */
export type Draft = Judgement & { readonly facts: Facts; readonly side: Side };

export const drafts = (policies: readonly Policy[]): fc.Arbitrary<Draft> =>
  scenes(policies).chain((scene) =>
    fc
      .record({ facts: factsOf(scene), intent: intents(scene), reportVersion: int(1, 4) })
      .map(({ facts, intent: { limits, ...intent }, reportVersion }) => ({
        jobId: `job_vector_${scene.now}`,
        reportVersion,
        capturedAt: scene.now,
        policy: scene.policy,
        registry: scene.registry,
        side: scene.side,
        facts,
        intent: {
          ...intent,
          amountInRaw: facts.quote?.amountInRaw ?? "1000000",
          ...(limits === null ? {} : { limits }),
        },
      })),
  );

const scenes = (policies: readonly Policy[]): fc.Arbitrary<Scene> =>
  fc
    .record({
      policy: fc.constantFrom(...policies),
      side: fc.constantFrom(...SIDES),
      isSound: fc.boolean(),
      now: int(NOW, NOW + 20_000_000),
      price: int(500, 90_000).map((cents) => cents / 100),
      factor: mostly(4, decimal(200_000, 90_000_000, 6), fc.constant("1")),
      registry: registries,
      owner: address,
      another: mostly(3, fc.constant(null), address),
    })
    .map(({ another, ...scene }) => ({ ...scene, recipient: another ?? scene.owner }));

const registries: fc.Arbitrary<Registry> = fc
  .record({
    tokenKind: mostly(8, fc.constantFrom(...TOKEN_KINDS), fc.constant(undefined)),
    stockDecimals: fc.constantFrom(6, 8, 18),
    dollarDecimals: fc.constantFrom(6, 18),
  })
  .map(({ tokenKind, stockDecimals, dollarDecimals }) => {
    const [stock, dollar] = REGISTRY.assets;
    const assets = [
      { ...stock, tokenKind, decimals: stockDecimals },
      { ...dollar, decimals: dollarDecimals },
    ];
    return parseRegistry({ ...REGISTRY, assets });
  });

function intents({ registry, side, owner, recipient, policy }: Scene) {
  const { policyId, maxSlippageBps, maxAdversePremiumBps, maxImpactBps, reference } = policy.definition;
  const [stock, dollar] = registry.assets.map(({ assetKey }) => assetKey) as [string, string];
  const limits: fc.Arbitrary<Limits> = fc.oneof(
    fc.record({ maxPremiumBps: int(-10, maxAdversePremiumBps), maxImpactBps: int(0, maxImpactBps) }),
    fc.record({ maxReferenceAgeSeconds: int(1, reference.maxAgeSeconds) }),
    fc.record({ minAmountOutRaw: fc.constantFrom("1", "1000000", "1000000000000000000") }),
  );
  return fc.record({
    ownerAddress: fc.constant(owner),
    recipientAddress: fc.constant(recipient),
    inputAssetKey: fc.constant(side === "buy" ? dollar : stock),
    outputAssetKey: fc.constant(side === "buy" ? stock : dollar),
    policyId: fc.constant(policyId),
    maxSlippageBps: mostly(5, int(0, maxSlippageBps), int(maxSlippageBps, maxSlippageBps + 40)),
    limits: mostly<Limits | null>(6, fc.constant(null), limits),
  });
}
