/** The wallet of the local world: its node signs for the accounts. What the agent reads of the chain, it reads there. */
import { GUARD_ABI } from "../../chain/abis.ts";
import { describeRevert } from "../../chain/guard/events.ts";
import type { TradeCall, WalletProvider } from "../../client/client.ts";
import { CommandError } from "../errors.ts";

/** The guard's or the module's own words for why it refuses a call. */
export class Refused extends Error {}

/**
 * Tried on the node first, so that a refusal costs nothing and has a name.
 * @returns the transaction's hash
 * @throws Refused
 */
export async function sendFrom(
  wallet: WalletProvider,
  from: string,
  { to, data }: TradeCall,
): Promise<string> {
  try {
    await wallet.request({ method: "eth_call", params: [{ from, to, data }, "latest"] });
  } catch (error) {
    const { data: reason } = error as { data?: unknown };
    if (typeof reason !== "string") throw error;
    throw new Refused(describeRevert(reason));
  }
  return String(await wallet.request({ method: "eth_sendTransaction", params: [{ from, to, data }] }));
}

/** The key whose certificates the guard takes now. @throws CommandError `no_guard` */
export async function signerOfGuard(wallet: WalletProvider, guard: string): Promise<string> {
  const code = await wallet.request({ method: "eth_getCode", params: [guard, "latest"] });
  if (code === "0x")
    throw new CommandError(
      "no_guard",
      `There is no guard at ${guard}, which you named, on the chain of your node. Nothing was signed or sent.`,
    );
  const data = GUARD_ABI.encodeFunctionData("signer");
  const answer = await wallet.request({ method: "eth_call", params: [{ to: guard, data }, "latest"] });
  return String(GUARD_ABI.decodeFunctionResult("signer", String(answer))[0]);
}
