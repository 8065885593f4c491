/** Corporate actions as the data API lists them. */
import type { UnixMs, UnixSeconds } from "../../attestor/values/time.ts";
import type { Database } from "../../database/open.ts";
import type { Reads } from "../../database/replica/reads.ts";
import { sameAddress } from "../../market/providers/values.ts";
import type { MarketAsset } from "../../market/queries.ts";
import {
  type ActionKind,
  type ActionStatus,
  type CorporateAction,
  listActions,
} from "../../market/series/corporateActions.ts";
import { Problem } from "../http/problems.ts";
import { CorporateAction as ActionRow } from "./actionSchemas.ts";
import { type Format, listAs } from "./formats.ts";
import { dateTime } from "./json.ts";
import type { Written } from "./written.ts";

export interface ActionDeps {
  readonly simulated: boolean;
  readonly assets: readonly MarketAsset[];
  readonly read: Reads["run"];
  now(): UnixMs;
}

/** Which tokens a list is about. */
export interface ChosenBy {
  readonly symbol?: string | undefined;
  readonly chain?: string | undefined;
  readonly address?: string | undefined;
  readonly underlying?: string | undefined;
}

export interface ActionsQuery extends ChosenBy {
  readonly kind?: readonly ActionKind[] | undefined;
  readonly status?: readonly ActionStatus[] | undefined;
  /** Dates or date-times, UTC. */
  readonly from?: string | undefined;
  readonly to?: string | undefined;
  readonly limit: number;
  readonly cursor?: string | undefined;
  readonly format: Format;
}

/** As in JSON. */
const COLUMNS = Object.keys(ActionRow.shape);
const UNITS = {
  value_before: "shares per token; of a migration an address",
  value_after: "shares per token; of a migration an address",
  effective_at: "ISO 8601 UTC, as all times",
  raw_hash: "keccak256 of the answer that was read",
  sources: "JSON",
};

/**
 * A page, oldest first, and the cursor of the next one; null: there is none.
 * @throws DatabaseUnavailable; Problem `invalid_request` for a cursor that was never handed out
 */
export async function actionsPage(
  db: Database,
  assets: readonly MarketAsset[],
  { attribution, now }: { readonly attribution: string; readonly now: UnixSeconds },
  query: ActionsQuery,
): Promise<Written> {
  const { kind, status, limit } = query;
  // One more than the page holds says whether there is another.
  const found = await listActions(db, {
    assetKeys: chosenTokens(assets, query)?.map(({ assetKey }) => assetKey),
    kinds: kind,
    statuses: status,
    from: secondOf(query.from),
    to: secondOf(query.to),
    after: query.cursor === undefined ? undefined : placeOf(query.cursor),
    limit: limit + 1,
  });
  const page = found.slice(0, limit);
  const last = page.at(-1);
  const next = found.length > limit && last ? cursorOf(last) : null;
  const byKey = new Map(assets.map((asset) => [asset.assetKey, asset]));
  const actions = page.map((action) => listed(action, byKey.get(action.assetKey)));
  if (query.format === "json")
    return { text: JSON.stringify({ attribution, actions, next_cursor: next }), next };
  const window = { from: query.from ?? null, to: query.to ?? null };
  const about = { dataset: "corporate-actions", attribution, units: UNITS, window };
  const meta = { ...about, generated_at: dateTime(now), next_cursor: next };
  return { ...listAs(query.format, meta, COLUMNS, actions), next };
}

/** The tokens that are asked for; undefined: all, those that are no longer listed among them. */
export function chosenTokens(
  assets: readonly MarketAsset[],
  { symbol, chain, address, underlying }: ChosenBy,
): MarketAsset[] | undefined {
  if ([symbol, chain, address, underlying].every((wanted) => wanted === undefined)) return undefined;
  const is = (wanted: string | undefined, own: string) => wanted === undefined || wanted === own;
  return assets.filter(
    (asset) =>
      is(symbol, asset.symbol) &&
      is(chain, asset.chain) &&
      is(underlying, asset.underlying) &&
      (address === undefined || sameAddress(asset.chain, address, asset.address)),
  );
}

const secondOf = (text: string | undefined) =>
  text === undefined ? undefined : Math.ceil(Date.parse(text) / 1_000);

const cursorOf = ({ at, id }: CorporateAction) => Buffer.from(`${at}.${id}`).toString("base64url");

function placeOf(cursor: string): { at: number; id: number } {
  const [, at, id] = /^([0-9]{1,12})\.([0-9]{1,15})$/.exec(Buffer.from(cursor, "base64url").toString()) ?? [];
  if (at === undefined || id === undefined)
    throw new Problem("invalid_request", "cursor must be the next_cursor of another page");
  return { at: Number(at), id: Number(id) };
}

const timeOf = (seconds: number | null) => (seconds === null ? null : dateTime(seconds));

function listed(action: CorporateAction, asset: MarketAsset | undefined) {
  const { told } = action;
  return {
    id: action.id,
    symbol: asset?.symbol ?? null,
    chain: asset?.chain ?? null,
    address: asset?.address ?? null,
    underlying: asset?.underlying ?? null,
    asset_key: action.assetKey,
    kind: action.kind,
    status: action.status,
    state: action.state,
    inferred: action.inferred,
    value_before: action.before,
    value_after: action.after,
    effective_at: timeOf(action.effectiveAt),
    announced_at: timeOf(action.announcedAt),
    applied_at: timeOf(action.appliedAt),
    ended_at: timeOf(action.endedAt),
    at: dateTime(action.at),
    source: told.map(({ source }) => source).join(","),
    raw_hash: told.find(({ rawHash }) => rawHash !== null)?.rawHash ?? null,
    sources: told.map((one) => ({
      source: one.source,
      value_before: one.before,
      value_after: one.after,
      effective_at: timeOf(one.effectiveAt),
      raw_hash: one.rawHash,
      seen_at: dateTime(one.seenAt),
      withdrawn_at: timeOf(one.withdrawnAt),
    })),
    revision: action.revision,
    changed_at: dateTime(action.changedAt),
  };
}
