/** A Solana node: what mints of Token-2022 say of themselves. */
import { z } from "zod";
import { chunksOf } from "../series/hours.ts";
import type { Answer, ListingState, Rejected, ShareRatio } from "../statement.ts";
import { ProviderFault } from "./fault.ts";
import { withMissing } from "./listings.ts";
import { MINUTE_MS, provider } from "./provider.ts";
import { readable, whyOf } from "./rows.ts";
import { PositiveDecimal, UnixSeconds } from "./values.ts";

const NAME = "solana";
const MINTS_PER_REQUEST = 100;
const TOKEN_2022 = "TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb";

/** Serves a whole round. */
const LIST_MS = 240_000;

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
  open: (http) => ({
    /**
     * Of each scaled mint its multiplier with the last change that was announced, and whether nobody can transfer it. One
     * without an account is `missing` in `rejected`; one of another program, with other decimals or without a multiplier has
     * the wrong shape.
     * @throws ProviderFault
     */
    async mints(
      asked: readonly { mint: string; decimals: number }[],
    ): Promise<Answer<ShareRatio | ListingState>> {
      const statements: (ShareRatio | ListingState)[] = [];
      const rejected: Rejected[] = [];
      for (const chunk of chunksOf(asked, MINTS_PER_REQUEST)) {
        const params = [chunk.map(({ mint }) => mint), { encoding: "jsonParsed" }];
        const question = { jsonrpc: "2.0", id: 1, method: "getMultipleAccounts", params };
        const { data, rawHash } = await http.postJson("", question, Accounts);
        const { value } = data.result;
        // Accounts come in the order of the question.
        if (value.length !== chunk.length)
          throw new ProviderFault(NAME, "shape", { field: "result.value", rawHash });
        chunk.forEach(({ mint, decimals }, index) => {
          const read = mintIn(mint, decimals, value[index], rawHash);
          if ("reason" in read) rejected.push(read);
          else statements.push(...read);
        });
      }
      // Mints without an account are an answer.
      const isRead = rejected.every(({ reason }) => reason === "missing");
      return isRead ? { statements, rejected } : readable(NAME, { statements, rejected });
    },
  }),
  sources(solana, { tokens }) {
    const scaled = tokens.filter(({ shares }) => shares === "multiplier");
    const asked = scaled.map(({ address, decimals }) => ({ mint: address, decimals }));
    if (scaled.length === 0) return [];
    return [
      {
        asks: "list",
        name: NAME,
        of: ["ratio", "listing"],
        keepsMs: LIST_MS,
        ask: async () => withMissing(NAME, await solana.mints(asked), scaled, ({ address }) => address),
      },
    ];
  },
  tryOut: (solana) => solana.mints([{ mint: "XsDoVfqeBukxuZHWhdvWHBhgEHjGNst4MLodqsJHzoB", decimals: 8 }]),
});

function mintIn(
  mint: string,
  decimals: number,
  account: unknown,
  rawHash: string,
): [ShareRatio, ListingState] | Rejected {
  if (account === null) return { of: "ratio", subject: mint, reason: "missing" };
  const parsed = mintSchema(decimals).safeParse(account);
  if (!parsed.success) return { of: "ratio", subject: mint, ...whyOf(parsed.error) };
  const { extensions } = parsed.data.data.parsed.info;
  const states = States.safeParse(
    Object.fromEntries(extensions.map(({ extension, state }) => [extension, state])),
  );
  if (!states.success) return { of: "ratio", subject: mint, ...whyOf(states.error) };
  const { scaledUiAmountConfig: scaled, pausableConfig: pausable } = states.data;
  const change = {
    next: scaled.newMultiplier,
    effectiveAt: scaled.newMultiplierEffectiveTimestamp,
    reason: null,
  };
  const stated = { subject: mint, source: NAME, origin: NAME, at: null, rawHash };
  return [
    { ...stated, of: "ratio", figure: scaled.multiplier, change },
    // A mint that cannot be paused says nothing of a halt.
    { ...stated, of: "listing", figure: "listed", isHalted: pausable?.paused ?? null },
  ];
}
