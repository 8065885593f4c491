/**
 * What the executor allows others to take of its tokens. Between trades that should be nothing. A hostile admin can have
 * made it approve an accomplice and put everything else right again; the guard's views do not show that, the tokens'
 * events do. The events say what to ask, the tokens' own answers decide.
 */
import { Contract, getAddress, id, type JsonRpcProvider, type Log, zeroPadValue } from "ethers";
import { z } from "zod";
import { Address } from "../../attestor/values/primitives.ts";
import { logPages } from "../logs.ts";
import { orNull, upstream } from "../rpc.ts";

const APPROVAL = id("Approval(address,address,uint256)");
const TOKEN_ABI = ["function allowance(address owner, address spender) view returns (uint256)"];

const Approval = z.strictObject({ token: Address, spender: Address });
/** A token that the executor once approved somebody for, and whom. */
export type Approval = z.infer<typeof Approval>;

/** What Approval events of the executor named up to a block. */
export const SeenApprovals = z.strictObject({
  executor: Address,
  /** Every event up to this block, inclusive, is in the list below. */
  upToBlock: z.int().min(0),
  approvals: z.array(Approval),
});
export type SeenApprovals = z.infer<typeof SeenApprovals>;

export interface Allowance extends Approval {
  /** Raw units of the token. */
  readonly units: bigint;
}

/**
 * Goes on collecting after `seen.upToBlock`.
 * @param toBlock inclusive
 * @param onPage told how far it got, for people who wait
 * @throws UpstreamUnavailable when the node gives no logs even for a single block
 */
export async function collectApprovals(
  provider: JsonRpcProvider,
  seen: SeenApprovals,
  toBlock: number,
  onPage: (block: number) => void = () => {},
): Promise<SeenApprovals> {
  const found = new Map(seen.approvals.map((approval) => [nameOf(approval), approval]));
  // Of any token: nobody can know beforehand which one a thief would choose.
  const filter = { topics: [APPROVAL, zeroPadValue(seen.executor, 32)] };
  const range = [seen.upToBlock + 1, toBlock] as const;
  for await (const page of logPages(provider, filter, range, "approvals of the executor")) {
    for (const log of page.logs.filter(isOfUnits)) {
      const approval = { token: getAddress(log.address), spender: spenderOf(log) };
      found.set(nameOf(approval), approval);
    }
    onPage(page.upToBlock);
  }
  return { ...seen, upToBlock: Math.max(seen.upToBlock, toBlock), approvals: [...found.values()] };
}

/**
 * Of these, those that still allow anything at a block. What answers no number is no token.
 * @throws UpstreamUnavailable
 */
export async function standingAllowances(
  provider: JsonRpcProvider,
  { executor, approvals }: SeenApprovals,
  blockTag: number,
): Promise<Allowance[]> {
  const answers = await Promise.all(
    approvals.map(({ token, spender }) =>
      upstream("allowance of the executor", () =>
        orNull<bigint>(() =>
          new Contract(token, TOKEN_ABI, provider).getFunction("allowance")(executor, spender, { blockTag }),
        ),
      ),
    ),
  );
  return approvals
    .map((approval, index) => ({ ...approval, units: answers[index] ?? 0n }))
    .filter(({ units }) => units !== 0n);
}

/** Tokens of single things (ERC-721) tell approvals by the same name, with one topic more. */
function isOfUnits({ topics }: Log): boolean {
  return topics.length === 3;
}

function spenderOf({ topics }: Log): string {
  return getAddress(`0x${topics[2]!.slice(26)}`);
}

function nameOf({ token, spender }: Approval): string {
  return `${token} ${spender}`;
}
