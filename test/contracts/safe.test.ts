/** Owners that are contracts, with the wallet that most of them are: a Safe 1.4.1, its published bytecode. */
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { expect } from "chai";
import { type Signer, TypedDataEncoder } from "ethers";
import { TRADE_INTENT_TYPES } from "../../attestor/certificate/certificate.ts";
import type { TradeIntentStruct } from "../../types/contracts/contracts/TradeGuard.ts";
import { deploySafes, type Safe } from "../support/contracts/safe.ts";
import {
  certifiedTrade,
  domainOf,
  execute,
  executeArgs,
  signIntent,
  type Trade,
} from "../support/contracts/trades.ts";
import { createWorld, type World } from "../support/contracts/world.ts";

const UNIT = 10n ** 18n;
const AMOUNT = 1000n * UNIT;

const SAFES: [string, number, number][] = [
  ["a Safe with one owner", 1, 1],
  ["a Safe of two of three owners", 2, 3],
];

for (const [name, threshold, ownerCount] of SAFES)
  describe(name, () => {
    let world: World;
    let safe: Safe;
    let owners: Signer[];
    /** As many as have to sign. */
    let signers: Signer[];
    let nonce = 0n;

    before(async () => {
      world = await createWorld();
      const accounts = await world.ethers.getSigners();
      owners = accounts.slice(10, 10 + ownerCount);
      // Not the first ones: any of them count.
      signers = owners.slice(ownerCount - threshold);
      safe = await (await deploySafes(world))(owners, threshold);
      await world.dollar.mint(safe.address, 100n * AMOUNT);
    });

    const tradeOfSafe = (changes: Partial<TradeIntentStruct> = {}): Promise<Trade> =>
      certifiedTrade(world, "v2", {
        owner: safe.address,
        recipient: safe.address,
        amountIn: AMOUNT,
        nonce: nonce++,
        ...changes,
      });
    const approval = async (amount = AMOUNT) => ({
      to: await world.dollar.getAddress(),
      data: world.dollar.interface.encodeFunctionData("approve", [await world.guard.getAddress(), amount]),
    });
    const execution = async (trade: Trade) => ({
      to: await world.guard.getAddress(),
      data: world.guard.interface.encodeFunctionData("execute", [...executeArgs(trade)]),
    });
    const digestOf = async ({ intent }: Trade) =>
      TypedDataEncoder.hash(await domainOf(world), TRADE_INTENT_TYPES, intent as Record<string, any>);
    const relaySigned = (trade: Trade, signature: string) => execute(world, world.relayer, trade, signature);

    /** The Safe has sold the amount, for more than nothing, and the guard may take no more of it. */
    async function expectTraded(trading: () => Promise<unknown>): Promise<void> {
      const { dollar, stock, guard } = world;
      const before = [await dollar.balanceOf(safe.address), await stock.balanceOf(safe.address)] as const;
      await trading();
      expect(before[0] - (await dollar.balanceOf(safe.address))).to.equal(AMOUNT);
      expect((await stock.balanceOf(safe.address)) > before[1]).to.equal(true);
      expect(await dollar.allowance(safe.address, guard)).to.equal(0n);
    }

    it("signs as ERC-1271 asks, over the Safe message of the intent's digest, and a relayer trades for it", async () => {
      await safe.send(await approval(), signers);
      const trade = await tradeOfSafe();
      const signature = await safe.signMessage(await digestOf(trade), signers);
      expect((signature.length - 2) / 2).to.equal(65 * threshold);
      await expectTraded(() => relaySigned(trade, signature));
    });

    it("sends execute itself", async () => {
      await safe.send(await approval(), signers);
      await expectTraded(async () => safe.send(await execution(await tradeOfSafe()), signers));
    });

    it("approves and executes in one transaction, by MultiSend, with nothing approved before", async () => {
      expect(await world.dollar.allowance(safe.address, world.guard)).to.equal(0n);
      await expectTraded(async () =>
        safe.sendAll([await approval(), await execution(await tradeOfSafe())], signers),
      );
    });

    it("has approved nothing where the guard refuses the trade of such a transaction", async () => {
      const late = await tradeOfSafe({ deadline: 1n });
      const refused = await safe.sendAll([await approval(), await execution(late)], signers).then(
        () => false,
        () => true,
      );
      expect(refused).to.equal(true);
      expect(await world.dollar.allowance(safe.address, world.guard)).to.equal(0n);
    });

    it("is not traded for with signatures of fewer owners, in another order, of strangers, over another intent, or over the intent itself", async () => {
      await safe.send(await approval(), signers);
      const trade = await tradeOfSafe();
      const digest = await digestOf(trade);
      const whole = await safe.signMessage(digest, signers);
      const signatures = [
        await safe.signMessage(digest, [...signers.slice(1), world.stranger]),
        await safe.signMessage(await digestOf(await tradeOfSafe()), signers),
        await signIntent(world, signers[0]!, trade.intent),
      ];
      if (threshold > 1) {
        const descending = `0x${whole.slice(132)}${whole.slice(2, 132)}`;
        signatures.push(descending, await safe.signMessage(digest, signers.slice(1)));
      }
      for (const signature of signatures)
        await expect(relaySigned(trade, signature))
          .to.be.revertedWithCustomError(world.guard, "OwnerSignatureInvalid")
          .withArgs(safe.address);
      await expectTraded(() => relaySigned(trade, whole));
    });

    it("is not traded for by one of its owners, who is not the Safe", async () => {
      await expect(execute(world, signers[0]!, await tradeOfSafe()))
        .to.be.revertedWithCustomError(world.guard, "NotOwner")
        .withArgs(await signers[0]!.getAddress(), safe.address);
    });
  });

describe("what docs/guard/calls.md says of Safes", () => {
  it("names the message type and the version that this test holds", () => {
    const { version } = createRequire(import.meta.url)("@safe-global/safe-contracts/package.json");
    const guide = readFileSync(join(import.meta.dirname, "../../docs/guard/calls.md"), "utf8");
    expect(guide).to.include(`Safe ${version}`).and.to.include("`SafeMessage(bytes message)`");
  });
});
