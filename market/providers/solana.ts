/** A Solana node: what mints of Token-2022 say of themselves. */
import { z } from "zod";
import { factorAt } from "../../attestor/shares.ts";
import { chunksOf } from "../series/hours.ts";
import { ProviderFault } from "./fault.ts";
import { MINUTE_MS, provider } from "./provider.ts";
import { type Batch, type Rejected, rawHashOf, readable, whyOf } from "./records.ts";
import { PositiveDecimal, UnixSeconds } from "./values.ts";

const NAME = "solana";
const MINTS_PER_REQUEST = 100;
const TOKEN_2022 = "TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb";

export interface SolanaMint {
  readonly mint: string;
  /** Shares of a whole raw token, decimal text: the one that counts when the answer came. */
  readonly multiplier: string;
  /** The multiplier from before the last change that was announced, and that change. */
  readonly schedule: { readonly current: string; readonly next: string; readonly effectiveAt: number };
  /** keccak256 of the answer, which names other mints, too. */
  readonly rawHash: string;
  /** Whether nobody can transfer it; null where the mint cannot be paused. */
  readonly isPaused: boolean | null;
}

const Accounts = z.looseObject({ result: z.looseObject({ value: z.array(z.unknown()) }) });
const Extensions = z.array(z.looseObject({ extension: z.string(), state: z.unknown().optional() }));
const mintSchema = (decimals: number) =>
  z.looseObject({
    owner: z.literal(TOKEN_2022),
    data: z.looseObject({
      parsed: z.looseObject({
        type: z.literal("mint"),
        info: z.looseObject({ decimals: z.literal(decimals), extensions: Extensions }),
      }),
    }),
  });
const States = z.looseObject({
  scaledUiAmountConfig: z.looseObject({
    multiplier: PositiveDecimal,
    newMultiplier: PositiveDecimal,
    newMultiplierEffectiveTimestamp: UnixSeconds,
  }),
  pausableConfig: z.looseObject({ paused: z.boolean() }).optional(),
});

export const SOLANA = provider({
  name: NAME,
  setting: "SOLANA_RPC",
  baseUrl: "https://api.mainnet-beta.solana.com",
  // The public node allows 40 in ten seconds of one method; mints take one in a round.
  rate: { requests: 60, perMs: MINUTE_MS },
  open: (upstream) => ({
    /**
     * Scaled mints as they stand. One without an account is `missing` in `rejected`; one of another program, with other
     * decimals or without a multiplier has the wrong shape.
     * @throws ProviderFault
     */
    async mints(asked: readonly { mint: string; decimals: number }[]): Promise<Batch<SolanaMint>> {
      const rows: SolanaMint[] = [];
      const rejected: Rejected[] = [];
      for (const chunk of chunksOf(asked, MINTS_PER_REQUEST)) {
        const params = [chunk.map(({ mint }) => mint), { encoding: "jsonParsed" }];
        const question = { jsonrpc: "2.0", id: 1, method: "getMultipleAccounts", params };
        const answer = await upstream.postJson("", question, Accounts);
        const { value } = answer.data.result;
        // Accounts come in the order of the question.
        if (value.length !== chunk.length)
          throw new ProviderFault(NAME, "shape", { field: "result.value", rawHash: rawHashOf(answer) });
        const received = { receivedAt: answer.receivedAt, rawHash: rawHashOf(answer) };
        chunk.forEach(({ mint, decimals }, index) => {
          const row = mintIn(mint, decimals, value[index], received);
          if ("reason" in row) rejected.push(row);
          else rows.push(row);
        });
      }
      // Mints without an account are an answer.
      const isRead = rejected.every(({ reason }) => reason === "missing");
      return isRead ? { rows, rejected } : readable(NAME, { rows, rejected });
    },
  }),
  tryOut: (api) => api.mints([{ mint: "XsDoVfqeBukxuZHWhdvWHBhgEHjGNst4MLodqsJHzoB", decimals: 8 }]),
});

function mintIn(
  mint: string,
  decimals: number,
  account: unknown,
  { receivedAt, rawHash }: { readonly receivedAt: number; readonly rawHash: string },
): SolanaMint | Rejected {
  if (account === null) return { key: mint, reason: "missing" };
  const parsed = mintSchema(decimals).safeParse(account);
  if (!parsed.success) return { key: mint, ...whyOf(parsed.error) };
  const { extensions } = parsed.data.data.parsed.info;
  const states = States.safeParse(
    Object.fromEntries(extensions.map(({ extension, state }) => [extension, state])),
  );
  if (!states.success) return { key: mint, ...whyOf(states.error) };
  const { multiplier: current, newMultiplier: next, ...more } = states.data.scaledUiAmountConfig;
  const schedule = { current, next, effectiveAt: more.newMultiplierEffectiveTimestamp };
  const isPaused = states.data.pausableConfig?.paused ?? null;
  return { mint, multiplier: factorAt(schedule, receivedAt), schedule, rawHash, isPaused };
}
