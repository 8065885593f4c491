/** The chain's node and the facilitator in trouble. */
import { cut, frozen, killed } from "./edges.ts";
import { HOLD_MS, type WholeFault } from "./fault.ts";

const alone = { isSurvived: false } as const;

export const OUTSIDE: readonly WholeFault[] = [
  killed("The chain's node is killed", ({ chain }) => chain, false, alone),
  frozen("The chain's node is frozen", ({ chain }) => chain, false, alone),
  cut("The way to the chain's node swallows packets", "chain", false, alone),
  {
    ...alone,
    name: "The facilitator settles and never answers",
    isShort: false,
    holdMs: HOLD_MS,
    begin: async ({ shape }) => {
      shape.facilitator.settleFault = "settle-then-hang";
    },
    end: async ({ shape }) => {
      shape.facilitator.settleFault = null;
    },
  },
];
