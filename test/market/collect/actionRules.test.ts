import { expect } from "chai";
import fc from "fast-check";
import { factorAt } from "../../../attestor/shares.ts";
import { type Change, changeOf, heard, kindOf, type Word } from "../../../market/collect/actionRules.ts";
import type { CorporateAction } from "../../../market/series/corporateActions.ts";

const NOW = 1_795_003_300;
const DAY = 86_400;
const HASH = `0x${"ab".repeat(32)}`;

const word = (
  source: string,
  value: string,
  change: Change | null | undefined = null,
  more: Partial<Word> = {},
): Word => ({
  ...{ assetKey: "key-AAPL", source, value, change, kind: null, rawHash: HASH },
  ...more,
});
const announced = (after: string | null, effectiveAt: number | null, before = "1"): Change => ({
  ...{ status: "announced", before, after, effectiveAt },
});
const applied = (after: string, effectiveAt: number, before: string | null = "1"): Change => ({
  ...{ status: "applied", before, after, effectiveAt },
});

/** What follows from words, one after the other; a day passes between them. */
function told(...words: Word[]): CorporateAction[] {
  const last = new Map<string, Word>();
  let actions: CorporateAction[] = [];
  words.forEach((one, index) => {
    const key = `${one.source} ${one.change === undefined}`;
    actions = heard(actions, one, last.get(key), NOW + index * DAY);
    last.set(key, one);
  });
  return actions;
}
const brief = (actions: readonly CorporateAction[]) =>
  actions.map(({ kind, status, state, before, after, effectiveAt, inferred, revision }) => ({
    ...{ kind, status, state, before, after, effectiveAt, inferred, revision },
  }));

