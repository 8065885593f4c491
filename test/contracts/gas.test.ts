import { expect } from "chai";
import { certifiedTrade, routeCallData, signIntent } from "../support/contracts/trades.ts";
import { createWorld, type World } from "../support/contracts/world.ts";

const AMOUNT = 1_000n * 10n ** 18n;

/** Gas above a direct swap on the same pool. Raise a ceiling only for a protection that is worth it. */
const CEILINGS = { ownerWarm: 55_500n, ownerFresh: 72_600n, relayedWarm: 60_500n, relayedFresh: 77_600n };

describe("what the guard costs above a direct swap", () => {
  let world: World;
  let nonce = 0n;

  before(async () => {
    world = await createWorld();
    // The units that keep the executor's balances away from zero, and pools that have traded.
    await world.dollar.mint(world.executor, 1n);
    await world.stock.mint(world.executor, 1n);
    for (const kind of ["v2", "v3"] as const) await direct(kind);
    await guarded("v2", 0n, false);
  });

  async function direct(kind: "v2" | "v3"): Promise<bigint> {
    const to = await (kind === "v2" ? world.v2Router : world.v3Router).getAddress();
    const data = await routeCallData(world, kind, AMOUNT, await world.owner.getAddress());
    return (await (await world.owner.sendTransaction({ to, data })).wait())!.gasUsed;
  }

  async function guarded(kind: "v2" | "v3", tradeNonce: bigint, relayed: boolean): Promise<bigint> {
    const trade = await certifiedTrade(world, kind, { nonce: tradeNonce });
    const { intent, certificate, certificateSignature, routeCallData: data } = trade;
    const sent = relayed
      ? world.guard
          .connect(world.relayer)
          .executeFor(
            intent,
            certificate,
            certificateSignature,
            await signIntent(world, world.owner, intent),
            data,
          )
      : world.guard.connect(world.owner).execute(intent, certificate, certificateSignature, data);
    return (await (await sent).wait())!.gasUsed;
  }

  for (const kind of ["v2", "v3"] as const) {
    it(`${kind}: stays below its ceilings`, async () => {
      nonce += 4n;
      const base = await direct(kind);
      const overhead = {
        ownerWarm: (await guarded(kind, nonce, false)) - base,
        ownerFresh: (await guarded(kind, nonce << 8n, false)) - base,
        relayedWarm: (await guarded(kind, nonce + 1n, true)) - base,
        relayedFresh: (await guarded(kind, (nonce + 1n) << 8n, true)) - base,
      };
      for (const [name, ceiling] of Object.entries(CEILINGS)) {
        const gas = overhead[name as keyof typeof overhead];
        expect(gas <= ceiling, `${name}: ${gas} over the direct swap's ${base}, ceiling ${ceiling}`).to.equal(
          true,
        );
      }
    });
  }
});
