import type { ContractTransactionReceipt, TransactionReceipt } from "ethers";
import { certifiedTrade, routeCallData, signIntent } from "./trades.ts";
import { createWorld, type World } from "./world.ts";

export type Dex = "v2" | "v3";
export type Sender = "owner" | "relayer";
/** Whether the nonce is the first of its word of 256, which costs a fresh storage slot. */
export type NonceOf = "first" | "later";

export const AMOUNT = 1_000n * 10n ** 18n;

export interface Guarded {
  readonly dex: Dex;
  readonly sender: Sender;
  readonly nonceOf: NonceOf;
  /** Signatures of 64 bytes, as in ERC-2098, instead of 65. */
  readonly compact?: boolean;
}

export interface GasWorld {
  readonly world: World;
  direct(dex: Dex): Promise<TransactionReceipt>;
  guarded(trade: Guarded): Promise<TransactionReceipt>;
}

/** 64 bytes: r, and s with the parity of v in its highest bit. */
function compacted(world: World, signature: string, compact = false): string {
  return compact ? world.ethers.Signature.from(signature).compactSerialized : signature;
}

/**
 * Pools that have traded, an owner who has used a nonce, a unit of each token in the executor, so that its balances
 * do not go through zero.
 */
export async function createGasWorld(): Promise<GasWorld> {
  const world = await createWorld();
  let word = 0n;
  let bit = 0n;

  async function direct(dex: Dex): Promise<TransactionReceipt> {
    const to = await (dex === "v2" ? world.v2Router : world.v3Router).getAddress();
    const data = await routeCallData(world, dex, AMOUNT, await world.owner.getAddress());
    return (await (await world.owner.sendTransaction({ to, data })).wait())!;
  }

  async function guarded({ dex, sender, nonceOf, compact }: Guarded): Promise<ContractTransactionReceipt> {
    const nonce = nonceOf === "first" ? ++word << 8n : ++bit;
    const { intent, certificate, certificateSignature, routeCallData } = await certifiedTrade(world, dex, {
      nonce,
    });
    const certified = compacted(world, certificateSignature, compact);
    const sent =
      sender === "owner"
        ? world.guard.connect(world.owner).execute(intent, certificate, certified, routeCallData)
        : world.guard
            .connect(world.relayer)
            .executeFor(
              intent,
              certificate,
              certified,
              compacted(world, await signIntent(world, world.owner, intent), compact),
              routeCallData,
            );
    return (await (await sent).wait())!;
  }

  await world.dollar.mint(world.executor, 1n);
  await world.stock.mint(world.executor, 1n);
  for (const dex of ["v2", "v3"] as const) {
    await direct(dex);
    await guarded({ dex, sender: "owner", nonceOf: "later" });
  }
  return { world, direct, guarded };
}

/** Gas of the direct swaps, and of every kind of guarded trade above the direct swap, by a name that reads. */
export async function measureGas(gas: GasWorld): Promise<Record<string, number>> {
  const measured: Record<string, number> = {};
  for (const dex of ["v2", "v3"] as const) {
    const base = (await gas.direct(dex)).gasUsed;
    measured[`${dex}, direct`] = Number(base);
    for (const sender of ["owner", "relayer"] as const)
      for (const nonceOf of ["later", "first"] as const)
        measured[`${dex}, sent by the ${sender}, ${nonceOf} nonce of a word, above direct`] = Number(
          (await gas.guarded({ dex, sender, nonceOf })).gasUsed - base,
        );
  }
  return measured;
}
