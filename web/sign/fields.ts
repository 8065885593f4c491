/** The form of a mandate: from a link to its fields, and from its fields to a mandate. */
import * as z from "zod";
import { MandateName } from "../../attestor/intent.ts";
import { ZERO_ADDRESS } from "../../attestor/mandates/calls.ts";
import { Mandate } from "../../attestor/mandates/mandate.ts";
import { orElse } from "../../attestor/values/orElse.ts";
import { Address, LAST_SECOND } from "../../attestor/values/primitives.ts";
import { rawUnits, wholeUnits } from "../../attestor/values/wholeUnits.ts";
import { type Terms, tokenOf, tokensOf } from "./onChain.ts";

/** What the reader types into one line: amounts in whole tokens, `expiresAt` as `2026-01-31T15:30` in the reader's zone. */
export type Line = "safe" | "agent" | "perTrade" | "perDay" | "budget" | "expiresAt" | "revoker";

export interface Fields extends Readonly<Record<Line | "settlementToken", string>> {
  /** A new Safe; `safe` is then ignored. */
  readonly isNew: boolean;
  /** By the address of a stock: whole tokens of it that can be sold. */
  readonly stocks: Readonly<Record<string, string>>;
  readonly policies: readonly string[];
}

/** What a link may fill in, amounts in raw units: the members of a mandate, and of its name. */
const Link = Mandate.partial().extend(MandateName.partial().shape);
type Link = z.infer<typeof Link>;

const DAY_SECONDS = 86_400;
const DEFAULT_DAYS = 30;
const PREFIX = "#mandate=";

/** `2026-01-31T15:30` in the reader's zone. */
function localText(seconds: number): string {
  const time = new Date(seconds * 1_000);
  return new Date(time.getTime() - time.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}

const decimalsOf = (terms: Terms, token: string) => tokenOf(terms, token)?.decimals ?? 0;

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
  if (!hash.startsWith(PREFIX)) return { fields: fieldsOf({}, terms, now), linked: false };
  const json = orElse(() => JSON.parse(decodeURIComponent(hash.slice(PREFIX.length))) as unknown, null);
  const { data } = Link.refine((link) => canShow(link, terms)).safeParse(json);
  return { fields: fieldsOf(data ?? {}, terms, now), linked: data === undefined ? null : true };
}

/** Whether the form has a place for all of it: nothing is granted that the reader could not see there. */
function canShow(
  { settlementToken, stocks = [], policies = [], expiresAt = 0 }: Link,
  terms: Terms,
): boolean {
  const tokens = stocks.map(({ token }) => token);
  return (
    (settlementToken === undefined || tokenOf(terms, settlementToken)?.kind === "settlement") &&
    tokens.every((token) => tokenOf(terms, token)?.kind === "stock") &&
    new Set(tokens).size === tokens.length &&
    policies.every((hash) => terms.policies.some((policy) => policy.hash === hash)) &&
    // In a zone east of UTC the day after it has a year of five digits.
    expiresAt <= LAST_SECOND - DAY_SECONDS
  );
}

function fieldsOf(link: Link, terms: Terms, now: number): Fields {
  const { safe = "", agent = "", stocks = [], policies = [], revoker = ZERO_ADDRESS } = link;
  const { settlementToken = tokensOf(terms, "settlement")[0]?.address ?? "" } = link;
  const units = (raw: string | undefined, token = settlementToken) =>
    raw === undefined ? "" : wholeUnits(raw, decimalsOf(terms, token));
  return {
    safe,
    isNew: safe === "",
    agent,
    settlementToken,
    perTrade: units(link.perTrade),
    perDay: units(link.perDay),
    budget: units(link.budget),
    stocks: Object.fromEntries(stocks.map(({ token, sellable }) => [token, units(sellable, token)])),
    policies,
    expiresAt: localText(link.expiresAt ?? now + DEFAULT_DAYS * DAY_SECONDS),
    revoker: revoker === ZERO_ADDRESS ? "" : revoker,
  };
}

const Positive = Mandate.shape.budget.refine((value) => BigInt(value) > 0n);
const Asked = z.object({
  /** null: a new one. */
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
export type Asked = z.infer<typeof Asked>;

/** @returns what is asked for, undefined where fields are wrong, whose names are in `faults` */
export function askedIn(fields: Fields, terms: Terms) {
  const { settlementToken, stocks, policies } = fields;
  const raw = (text: string, token = settlementToken) => rawUnits(text.trim(), decimalsOf(terms, token));
  const { data, error } = Asked.safeParse({
    safe: fields.isNew ? null : fields.safe.trim(),
    agent: fields.agent.trim(),
    mandate: {
      settlementToken,
      expiresAt: Math.floor(new Date(fields.expiresAt).getTime() / 1_000),
      revoker: fields.revoker.trim() || ZERO_ADDRESS,
      perTrade: raw(fields.perTrade),
      perDay: raw(fields.perDay),
      budget: raw(fields.budget),
      stocks: Object.entries(stocks).map(([token, text]) => ({ token, sellable: raw(text || "0", token) })),
      policies,
    },
  });
  const faults = error?.issues.map(({ path: [first, second] }) => String(second ?? first)) ?? [];
  return { asked: data, faults };
}
