/** Safes of a world's users that granted an agent a mandate. */
import type { Wallet } from "ethers";
import { newSafeOf, ownerCall, type PlainCall, safeGrant } from "../../attestor/mandates/calls.ts";
import type { Mandate } from "../../attestor/mandates/mandate.ts";
import { policyById } from "../../attestor/policies/policy.ts";
import { unixSeconds } from "../../devnet/clock.ts";
import { tokenOf } from "./dollars.ts";
import { walletOf } from "./service.ts";
import type { TestWorld } from "./world.ts";

const ZERO_ADDRESS = `0x${"0".repeat(40)}`;
/** 500 dollars a day of 2,000, 300 a trade, for Apple and Tesla; two Apple tokens can be sold. */
export function mandateFor(world: TestWorld, changes: Partial<Mandate> = {}): Mandate {
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
  /** What names the mandate in a request, with the Safe as the owner. */
  readonly body: { readonly ownerAddress: string; readonly mandate: { safe: string; agent: string } };
  /** Grants another mandate in its place. */
  grant(changes?: Partial<Mandate>): Promise<void>;
  /** The Safe makes a call, sent by its owner. */
  call(call: PlainCall): Promise<void>;
}

/** A Safe of user 0 for user 1, made and granted by one transaction, with 5,000 dollars and 5 Apple tokens. */
export async function mandatedSafe(
  world: TestWorld,
  changes: Partial<Mandate> = {},
  agent: Wallet = walletOf(world, 1),
): Promise<MandatedSafe> {
  const owner = walletOf(world);
  const contracts = world.deployment.mandates;
  if (contracts === undefined) throw new Error("the local world has no module of mandates");
  const mandate = mandateFor(world, changes);
  // Another one each time, and the same in every run of the same steps.
  const saltNonce = String(await owner.getNonce());
  const made = { contracts, owners: [owner.address], threshold: 1, agent: agent.address, mandate, saltNonce };
  const { safe, call } = newSafeOf(made);
  await (await owner.sendTransaction(call)).wait();
  const amounts = { USDL: 5_000n * 10n ** 6n, AAPLx: 5n * 10n ** 18n };
  for (const [symbol, amount] of Object.entries(amounts))
    await (await tokenOf(world, symbol, owner).getFunction("transfer").send(safe, amount)).wait();
  const send = async (given: Parameters<typeof ownerCall>[2]) => {
    await (await owner.sendTransaction(ownerCall(safe, owner.address, given))).wait();
  };
  return {
    safe,
    owner,
    agent,
    body: { ownerAddress: safe, mandate: { safe, agent: agent.address } },
    grant: async (others = {}) => {
      const granted = mandateFor(world, others);
      await send(
        safeGrant(contracts.module, { safe, agent: agent.address, mandate: granted, enabled: true }),
      );
    },
    call: ({ to, data }) => send({ to, data, operation: 0 }),
  };
}

/** The agent sends the prepared trade to the module; resolves with the transaction's hash, also where it reverts. */
export async function sendMandateCall(agent: Wallet, { mandateCall }: any): Promise<string> {
  const { to, data } = mandateCall;
  const sent = await agent.sendTransaction({ to, data, gasLimit: 1_500_000 });
  await agent.provider!.waitForTransaction(sent.hash).catch(() => null);
  return sent.hash;
}

/** The finding of the mandate's check. */
export const mandateFinding = (report: any) => report.findings.find(({ check }: any) => check === "mandate");
