/**
 * Asks the sources of the market. A list is asked once for many questions, what takes long is asked after a round for the
 * next ones, and what a source rejects or lost is told once.
 */
import type { UnixMs, UnixSeconds } from "../attestor/values/time.ts";
import type { MarketAsset } from "./queries.ts";
import type { Rejection } from "./series/rejected.ts";
import type {
  Answer,
  Failure,
  Kind,
  ListSource,
  Rejected,
  SlowSource,
  Source,
  Statement,
  StatementOf,
} from "./statement.ts";

/** What the sources state of some tokens or stocks. */
export interface Findings<S extends Statement = Statement> {
  readonly statements: readonly S[];
  readonly failures: readonly Failure[];
  /** What came and cannot be true, or came before and did not now. */
  readonly rejections: readonly Rejection[];
}

/** How requests to a provider ended. */
export interface OutcomeCount {
  readonly provider: string;
  /** `ok`, or what failed: `timeout`, `shape`, `status 503`. */
  readonly kind: string;
  readonly count: number;
  readonly lastAt: UnixSeconds;
}

/** What a round asks. */
export interface Market {
  /** Whether any source states that. */
  states(of: Kind): boolean;
  /** What is stated of these tokens, or of their stocks. Never throws. */
  ask<Of extends Kind>(of: Of, tokens: readonly MarketAsset[]): Promise<Findings<StatementOf<Of>>>;
  /** Asks about what takes long, for the questions of later rounds. Never throws. */
  afterwards(): Promise<Findings>;
  /** False: a token has no premium, so that others are asked for first. */
  canBePriced?(token: MarketAsset): boolean;
  /** How requests ended since this was asked last, for who watches. */
  outcomes?(): readonly OutcomeCount[];
}

/** Of these reasons the figure itself cannot be true, and its source is excluded. */
const UNTRUE: ReadonlySet<Rejected["reason"]> = new Set([
  "ratio_contradicts_prices",
  "interval_contradicts_fundings",
]);
/** A list that could not be had is left alone for so long: steps that need it do not ask one after the other. */
const FAILURE_MS = 20_000;
/** Kinds of which a source that states one no more says so itself, or whose subjects come and go. */
const NEVER_MISSED: ReadonlySet<Kind> = new Set(["listing", "pool", "liquidity"]);

/** Dollars are of no token, and a pool may come by the token that it does not belong to. */
const OF_OTHERS: ReadonlySet<Kind> = new Set(["dollar", "pool"]);

/** @param now unix milliseconds */
export function createMarket(sources: readonly Source[], now: () => UnixMs): Market {
  const lists = new Map(
    sources.flatMap((source) => (source.asks === "list" ? [[source, createList(source, now)]] : [])),
  );
  const slow = new Map(
    sources.flatMap((source) => (source.asks === "slow" ? [[source, createSlow(source, now)]] : [])),
  );

  async function asked(source: Source, of: Kind, tokens: readonly MarketAsset[]): Promise<Findings> {
    try {
      if (source.asks === "list") return (await lists.get(source)?.(of)) ?? NOTHING;
      if (source.asks === "each") return foundBy(source.name, await source.ask(tokens));
      return NOTHING;
    } catch (error) {
      return { ...NOTHING, failures: [{ subject: source.name, error }] };
    }
  }

  return {
    states: (of) => sources.some((source) => source.of.includes(of)),

    async ask<Of extends Kind>(of: Of, tokens: readonly MarketAsset[]): Promise<Findings<StatementOf<Of>>> {
      const able = sources.filter((source) => source.of.includes(of));
      const found = joined(await Promise.all(able.map((source) => asked(source, of, tokens))));
      const wanted = new Set(tokens.flatMap(({ assetKey, underlying }) => [assetKey, underlying]));
      const isWanted = (one: Statement): one is StatementOf<Of> =>
        one.of === of && (OF_OTHERS.has(of) || wanted.has(one.subject));
      const statements = found.statements.filter(isWanted);
      const answered = new Set(statements.map(({ subject }) => subject));
      const late = able.flatMap((source) => {
        const kept = source.asks === "slow" ? slow.get(source) : undefined;
        return kept?.stated(wanted, answered).filter(isWanted) ?? [];
      });
      return { ...found, statements: [...statements, ...late] };
    },

    afterwards: async () => joined(await Promise.all([...slow.values()].map(({ refresh }) => refresh()))),
  };
}

const NOTHING: Findings = { statements: [], failures: [], rejections: [] };

function joined(all: readonly Findings[]): Findings {
  return {
    statements: all.flatMap(({ statements }) => statements),
    failures: all.flatMap(({ failures }) => failures),
    rejections: all.flatMap(({ rejections }) => rejections),
  };
}

