/** The form of a mandate: from a link to its fields, and from its fields to a mandate. */
import * as z from "zod";
import { MandateName } from "../../attestor/intent.ts";
import { ZERO_ADDRESS } from "../../attestor/mandates/calls.ts";
import { Mandate } from "../../attestor/mandates/mandate.ts";
import { orElse } from "../../attestor/values/orElse.ts";
import { Address } from "../../attestor/values/primitives.ts";
import { rawUnits, wholeUnits } from "../../attestor/values/wholeUnits.ts";
import type { Terms } from "./onChain.ts";

/** What the reader typed. */
export interface Fields {
  /** Empty: a new one. */
  readonly safe: string;
  readonly isNew: boolean;
  readonly agent: string;
  readonly settlementToken: string;
  /** In whole tokens. */
  readonly perTrade: string;
  readonly perDay: string;
  readonly budget: string;
  /** By the address of a stock: whole tokens of it that can be sold. */
  readonly stocks: Readonly<Record<string, string>>;
  readonly policies: readonly string[];
  /** `2026-01-31T15:30` in the reader's zone. */
  readonly expires: string;
  /** Empty: none. */
  readonly revoker: string;
}

/** What a link may fill in, amounts in raw units: the members of a mandate, and of its name. */
const Link = Mandate.partial().extend(MandateName.partial().shape);

const DAY_SECONDS = 86_400;
const DEFAULT_DAYS = 30;
const PREFIX = "#mandate=";

/** `2026-01-31T15:30` in the reader's zone. */
function localText(seconds: number): string {
  const time = new Date(seconds * 1_000);
  return new Date(time.getTime() - time.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}

export const tokenOf = (terms: Terms, address: string) =>
  terms.tokens.find((token) => token.address === address);

/**
 * @param hash the fragment of the page's address
 * @param now unix seconds
 * @returns the fields as they begin; `linked`: whether a link filled them in, null where it could not be used
 */
export function firstFields(
  hash: string,
  terms: Terms,
  now: number,
): { fields: Fields; linked: boolean | null } {
  const empty: Fields = {
    safe: "",
    isNew: true,
    agent: "",
    settlementToken: terms.tokens.find(({ kind }) => kind === "settlement")?.address ?? "",
    perTrade: "",
    perDay: "",
    budget: "",
    stocks: {},
    policies: [],
    expires: localText(now + DEFAULT_DAYS * DAY_SECONDS),
    revoker: "",
  };
  if (!hash.startsWith(PREFIX)) return { fields: empty, linked: false };
  const text = hash.slice(PREFIX.length);
  const { data } = Link.safeParse(orElse(() => JSON.parse(decodeURIComponent(text)) as unknown, null));
  const settlementToken = data?.settlementToken ?? empty.settlementToken;
  const tokens = [settlementToken, ...(data?.stocks ?? []).map(({ token }) => token)];
  if (data === undefined || tokens.some((token) => tokenOf(terms, token) === undefined))
    return { fields: empty, linked: null };
  const units = (raw: string | undefined, token: string) =>
    raw === undefined ? "" : wholeUnits(raw, tokenOf(terms, token)?.decimals ?? 0);
  const fields = {
    safe: data.safe ?? "",
    isNew: data.safe === undefined,
    agent: data.agent ?? "",
    settlementToken,
    perTrade: units(data.perTrade, settlementToken),
    perDay: units(data.perDay, settlementToken),
    budget: units(data.budget, settlementToken),
    stocks: Object.fromEntries(
      (data.stocks ?? []).map(({ token, sellable }) => [token, units(sellable, token)]),
    ),
    policies: data.policies ?? [],
    expires: data.expiresAt === undefined ? empty.expires : localText(data.expiresAt),
    revoker: data.revoker === undefined || data.revoker === ZERO_ADDRESS ? "" : data.revoker,
  };
  return { fields, linked: true };
}

/** What is asked for. */
export interface Asked {
  /** null: a new one. */
  readonly safe: string | null;
  readonly agent: string;
  readonly mandate: Mandate;
}

const Positive = Mandate.shape.budget.refine((value) => BigInt(value) > 0n);
const Form = z.object({
  safe: Address.nullable(),
  agent: Address.refine((value) => value !== ZERO_ADDRESS),
  mandate: Mandate.extend({
    perTrade: Positive,
    perDay: Positive,
    budget: Positive,
    stocks: Mandate.shape.stocks.min(1),
    policies: Mandate.shape.policies.min(1),
  }),
});

/** @returns what is asked for, or the names of the fields that are wrong */
export function askedIn(fields: Fields, terms: Terms): { asked: Asked } | { faults: readonly string[] } {
  const raw = (text: string, token: string) => rawUnits(text.trim(), tokenOf(terms, token)?.decimals ?? 0);
  const { settlementToken } = fields;
  const form = Form.safeParse({
    safe: fields.isNew ? null : fields.safe.trim(),
    agent: fields.agent.trim(),
    mandate: {
      settlementToken,
      expiresAt: Math.floor(new Date(fields.expires).getTime() / 1_000),
      revoker: fields.revoker.trim() || ZERO_ADDRESS,
      perTrade: raw(fields.perTrade, settlementToken),
      perDay: raw(fields.perDay, settlementToken),
      budget: raw(fields.budget, settlementToken),
      stocks: Object.entries(fields.stocks).map(([token, text]) => ({
        token,
        sellable: raw(text || "0", token),
      })),
      policies: fields.policies,
    },
  });
  if (form.success) return { asked: form.data };
  return { faults: form.error.issues.map(({ path: [first, second] }) => String(second ?? first)) };
}
