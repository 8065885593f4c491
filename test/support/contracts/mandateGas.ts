import { Interface, id, Wallet, ZeroHash } from "ethers";
import type { MandateModule } from "../../../types/contracts/contracts/MandateModule.ts";
import { MandateModule__factory } from "../../../types/contracts/factories/contracts/MandateModule__factory.ts";
import { deploySafes } from "./safe.ts";
import { certifiedTrade, routeCallData } from "./trades.ts";
import type { World } from "./world.ts";

const AMOUNT = 1_000n * 10n ** 18n;
const SAFE = new Interface(["function enableModule(address)"]);

/** What the commands make is a SafeL2, which tells more. The stock that is traded is the last of the list. */
export const MANDATES = [
  { safe: "SafeL2", stocks: 1 },
  { safe: "SafeL2", stocks: 10 },
  { safe: "SafeL2", stocks: 64 },
  { safe: "Safe", stocks: 1 },
] as const;
type Kind = (typeof MANDATES)[number];

/**
 * The first is the first of the agent and of the Safe's nonces too. The last comes 25 hours after the first, so that
 * an hour falls out of the window.
 */
export const MANDATE_TRADES = ["buy, first", "buy, later", "sell, later", "buy, next day"] as const;

export const nameOfMandate = ({ safe, stocks }: Kind, trade: (typeof MANDATE_TRADES)[number]): string =>
  `v2, ${safe}, mandate of ${stocks} ${stocks === 1 ? "stock" : "stocks"}, ${trade}, in total`;

/** Gas of an agent's transactions, in which the Safe approves, trades and takes the approval back. */
export async function measureMandates(world: World): Promise<Record<string, number>> {
  const module = await new MandateModule__factory(world.admin).deploy(world.guard);
  const measured: Record<string, number> = {};
  for (const kind of MANDATES) {
    const trade = await agentOf(world, module, kind);
    for (const [index, name] of MANDATE_TRADES.entries())
      measured[nameOfMandate(kind, name)] = Number(await trade(name, BigInt(index)));
  }
  return measured;
}

/** A new Safe with a mandate. @returns trades for it, with a nonce */
async function agentOf(world: World, module: MandateModule, { safe: version, stocks }: Kind) {
  const { dollar, stock, owner, stranger, v2Router } = world;
  const [dollars, shares] = [await dollar.getAddress(), await stock.getAddress()];
  const safe = await (await deploySafes(world, version))([owner], 1);
  for (const token of [dollar, stock]) await token.mint(safe.address, 10n * AMOUNT);
  const mandate = {
    settlementToken: dollars,
    expiresAt: 2n ** 63n,
    revoker: await world.recipient.getAddress(),
    perTrade: 2n * AMOUNT,
    perDay: 10n * AMOUNT,
    budget: 100n * AMOUNT,
    stocks: Array.from({ length: stocks }, (_, index) => ({
      token: index === stocks - 1 ? shares : Wallet.createRandom().address,
      sellable: 10n * AMOUNT,
    })),
    // The second is that of the intents.
    policies: [ZeroHash, id("policy")],
  };
  const enable = SAFE.encodeFunctionData("enableModule", [await module.getAddress()]);
  await (await safe.send({ to: safe.address, data: enable }, [owner])).wait();
  const grant = module.interface.encodeFunctionData("grant", [await stranger.getAddress(), mandate]);
  await (await safe.send({ to: await module.getAddress(), data: grant }, [owner])).wait();

  return async (name: (typeof MANDATE_TRADES)[number], nonce: bigint): Promise<bigint> => {
    if (/first|next/.test(name)) await atTheNextHour(world, name === "buy, first" ? 1 : 25);
    const path = name.startsWith("buy") ? [dollars, shares] : [shares, dollars];
    const quoted: bigint[] = await v2Router.getFunction("getAmountsOut")(AMOUNT, path);
    const minAmountOut = (quoted[1]! * 9_950n) / 10_000n;
    const callData = await routeCallData(world, "v2", AMOUNT, world.executor, minAmountOut, path);
    const trade = await certifiedTrade(world, "v2", {
      owner: safe.address,
      recipient: safe.address,
      inputToken: path[0]!,
      outputToken: path[1]!,
      minAmountOut,
      nonce,
      callData,
    });
    const sent = await module
      .connect(stranger)
      .trade(trade.intent, trade.certificate, trade.certificateSignature, trade.routeCallData);
    return (await sent.wait())!.gasUsed;
  };
}

/** Keeps the trades of a kind within one hour. */
async function atTheNextHour({ provider, ethers }: World, hours: number): Promise<void> {
  const now = (await ethers.provider.getBlock("latest"))!.timestamp;
  const next = (Math.floor(now / 3600) + hours) * 3600;
  await provider.request({ method: "evm_increaseTime", params: [next - now] });
  await provider.request({ method: "evm_mine", params: [] });
}
