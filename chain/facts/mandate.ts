/** What the chain says of the mandate that an agent trades within, at a block. */
import { Interface } from "ethers";
import type { ChainFacts } from "../../attestor/evidence/facts.ts";
import type { MandateName } from "../../attestor/intent.ts";
import { hoursToRead, type MandateFacts, spentWithinDay } from "../../attestor/mandates/mandate.ts";
import { mandateOf } from "../../attestor/mandates/reads.ts";
import { MandateModule__factory } from "../../types/contracts/factories/contracts/MandateModule__factory.ts";
import type { Caller } from "../blockReads.ts";
import { UpstreamUnavailable } from "../chainErrors.ts";
import { orNull, upstream } from "../rpc.ts";
import VIEWS from "../views.json" with { type: "json" };

const MODULE = MandateModule__factory.createInterface();
const OTHERS = new Interface(VIEWS.mandate);

export interface MandateReading {
  /** Reads at the block that is meant. */
  readonly caller: Caller;
  readonly module: string;
  readonly guard: string;
  /** Tokens of the trade, EIP-55. */
  readonly settlementToken: string;
  readonly inputToken: string;
  readonly chain: Pick<ChainFacts, "blockTimestamp">;
}

/** @throws UpstreamUnavailable when the node does not answer, or has no module or no token there */
export async function readMandate(
  reading: MandateReading,
  { safe, agent }: MandateName,
): Promise<MandateFacts> {
  const { caller, module, settlementToken, chain } = reading;
  const ask = asking(caller);
  const { read, ...call } = mandateOf(module, safe, agent);
  const state = await upstream("mandate", () =>
    orNull(() =>
      Promise.all([
        caller.call(call),
        ask(MODULE, module, "windowOf", [safe, agent, settlementToken]),
        readAllowance(reading, safe),
        // What is no Safe has enabled no module.
        orNull(() => ask(OTHERS, safe, "isModuleEnabled", [module])),
      ]),
    ),
  );
  if (state === null) throw new UpstreamUnavailable(`The chain has no module of mandates at ${module}.`);
  const [granted, [spent, first], allowance, enabled] = state;
  const firstHour = Number(first);
  const hours = Array.from({ length: hoursToRead({ firstHour }, chain.blockTimestamp) }, (_, index) =>
    ask(MODULE, module, "spentInHour", [safe, agent, settlementToken, firstHour + index]),
  );
  const past = (await upstream("mandate", () => Promise.all(hours))).map(([amount]) => String(amount));
  const window = { spent: String(spent), firstHour, past };
  const counted = spentWithinDay(window, chain.blockTimestamp);
  if (counted.startsWith("-"))
    throw new UpstreamUnavailable("The chain's RPC says that an agent spent more by hours than in all.");
  return {
    module,
    enabled: enabled?.[0] === true,
    granted: await upstream("mandate", async () => read(granted)),
    window,
    spentWithinDay: counted,
    allowance,
  };
}

/** What a Safe lets the guard take of the input token, raw units. */
export async function readAllowance(
  { caller, inputToken, guard }: Pick<MandateReading, "caller" | "inputToken" | "guard">,
  safe: string,
): Promise<string> {
  const [allowance] = await asking(caller)(OTHERS, inputToken, "allowance", [safe, guard]);
  return String(allowance);
}

const asking = (caller: Caller) => async (abi: Interface, to: string, name: string, args: unknown[]) =>
  abi.decodeFunctionResult(name, await caller.call({ to, data: abi.encodeFunctionData(name, args) }));
