/** Corporate actions: announced changes of tokens' shares, and tokens that their issuer's list has elsewhere. */
import { type Announcement, recordActions } from "../series/corporateActions.ts";
import { noted } from "./accepted.ts";
import { type Round, type Step, seconds } from "./types.ts";

export const collectActions: Step = async (round) => {
  const { sources, assets, db } = round;
  const announced = sources.actionsOf ? await noted(round, await sources.actionsOf(assets)) : [];
  return recordActions(db, [...announced, ...migrations(round)], seconds(round));
};

function migrations({ memory, assets }: Round): Announcement[] {
  const addresses = new Map(assets.map(({ assetKey, address }) => [assetKey, address]));
  return memory.listed.flatMap(({ assetKey, source, successor, rawHash = null }): Announcement[] => {
    if (successor === undefined) return [];
    const before = addresses.get(assetKey) ?? null;
    return [{ assetKey, kind: "migration", before, after: successor, effectiveAt: null, source, rawHash }];
  });
}
