/**
 * Figures that a source states as exactly zero of everything at once. One pool or one market may rest; all of a chain or of
 * a venue do not, and a provider that has lost its data answers so, for weeks. Nobody's word stands for such figures until
 * another origin has them at zero too. Pure.
 */
import { SeriesDecimal } from "../series/units.ts";
import type { ImpactState, PoolState, VolumeState } from "../statement.ts";

export const ZERO_EVERYWHERE = "zero_everywhere";
export const FUNDING_ZERO = "funding_zero_everywhere";

/** One alone may rest. */
export const LEAST_ZEROS = 2;

const isZero = (figure: string | number): boolean => new SeriesDecimal(figure).isZero();

/** @param figures of one source; null: not stated */
export function areAllZero(figures: readonly (string | number | null)[]): boolean {
  const stated = figures.filter((figure) => figure !== null);
  return stated.length >= LEAST_ZEROS && stated.every(isZero);
}

type PoolFigure = "volume24hUsd" | "liquidityUsd" | "trades24h";

/** A figure that one source states as zero of all pools of a chain. */
export interface Zeroed {
  readonly source: string;
  readonly chain: string;
  readonly figure: PoolFigure;
  /** Asset keys. */
  readonly tokens: readonly string[];
}

/**
 * Takes figures that are zero everywhere out of the pools that state them.
 * @param pools of all tokens
 * @param measured volumes of other origins
 */
export function withoutZeros(
  pools: readonly PoolState[],
  measured: readonly VolumeState[],
  chainOf: (assetKey: string) => string,
): { readonly pools: readonly PoolState[]; readonly zeroed: readonly Zeroed[] } {
  const zeroed: Zeroed[] = [];
  const believed: PoolState[] = [];
  for (const [chain, ofChain] of Map.groupBy(pools, ({ subject }) => chainOf(subject))) {
    const volumes = measured.filter(({ subject }) => chainOf(subject) === chain);
    for (const [origin, own] of Map.groupBy(ofChain, (pool) => pool.origin)) {
      const others = [...ofChain, ...volumes].filter((one) => one.origin !== origin);
      const lost = LOST.filter(
        (figure) => areAllZero(own.map((pool) => pool[figure])) && !isConfirmed(figure, others),
      );
      const [{ source }] = own as [PoolState];
      const tokens = [...new Set(own.map(({ subject }) => subject))];
      zeroed.push(...lost.map((figure) => ({ source, chain, figure, tokens })));
      believed.push(...own.map((pool) => ({ ...pool, ...notStated(lost) })));
    }
  }
  return { pools: believed, zeroed };
}

const LOST: readonly PoolFigure[] = ["volume24hUsd", "liquidityUsd", "trades24h"];

const notStated = (figures: readonly PoolFigure[]): Partial<Record<PoolFigure, null>> =>
  Object.fromEntries(figures.map((figure) => [figure, null]));

/** Whether others state the same figure of the chain, and as zero. */
function isConfirmed(figure: PoolFigure, others: readonly (PoolState | VolumeState)[]): boolean {
  const stated = others.flatMap((other) => {
    if (other.of === "pool") return other[figure] ?? [];
    if (figure === "trades24h") return [];
    return (figure === "volume24hUsd" ? other.figure : other.liquidityUsd) ?? [];
  });
  return stated.length > 0 && stated.every(isZero);
}

/**
 * What a source would be wrong with that answers so of everything: large buys that cost nothing, or none that finds a route.
 * @returns null: the impact tells something
 */
export function blankReason({ figure, impact1kBps }: ImpactState): string | null {
  const stated = [figure, impact1kBps].filter((impact) => impact !== null);
  if (stated.length === 0) return "no_route_everywhere";
  return stated.every(isZero) ? ZERO_EVERYWHERE : null;
}