describe("what follows from what sources say of a token's shares", () => {
  const T = NOW + 10 * DAY;

  it("an announced change is one action, which is applied once its source counts it", () => {
    const first = told(word("xstocks", "1", announced("10", T)));
    const action = {
      kind: "split",
      state: "single",
      before: "1",
      after: "10",
      effectiveAt: T,
      inferred: true,
    };
    expect(brief(first)).to.eql([{ ...action, status: "announced", revision: 1 }]);
    const done = told(word("xstocks", "1", announced("10", T)), word("xstocks", "10"));
    expect(brief(done)).to.eql([{ ...action, status: "applied", revision: 2 }]);
    expect(done[0]).to.include({ announcedAt: NOW, appliedAt: NOW + DAY, endedAt: null, at: T });
    expect(done[0]?.told.map(({ source, rawHash, seenAt }) => [source, rawHash, seenAt])).to.eql([
      ["xstocks", HASH, NOW],
    ]);
  });

  it("a dividend too small for a tolerance between sources is not taken for one that was made", () => {
    const [action] = told(word("solana", "1", announced("1.00005", T)));
    expect(action).to.include({ status: "announced", kind: "dividend" });
    const later = told(
      word("solana", "1", announced("1.00005", T)),
      word("xstocks", "1", undefined),
      word("xstocks", "1", undefined, { rawHash: null }),
    );
    expect(later[0]?.status).to.equal("announced");
  });

  it("what several sources tell of one change is one action that they agree on", () => {
    const actions = told(
      word("xstocks", "1", announced("1.0057", T + 60), { kind: "dividend" }),
      word("solana", "1", announced("1.00570001", T)),
    );
    expect(brief(actions)).to.eql([
      {
        ...{ kind: "dividend", status: "announced", state: "agreed", before: "1", after: "1.0057" },
        ...{ effectiveAt: T, inferred: false, revision: 2 },
      },
    ]);
  });

  it("sources that tell other figures or times of it dispute it, and what they dispute is null", () => {
    const figures = told(word("a", "1", announced("2", T)), word("b", "1", announced("3", T)));
    expect(brief(figures)).to.eql([
      {
        ...{ kind: "multiplier", status: "announced", state: "disputed", before: "1", after: null },
        ...{ effectiveAt: T, inferred: false, revision: 2 },
      },
    ]);
    const [times] = told(word("a", "1", announced("2", T)), word("b", "1", announced("2", T + DAY / 2)));
    expect(times).to.include({ state: "disputed", after: "2", effectiveAt: null, at: T });
  });

  it("an announcement that its source takes back is withdrawn, and one that it changes has another revision", () => {
    const said = word("xstocks", "1", announced("10", T));
    const [withdrawn] = told(said, word("xstocks", "1"));
    expect(withdrawn).to.include({ status: "withdrawn", endedAt: NOW + DAY, revision: 2 });
    const [moved] = told(said, word("xstocks", "1", announced("10", T + 5 * DAY)));
    expect(moved).to.include({ status: "announced", effectiveAt: T + 5 * DAY, revision: 2 });
    const [again] = told(said, word("xstocks", "1"), said);
    expect(again).to.include({ status: "announced", endedAt: null, revision: 3 });
    // Of two sources one still tells it.
    const [held] = told(said, word("solana", "1", announced("10", T)), word("xstocks", "1"));
    expect(held).to.include({ status: "announced", state: "single" });
  });

  it("a change that was made before the first round is applied, with the stated time", () => {
    const actions = told(word("solana", "1.0057", applied("1.0057", NOW - 40 * DAY, "1.0039")));
    expect(actions[0]).to.include({ kind: "dividend", status: "applied", effectiveAt: NOW - 40 * DAY });
    expect(actions[0]).to.include({ announcedAt: null, appliedAt: NOW, at: NOW - 40 * DAY });
  });

  it("keeps what was before a change where its source no longer says that", () => {
    const [action] = told(
      word("chain", "1", announced("2", NOW + 5)),
      word("chain", "2", applied("2", NOW + 5, null)),
    );
    expect(action).to.include({ status: "applied", before: "1", after: "2", kind: "split" });
  });

  it("a figure that steps unannounced is an inferred action, which others who step as far confirm", () => {
    const actions = told(
      word("list", "1", undefined),
      word("chain", "1", undefined),
      word("list", "10", undefined),
      word("chain", "10", undefined),
    );
    expect(brief(actions)).to.eql([
      {
        ...{ kind: "split", status: "applied", state: "agreed", before: "1", after: "10" },
        ...{ effectiveAt: null, inferred: true, revision: 2 },
      },
    ]);
    expect(told(word("list", "1", undefined), word("list", "1.000001", undefined))).to.eql([]);
  });

  it("a step that an announcement foretold is no action of its own", () => {
    const actions = told(
      word("list", "1", undefined),
      word("xstocks", "1", announced("10", NOW + 2 * DAY)),
      word("list", "10", undefined),
      word("xstocks", "10"),
    );
    expect(actions).to.have.length(1);
    expect(actions[0]).to.include({ status: "applied", state: "agreed", effectiveAt: NOW + 2 * DAY });
  });

  it("dividends of two quarters are two actions", () => {
    const actions = told(
      word("solana", "1.01", applied("1.01", NOW - DAY)),
      word("solana", "1.01", announced("1.02", NOW + 90 * DAY, "1.01")),
    );
    expect(actions.map(({ status, after }) => `${status} ${after}`)).to.eql([
      "applied 1.01",
      "announced 1.02",
    ]);
  });

  it("tells splits by whole numbers and their inverses, dividends by small steps up, and leaves the rest open", () => {
    const kinds: [string | null, string | null, string][] = [
      ["1", "10", "split"],
      ["10", "1", "split"],
      ["1", "1.5", "split"],
      ["1", "20.05", "split"],
      ["1.0057", "2.0114", "split"],
      ["1", "1.05", "dividend"],
      ["1", "1.0501", "multiplier"],
      ["1", "0.99", "multiplier"],
      ["1", "2.2", "multiplier"],
      [null, "2", "multiplier"],
      ["1", null, "multiplier"],
    ];
    for (const [before, after, kind] of kinds)
      expect(kindOf(before, after), `${before} ${after}`).to.equal(kind);
  });

  it("a schedule announces until its time and has then made the change", () => {
    const schedule = { current: "1", next: "2", effectiveAt: NOW };
    expect(changeOf(schedule, NOW - 1)).to.eql({ ...announced("2", NOW) });
    expect(changeOf(schedule, NOW)).to.eql(applied("2", NOW));
    expect(changeOf({ current: "1", next: null, effectiveAt: null }, NOW)).to.equal(null);
    expect(changeOf({ current: "1", next: "1", effectiveAt: NOW + 1 }, NOW)).to.equal(null);
    expect(changeOf({ current: "1", next: null, effectiveAt: NOW + 1 }, NOW)).to.eql(
      announced(null, NOW + 1),
    );
    expect(changeOf({ current: "1", next: null, effectiveAt: NOW - 1 }, NOW)).to.equal(null);
  });

  describe("as properties", () => {
    const value = fc.constantFrom("1", "1.00005", "1.0057", "2", "10", "0.1");
    const time = fc.option(fc.integer({ min: NOW - 20 * DAY, max: NOW + 20 * DAY }), { nil: null });
    const source = fc.constantFrom("a", "b", "c");
    const schedule = fc.record({
      current: value,
      next: fc.option(value, { nil: null }),
      effectiveAt: time,
    });
    const words = fc.array(
      fc.oneof(
        fc.tuple(source, value, fc.constantFrom(null, undefined)).map((parts) => word(...parts)),
        fc
          .tuple(source, schedule)
          .map(([name, said]) => word(name, factorAt(said, NOW), changeOf(said, NOW))),
      ),
      { maxLength: 12 },
    );

    it("the same word again changes nothing, however often and whenever it is heard", () => {
      fc.assert(
        fc.property(words, (list) => {
          const actions = told(...list);
          const last = list.at(-1);
          if (last === undefined) return;
          const again = heard(actions, { ...last, rawHash: null }, last, NOW + 30 * DAY);
          expect(new Set(again)).to.eql(new Set(actions));
          for (const action of again) expect(actions).to.include(action);
        }),
        { numRuns: 2_000 },
      );
    });

    it("revisions count up, an applied action stays applied, and nobody tells one action twice", () => {
      fc.assert(
        fc.property(words, (list) => {
          let before: CorporateAction[] = [];
          list.forEach((_, index) => {
            const after = told(...list.slice(0, index + 1));
            before.forEach((one, place) => {
              const next = after.find(
                ({ told }) =>
                  told[0]?.seenAt === one.told[0]?.seenAt && told[0]?.source === one.told[0]?.source,
              );
              if (next === undefined) return;
              expect(next.revision, String(place)).to.be.at.least(one.revision);
              if (one.status === "applied") expect(next.status).to.equal("applied");
            });
            for (const { told, state } of after) {
              expect(new Set(told.map(({ source }) => source)).size).to.equal(told.length);
              if (told.length === 1) expect(state).to.equal("single");
            }
            before = after;
          });
        }),
        { numRuns: 500 },
      );
    });
  });
});
