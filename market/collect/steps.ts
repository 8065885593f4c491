/** The steps of a round beside the premiums: each asks, has its statements judged, and records what comes of them. */
import { CADENCE_SECONDS, sessionFactor } from "../bounds.ts";
import { announcedWith, announcementOf } from "../rules/actions.ts";
import { basisSamples, isOldPerp } from "../rules/bases.ts";
import { fresh } from "../rules/fresh.ts";
import { ANY_LIST, type Halts, listingStates, migrations } from "../rules/listings.ts";
import { plausible } from "../rules/plausible.ts";
import { fundingTape, recordBases } from "../series/basis.ts";
import { recordActions } from "../series/corporateActions.ts";
import type { PerpState } from "../statement.ts";
import { noteStated } from "./exclusions.ts";
import { noteFigures } from "./figures.ts";
import { NOTHING, type Round, type Step, seconds } from "./types.ts";

/** Which tokens are halted, and which have moved or are gone. */
export const readListings: Step = async (round) => {
  const { memory, market, assets } = round;
  memory.halted ??= await haltedBefore(round);
  memory.listed = [];
  if (!market.states("listing")) return NOTHING;
  memory.listed = await round.ask("listing", assets);
  const { halted, states } = listingStates(memory.listed, memory.halted);
  memory.halted = halted;
  await noteFigures(
    round,
    [...states].map(([subject, state]) => ({ kind: "listing", subject, state })),
  );
  return states.size;
};

/** A restart lifts no halt. */
async function haltedBefore({ db }: Round): Promise<Halts> {
  const rows = await db
    .selectFrom("market_figures")
    .select("subject")
    .where("kind", "=", "listing")
    .where("state", "=", "halted")
    .execute();
  return new Map(rows.map(({ subject }) => [subject, ANY_LIST]));
}

/** Announced changes of tokens' shares, and tokens that their issuer's list has elsewhere. */
export const collectActions: Step = async (round) => {
  const { memory, assets, db } = round;
  const now = seconds(round);
  const addresses = new Map(assets.map(({ assetKey, address }) => [assetKey, address]));
  const actions = [
    ...(await round.ask("action", assets)),
    ...announcedWith(memory.announced, now),
    ...migrations(memory.listed, addresses),
  ];
  return recordActions(db, actions.map(announcementOf), now);
};

/** Basis of each stock's perpetual at each venue, with its funding. */
export const collectBases: Step = async (round) => {
  const { market, memory, assets, db } = round;
  if (!market.states("perp")) return NOTHING;
  const references = await round.references();
  const stated = await round.ask("perp", assets);
  noteStated(round, stated);
  const at = seconds(round);
  const session = round.sessionAt(at);
  const sound = await round.kept(plausible(stated, memory.judge, at));
  const old = sound.filter((perp) => isOldPerp(perp, at));
  await round.reject(
    old.map((perp) => ({ kind: "perp", subject: perp.subject, reason: "stale", sample: perp })),
  );
  const running = await round.kept(
    fresh(
      sound.filter((perp) => !old.includes(perp)),
      memory.unchanged,
      at,
      ({ figure, oracleUsd, fundingRate }: PerpState) => ({
        figure: JSON.stringify([figure, oracleUsd, fundingRate]),
        seconds: CADENCE_SECONDS.perp * sessionFactor(session),
      }),
    ),
  );
  const halted = new Set(
    assets.filter(({ assetKey }) => memory.halted?.has(assetKey)).map(({ underlying }) => underlying),
  );
  const tape = await fundingTape(db, at);
  const { samples, rejections } = basisSamples(running, { at, session, references, tape, halted });
  await round.reject(rejections);
  await noteFigures(
    round,
    samples.flatMap(({ source, underlying, state }) =>
      state == null ? [] : [{ kind: "basis", subject: `${source}/${underlying}`, state }],
    ),
  );
  const { stored, rejected } = await recordBases(db, samples, at);
  round.countRejected(rejected.length);
  return stored;
};

/** What is asked one subject at a time serves the next round: no premium waits for it. */
export const askAfterwards: Step = async (round) => {
  await round.references();
  await round.noted(await round.market.afterwards());
  return NOTHING;
};
