/** The look at what is configured, at the start of a service that sells. */
import { expect } from "chai";
import { JsonRpcProvider } from "ethers";
import { createChainReader } from "../../../api/payments/chainReader.ts";
import { checkOffers } from "../../../api/payments/checkOffers.ts";
import type { FacilitatorClient } from "../../../api/payments/facilitator.ts";
import { EXACT_PERMIT2_PROXY, PERMIT2 } from "../../../api/payments/permit2Contracts.ts";
import { type Offer, offersOf } from "../../../api/settings/paymentOptions.ts";
import { createLocalFacilitator, localOptions } from "../../../devnet/facilitator.ts";
import { sharedTestWorld } from "../../support/world.ts";

describe("the offers", () => {
  const world = sharedTestWorld();
  let offers: Offer[];
  let facilitator: FacilitatorClient;
  before(() => {
    const { provider, deployment, accounts } = world;
    offers = offersOf(localOptions(deployment), accounts.payee.address, []);
    const { privateKey } = accounts.facilitator;
    facilitator = createLocalFacilitator({ provider, privateKey, chainId: deployment.chainId });
  });

  async function warnings(given: readonly Offer[], client = facilitator): Promise<string[]> {
    const told: string[] = [];
    const reader = createChainReader({ provider: world.provider, chainId: 31337, confirmations: 1 });
    const tell = (_details: unknown, message: string) => told.push(message);
    await checkOffers(given, client, () => reader, tell);
    return told;
  }

  it("that are right are passed over in silence", async () => {
    expect(await warnings(offers)).to.deep.equal([]);
  });

  it("in a token that is not what they claim are warned of, by either method", async () => {
    const [dollar, second] = offers as [Offer, Offer];
    const asset = world.deployment.guard;
    expect(await warnings([{ ...dollar, asset }])).to.deep.equal(["there is no token at this address"]);
    // The other dollar has no EIP-3009, and this one no permits.
    expect(await warnings([{ ...second, transferMethod: "eip3009" }])).to.deep.equal([
      "the token does not answer about authorizations (EIP-3009)",
    ]);
    expect(await warnings([{ ...dollar, transferMethod: "permit2" }])).to.deep.equal([
      "the token has no EIP-2612 permits; leave out name and version",
    ]);
    const { name: _, version: __, ...plain } = dollar;
    expect(await warnings([{ ...plain, transferMethod: "permit2" }])).to.deep.equal([]);
    for (const offer of [dollar, second])
      for (const changes of [{ name: "Another Dollar" }, { version: "2" }])
        expect(await warnings([{ ...offer, ...changes }])).to.deep.equal([
          "the token's EIP-712 domain has another name or version",
        ]);
  });

  it("by Permit2 on a chain without it, or without x402's proxy, are warned of", async () => {
    const missing = new Set([PERMIT2, EXACT_PERMIT2_PROXY].map((address) => address.toLowerCase()));
    const node = new JsonRpcProvider(world.url, undefined, { batchMaxCount: 1, cacheTimeout: -1 });
    const { send } = node;
    node.send = async (method, params) =>
      method === "eth_call" && missing.has((params as [{ to: string }])[0].to.toLowerCase())
        ? "0x"
        : send.call(node, method, params);
    const reader = createChainReader({ provider: node, chainId: 31337, confirmations: 1 });
    expect(await reader.faultsOf(offers[1] as Offer)).to.deep.equal([
      "Permit2 is not on this chain",
      "x402's proxy for exact Permit2 payments is not on this chain",
    ]);
    expect(await reader.faultsOf(offers[0] as Offer)).to.deep.equal([]);
    node.destroy();
  });

  it("whose permits the facilitator does not hand in are warned of", async () => {
    const kinds = [{ x402Version: 2, scheme: "exact", network: "eip155:31337" as const }];
    const other = { ...facilitator, getSupported: async () => ({ kinds, extensions: [], signers: {} }) };
    expect(await warnings(offers, other)).to.deep.equal([
      "the facilitator does not say that it hands in EIP-2612 permits",
    ]);
  });

  it("on a network that the facilitator does not know are warned of, and so is a facilitator that is away", async () => {
    const other = { ...facilitator, getSupported: async () => ({ kinds: [], extensions: [], signers: {} }) };
    expect(await warnings(offers.slice(0, 1), other)).to.deep.equal([
      "the facilitator does not settle on this network",
    ]);
    const away = { ...facilitator, getSupported: () => Promise.reject(new Error("secret words")) };
    expect(await warnings(offers, away)).to.deep.equal([
      "the facilitator does not say what it supports; buyers may have to wait",
    ]);
  });
});
