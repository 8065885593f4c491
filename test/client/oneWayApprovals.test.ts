/** Trades of tokens that refuse to change one allowance into another, as Tether on Ethereum does. */
import { expect } from "chai";
import { type AskedTrade, createClient, walletAt } from "../../client/client.ts";
import { OneWayDollar__factory } from "../../types/contracts/factories/test/support/contracts/tokens/OneWayApprovals.sol/OneWayDollar__factory.ts";
import { OneWayStock__factory } from "../../types/contracts/factories/test/support/contracts/tokens/OneWayApprovals.sol/OneWayStock__factory.ts";
import { tokenOf } from "../support/dollars.ts";
import { failureOf } from "../support/failure.ts";
import { testService, walletOf } from "../support/service.ts";
import { testWorld } from "../support/world.ts";

describe("A token that refuses to change one allowance into another", () => {
  const world = testWorld();
  const service = testService(world);
  const owner = () => walletOf(world, 3);

  before(async () => {
    const issuer = walletOf(world, 8);
    const deployed = {
      USDL: await new OneWayDollar__factory(issuer).deploy(issuer.address),
      AAPLx: await new OneWayStock__factory(issuer).deploy(issuer.address),
    };
    for (const symbol of ["USDL", "AAPLx"] as const) {
      const token = await deployed[symbol].waitForDeployment();
      const code = await world.provider.getCode(await token.getAddress());
      await world.chain.request("hardhat_setCode", [world.token(symbol), code]);
    }
  });

  for (const [what, symbol, bought, amountInRaw] of [
    ["pays for a stock", "USDL", "AAPLx", "250000000"],
    ["is sold", "AAPLx", "USDL", "900000000000000000"],
  ] as const)
    it(`${what} where a smaller allowance is left: the client takes it back first`, async () => {
      const { guard, chainId } = world.deployment;
      const token = tokenOf(world, symbol, owner());
      await (await token.getFunction("approve").send(guard, 1n)).wait();
      const refused = await failureOf(token.getFunction("approve").send(guard, 2n));
      expect(String(refused)).to.contain("take the allowance back first");

      const terms = {
        inputAssetKey: world.assetKey(symbol),
        outputAssetKey: world.assetKey(bought),
        amountInRaw,
      };
      const asked = service.verifyBody({ ownerAddress: owner().address, ...terms }) as unknown as AskedTrade;
      const client = createClient({ baseUrl: service.url, now: world.clock.now });
      const { confirmed } = await client.trade(asked, {
        wallet: walletAt(world.url),
        signer: world.accounts.attestation.address,
        guard: { chainId, address: guard },
      });
      expect(BigInt(confirmed.amountOutRaw) > 0n).to.equal(true);
      expect(await token.getFunction("allowance").staticCall(owner().address, guard)).to.equal(0n);
    });
});
