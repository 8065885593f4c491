/** How far a replica is behind, from positions in the write-ahead log. Pure: moments come as arguments. */

/** A position as PostgreSQL writes it, `16/B374D848`, as a number that grows. @throws SyntaxError for any other text */
export function positionOf(text: string): bigint {
  const [, high, low] = /^([0-9A-F]{1,8})\/([0-9A-F]{1,8})$/i.exec(text) ?? [];
  if (high === undefined || low === undefined) throw new SyntaxError("not a position in the write-ahead log");
  return (BigInt(`0x${high}`) << 32n) + BigInt(`0x${low}`);
}

/** So many of the primary's positions are remembered: at one a second, of the last twenty minutes. */
const MOST_POSITIONS = 1_200;

/**
 * A replica that has replayed a position of the primary has all that was committed before that position was asked for. That
 * holds for an idle primary too, of which the time of the last replayed transaction would say ever more.
 */
export function createLagMeter() {
  let ahead: { readonly position: bigint; readonly at: number }[] = [];
  let upToDateAt: number | null = null;
  return {
    /** @param at milliseconds, from before the primary was asked: what was committed by then is below the position */
    primaryWasAt(position: bigint, at: number) {
      // Of one position the newest moment says most.
      if (ahead.at(-1)?.position === position) ahead.pop();
      ahead.push({ position, at });
      if (ahead.length > MOST_POSITIONS) ahead.shift();
    },
    /** The replica has replayed so far. */
    replicaIsAt(position: bigint) {
      const reached = ahead.findLast((known) => known.position <= position);
      if (reached === undefined) return;
      upToDateAt = Math.max(upToDateAt ?? reached.at, reached.at);
      ahead = ahead.filter((known) => known.position >= reached.position);
    },
    /** The newest moment whose commits the replica surely has, milliseconds; null: not known. */
    upToDateAt: () => upToDateAt,
    /** After which nothing is known, as when another server took over. */
    forget() {
      ahead = [];
      upToDateAt = null;
    },
  };
}
