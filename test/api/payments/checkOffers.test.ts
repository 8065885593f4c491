/** The look at what is configured, at the start of a service that sells. */
import { expect } from "chai";
import { createChainReader } from "../../../api/payments/chainReader.ts";
import { checkOffers } from "../../../api/payments/checkOffers.ts";
import type { FacilitatorClient } from "../../../api/payments/facilitator.ts";
import { type Offer, offersOf } from "../../../api/settings/paymentOptions.ts";
import { createLocalFacilitator, localOptions } from "../../../devnet/facilitator.ts";
import { sharedWorld, type TestWorld } from "../../support/world.ts";

describe("the offers", () => {
  let world: TestWorld;
  let offers: Offer[];
  let facilitator: FacilitatorClient;
  before(async () => {
    world = await sharedWorld();
    offers = offersOf(localOptions(world.deployment), world.accounts.payee.address, []);
    facilitator = createLocalFacilitator({
      provider: world.provider,
      privateKey: world.accounts.facilitator.privateKey,
      chainId: world.deployment.chainId,
    });
  });

  async function warnings(given: readonly Offer[], client = facilitator): Promise<string[]> {
    const told: string[] = [];
    const reader = createChainReader({ provider: world.provider, chainId: 31337, confirmations: 1 });
    await checkOffers(
      given,
      client,
      () => reader,
      (_details, message) => told.push(message),
    );
    return told;
  }

  it("that are right are passed over in silence", async () => {
    expect(await warnings(offers)).to.deep.equal([]);
  });

  it("in a token without authorizations are warned of", async () => {
    const asset = world.deployment.guard;
    expect(await warnings([{ ...(offers[0] as Offer), asset }])).to.deep.equal([
      "the token does not answer about authorizations (EIP-3009)",
    ]);
  });

  it("on a network that the facilitator does not know are warned of, and so is a facilitator that is away", async () => {
    const other = { ...facilitator, getSupported: async () => ({ kinds: [], extensions: [], signers: {} }) };
    expect(await warnings(offers, other)).to.deep.equal(["the facilitator does not settle on this network"]);
    const away = { ...facilitator, getSupported: () => Promise.reject(new Error("secret words")) };
    expect(await warnings(offers, away)).to.deep.equal([
      "the facilitator does not say what it supports; buyers may have to wait",
    ]);
  });
});