const foundBy = (provider: string, { statements, rejected, failures = [] }: Answer): Findings => ({
  statements,
  failures,
  // What never came is no loss.
  rejections: rejected.filter(({ reason }) => reason !== "missing").map((row) => rejectionOf(provider, row)),
});

function rejectionOf(provider: string, { of, subject, reason, field }: Rejected): Rejection {
  return {
    kind: of,
    subject,
    reason,
    sample: { provider, ...(UNTRUE.has(reason) && { source: provider }), ...(field && { field }) },
  };
}

/** An answer of a list serves for a while; what it rejected is told to the first question of its kind. */
function createList(source: ListSource, now: () => UnixMs): (of: Kind) => Promise<Findings> {
  let kept: { readonly at: UnixMs; readonly found: Promise<Findings>; untilMs: number } | undefined;
  let before = new Set<string>();
  const untold = new Map<Kind, readonly Rejection[]>();

  async function ask(): Promise<Findings> {
    const answer = await source.ask();
    const found = foundBy(source.name, answer);
    const gone = goneFrom(before, answer).map((row) => rejectionOf(source.name, row));
    before = new Set(answer.statements.filter(({ of }) => !NEVER_MISSED.has(of)).map(keyOf));
    const rejections = [...found.rejections, ...gone];
    for (const kind of source.of)
      untold.set(
        kind,
        rejections.filter((one) => one.kind === kind),
      );
    return found;
  }

  return async (of) => {
    const at = now();
    const age = kept === undefined ? Number.POSITIVE_INFINITY : at - kept.at;
    // A clock that is set back keeps nothing alive.
    const isFresh = kept === undefined || age < 0 || age >= kept.untilMs;
    if (isFresh) {
      const asked = { at, found: ask(), untilMs: source.keepsMs };
      kept = asked;
      asked.found.catch(() => {
        asked.untilMs = Math.min(FAILURE_MS, source.keepsMs);
      });
    }
    const found = (await kept?.found) ?? NOTHING;
    const rejections = untold.get(of) ?? [];
    untold.delete(of);
    return { statements: found.statements, failures: isFresh ? found.failures : [], rejections };
  };
}

const keyOf = ({ of, subject }: Pick<Statement, "of" | "subject">) => `${of} ${subject}`;

/** What a list stated before, and neither states nor rejects now. */
function goneFrom(before: ReadonlySet<string>, { statements, rejected, failures = [] }: Answer): Rejected[] {
  const here = new Set([
    ...statements.map(keyOf),
    ...rejected.filter(({ reason }) => reason !== "missing").map(keyOf),
  ]);
  const failed = new Set(failures.map(({ subject }) => subject));
  return [...before]
    .filter((key) => !here.has(key))
    .map((key): Rejected => {
      const space = key.indexOf(" ");
      return { of: key.slice(0, space) as Kind, subject: key.slice(space + 1), reason: "missing" };
    })
    .filter(({ subject }) => !failed.has(subject));
}

/** Keeps what was said of each subject, and asks about those that were asked about longest ago. */
function createSlow(source: SlowSource, now: () => UnixMs) {
  const kept = new Map<string, { readonly at: UnixMs; readonly statements: readonly Statement[] }>();
  const askedAt = new Map<string, UnixMs>();
  let unknown: readonly string[] = [];
  const lastOf = (subject: string) => askedAt.get(subject) ?? 0;

  async function ask(subject: string): Promise<Findings> {
    askedAt.set(subject, now());
    try {
      const answer = await source.ask(subject);
      if (answer.statements.length > 0) kept.set(subject, { at: now(), statements: answer.statements });
      const rejections = answer.rejected.map((row) => rejectionOf(source.name, row));
      return { ...NOTHING, rejections };
    } catch (error) {
      return { ...NOTHING, failures: [{ subject: source.name, error }] };
    }
  }

  return {
    /** @param stated subjects that other sources state something of */
    stated(wanted: ReadonlySet<string>, stated: ReadonlySet<string>): Statement[] {
      const wantedSubjects = source.subjects.filter((subject) => wanted.has(subject));
      const asked = source.isLastResort
        ? wantedSubjects.filter((subject) => !stated.has(subject))
        : wantedSubjects;
      unknown = asked;
      return asked.flatMap((subject) => {
        const { at = 0, statements = [] } = kept.get(subject) ?? {};
        return now() - at <= source.keepsMs ? statements : [];
      });
    },
    async refresh(): Promise<Findings> {
      const due = (source.isLastResort ? unknown : source.subjects)
        .filter((subject) => now() - lastOf(subject) >= source.againMs)
        .sort((one, other) => lastOf(one) - lastOf(other))
        .slice(0, source.perRound);
      return joined(await Promise.all(due.map(ask)));
    },
  };
}
