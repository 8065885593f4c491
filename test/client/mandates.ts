/** Safes of a world's users that granted an agent a mandate. */
import type { Wallet } from "ethers";
import { policyById } from "../../attestor/policies/policy.ts";
import { mandateContracts } from "../../chain/mandateContracts.ts";
import { newSafeOf } from "../../chain/mandates/calls.ts";
import type { Mandate } from "../../chain/mandates/mandate.ts";
import { unixSeconds } from "../../devnet/clock.ts";
import { tokenOf } from "../support/dollars.ts";
import { walletOf } from "../support/service.ts";
import type { TestWorld } from "../support/world.ts";

const ZERO_ADDRESS = `0x${"0".repeat(40)}`;

/** 500 dollars a day of 2,000, 300 a trade, for Apple and Tesla; two Apple tokens can be sold. */
function mandateFor(world: TestWorld, changes: Partial<Mandate> = {}): Mandate {
  return {
    settlementToken: world.token("USDL"),
    expiresAt: unixSeconds(world.clock) + 30 * 86_400,
    revoker: ZERO_ADDRESS,
    perTrade: "300000000",
    perDay: "500000000",
    budget: "2000000000",
    stocks: [
      { token: world.token("AAPLx"), sellable: String(2n * 10n ** 18n) },
      { token: world.token("TSLAx"), sellable: "0" },
    ],
    policies: ["STRICT_LIVE", "LAST_CLOSE"].map((name) => policyById(name).definitionHash),
    ...changes,
  };
}

export interface MandatedSafe {
  readonly safe: string;
  readonly owner: Wallet;
  readonly agent: Wallet;
  /** The guard's module. */
  readonly module: string;
}

/** A Safe of user 0 for user 1, made and granted by one transaction, with 5,000 dollars and 5 Apple tokens. */
export async function mandatedSafe(
  world: TestWorld,
  changes: Partial<Mandate> = {},
  agent: Wallet = walletOf(world, 1),
): Promise<MandatedSafe> {
  const owner = walletOf(world);
  const { module, setup } = mandateContracts(world.deployment.guard);
  const mandate = mandateFor(world, changes);
  // Another one each time, and the same in every run of the same steps.
  const saltNonce = String(await owner.getNonce());
  const { safe, call } = newSafeOf({
    contracts: { module: module.address, setup: setup.address },
    owners: [owner.address],
    threshold: 1,
    agent: agent.address,
    mandate,
    saltNonce,
  });
  await (await owner.sendTransaction(call)).wait();
  const amounts = { USDL: 5_000n * 10n ** 6n, AAPLx: 5n * 10n ** 18n };
  for (const [symbol, amount] of Object.entries(amounts))
    await (await tokenOf(world, symbol, owner).getFunction("transfer").send(safe, amount)).wait();
  return { safe, owner, agent, module: module.address };
}
