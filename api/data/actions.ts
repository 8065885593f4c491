/** Corporate actions as the data API lists them. */
import { z } from "zod";
import type { Database } from "../../database/open.ts";
import { sameAddress } from "../../market/providers/values.ts";
import type { MarketAsset } from "../../market/queries.ts";
import { type CorporateAction, listActions } from "../../market/series/corporateActions.ts";
import { ActionKind } from "./actionSchemas.ts";
import { dateTime } from "./json.ts";
import { chosenBy, moment, name, optionList, someOf } from "./query.ts";
import { secondOf } from "./windows.ts";

const MOST_ACTIONS = 1_000;

export const ActionsQuery = z.strictObject({
  ...chosenBy,
  underlying: name("Only of tokens of the stock with this ticker"),
  kind: someOf(ActionKind, `Only of these kinds, with commas between: ${optionList(ActionKind)}`),
  from: moment("Only those whose `at` is then or later: a date or a date-time, UTC"),
  to: moment("Only those whose `at` is before then"),
  limit: z.coerce
    .number()
    .int()
    .min(1)
    .max(MOST_ACTIONS)
    .default(MOST_ACTIONS)
    .meta({
      description: "At most so many, the oldest; for those after them begin at the `at` of the last",
      override: { type: "integer", minimum: 1, maximum: MOST_ACTIONS, default: MOST_ACTIONS },
    }),
});
type ActionsQuery = z.infer<typeof ActionsQuery>;

type ChosenBy = Pick<ActionsQuery, "symbol" | "chain" | "address" | "underlying">;

/** Oldest first. @throws DatabaseUnavailable */
export async function actionsText(
  db: Database,
  assets: readonly MarketAsset[],
  attribution: string,
  query: ActionsQuery,
): Promise<string> {
  const { kind, limit } = query;
  const found = await listActions(db, {
    assetKeys: chosenTokens(assets, query)?.map(({ assetKey }) => assetKey),
    kinds: kind,
    from: secondOf(query.from),
    to: secondOf(query.to),
    limit,
  });
  const byKey = new Map(assets.map((asset) => [asset.assetKey, asset]));
  const actions = found.map((action) => listed(action, byKey.get(action.assetKey)));
  return JSON.stringify({ attribution, actions });
}

/** The tokens that are asked for; undefined: all, those that are no longer listed among them. */
function chosenTokens(
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

const timeOf = (seconds: number | null) => (seconds === null ? null : dateTime(seconds));

function listed(action: CorporateAction, asset: MarketAsset | undefined) {
  return {
    id: action.id,
    symbol: asset?.symbol ?? null,
    chain: asset?.chain ?? null,
    address: asset?.address ?? null,
    underlying: asset?.underlying ?? null,
    asset_key: action.assetKey,
    kind: action.kind,
    value_before: action.before,
    value_after: action.after,
    effective_at: timeOf(action.effectiveAt),
    announced_at: timeOf(action.announcedAt),
    at: dateTime(action.at),
    source: action.source,
    raw_hash: action.rawHash,
  };
}
