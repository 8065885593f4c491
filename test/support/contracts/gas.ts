import { concat, Signature, type TransactionReceipt, type TransactionResponse } from "ethers";
import { packTrade } from "../../../attestor/certificate/packedTrade.ts";
import { certifiedTrade, routeCallData, signIntent, type Trade } from "./trades.ts";
import { createWorld, type World } from "./world.ts";

export type Dex = "v2" | "v3";
export type Sender = "owner" | "relayer";
/** Whether the nonce is the first of its word of 256, which costs a fresh storage slot. */
export type NonceOf = "first" | "later";

const AMOUNT = 1_000n * 10n ** 18n;

export interface Guarded {
  readonly dex: Dex;
  readonly sender: Sender;
  readonly nonceOf: NonceOf;
  /** By the packed entry points instead of the readable ones. */
  readonly packed?: boolean;
}

/** As the service draws them: 64 bits of a hash, and a counter of 32 bits. */
const NONCES = 0x9f3c_71d2_a4e8_56b1n << 32n;

export interface GasWorld {
  readonly world: World;
  direct(dex: Dex): Promise<TransactionReceipt>;
  guarded(trade: Guarded): Promise<TransactionReceipt>;
}

/**
 * Pools that have traded, an owner who has used a nonce, a unit of each token in the executor, so that its balances
 * do not go through zero.
 */
export async function createGasWorld(): Promise<GasWorld> {
  const world = await createWorld();
  let word = 0n;
  let bit = 0n;

  /** What the pool gives now, less half a per cent, as a trader would bound it. */
  async function minimumOf(dex: Dex): Promise<bigint> {
    const call = { ...(await directCall(dex, 0n)), from: await world.owner.getAddress() };
    const answer = await world.ethers.provider.call(call);
    // The last word is the output, of the list that one router answers and of the number that the other does.
    return (BigInt(`0x${answer.slice(-64)}`) * 9_950n) / 10_000n;
  }

  async function directCall(dex: Dex, minimum: bigint) {
    const to = await (dex === "v2" ? world.v2Router : world.v3Router).getAddress();
    return { to, data: await routeCallData(world, dex, AMOUNT, await world.owner.getAddress(), minimum) };
  }

  async function direct(dex: Dex): Promise<TransactionReceipt> {
    const call = await directCall(dex, await minimumOf(dex));
    return (await (await world.owner.sendTransaction(call)).wait())!;
  }

  async function guarded({ dex, sender, nonceOf, packed }: Guarded): Promise<TransactionReceipt> {
    const nonce = NONCES + (nonceOf === "first" ? ++word << 8n : ++bit);
    const minAmountOut = await minimumOf(dex);
    const callData = await routeCallData(world, dex, AMOUNT, world.executor, minAmountOut);
    const trade = await certifiedTrade(world, dex, { nonce, minAmountOut, callData });
    const sent = await (packed ? sendPacked(trade, sender) : sendReadable(trade, sender));
    return (await sent.wait())!;
  }

  async function sendReadable(trade: Trade, sender: Sender): Promise<TransactionResponse> {
    const { intent, certificate, certificateSignature, routeCallData } = trade;
    if (sender === "owner")
      return world.guard
        .connect(world.owner)
        .execute(intent, certificate, certificateSignature, routeCallData);
    const ownerSignature = await signIntent(world, world.owner, intent);
    return world.guard
      .connect(world.relayer)
      .executeFor(intent, certificate, certificateSignature, ownerSignature, routeCallData);
  }

  async function sendPacked(trade: Trade, sender: Sender): Promise<TransactionResponse> {
    const packed = packTrade(inText(trade))!;
    if (sender === "owner") return world.guard.connect(world.owner).executePacked(packed);
    const signature = Signature.from(await signIntent(world, world.owner, trade.intent)).compactSerialized;
    const relayed = concat([await world.owner.getAddress(), signature, packed]);
    return world.guard.connect(world.relayer).executeForPacked(relayed);
  }

  await world.dollar.mint(world.executor, 1n);
  await world.stock.mint(world.executor, 1n);
  for (const dex of ["v2", "v3"] as const) {
    await direct(dex);
    await guarded({ dex, sender: "owner", nonceOf: "later" });
  }
  return { world, direct, guarded };
}

/** The trade as the service states it: numbers are decimal text. */
function inText(trade: Trade): Parameters<typeof packTrade>[0] {
  const text = (members: object) =>
    Object.fromEntries(Object.entries(members).map(([name, value]) => [name, String(value)]));
  return {
    ...trade,
    intent: text(trade.intent),
    certificate: text(trade.certificate),
  } as unknown as Parameters<typeof packTrade>[0];
}

/** Of a kind of guarded trade, as the snapshot calls it. */
export function nameOf({ dex, sender, nonceOf, packed }: Guarded): string {
  return `${dex}, ${packed ? "packed, " : ""}sent by the ${sender}, ${nonceOf} nonce of a word, above direct`;
}

/** Gas of the direct swaps, and of every kind of guarded trade above the direct swap, by a name that reads. */
export async function measureGas(gas: GasWorld): Promise<Record<string, number>> {
  const measured: Record<string, number> = {};
  for (const dex of ["v2", "v3"] as const) {
    const base = (await gas.direct(dex)).gasUsed;
    measured[`${dex}, direct`] = Number(base);
    for (const sender of ["owner", "relayer"] as const)
      for (const packed of [false, true])
        for (const nonceOf of ["later", "first"] as const)
          measured[nameOf({ dex, sender, nonceOf, packed })] = Number(
            (await gas.guarded({ dex, sender, nonceOf, packed })).gasUsed - base,
          );
  }
  return measured;
}
