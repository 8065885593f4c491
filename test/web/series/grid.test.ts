import { expect } from "chai";
import fc from "fast-check";
import { HOUR_SECONDS, hoursOf, nextKnown, onGrid, sessionBands } from "../../../web/series/grid.ts";

const FROM = 1_763_000_000 - (1_763_000_000 % HOUR_SECONDS);
const spanOf = (hours: number) => ({ from: FROM, to: FROM + hours * HOUR_SECONDS });

/** Hours of a span that are there, each once, with a figure or null. */
const sparse = fc.integer({ min: 1, max: 200 }).chain((length) =>
  fc.record({
    length: fc.constant(length),
    points: fc.uniqueArray(
      fc.record({
        place: fc.integer({ min: 0, max: length - 1 }),
        value: fc.option(fc.integer({ min: -9_000, max: 9_000 }).map((units) => units / 100)),
        session: fc.constantFrom("regular", "closed", "overnight"),
      }),
      { selector: ({ place }) => place, maxLength: 200 },
    ),
  }),
);

describe("hours on a grid", () => {
  it("gives every hour its own value, and null to those that are absent", () => {
    fc.assert(
      fc.property(sparse, ({ length, points }) => {
        const span = spanOf(length);
        const hours = points.map(({ place }) => FROM + place * HOUR_SECONDS);
        const grid = onGrid(
          span,
          hours,
          points.map(({ value }) => value),
        );
        expect(grid).to.have.length(hoursOf(span).length).and.length(length);
        const known = new Map(points.map(({ place, value }) => [place, value]));
        grid.forEach((value, place) => {
          expect(value).to.equal(known.get(place) ?? null);
        });
      }),
    );
  });

  it("leaves out hours outside of the span, and what is no start of an hour", () => {
    const hours = [FROM - HOUR_SECONDS, FROM, FROM + 60, FROM + 2 * HOUR_SECONDS];
    expect(onGrid(spanOf(2), hours, [1, 2, 3, 4])).to.deep.equal([2, null]);
  });
});

describe("session bands", () => {
  it("cover each hour by the session of its own sample, and no hour without one", () => {
    fc.assert(
      fc.property(
        fc.array(fc.option(fc.constantFrom("regular", "closed")), { maxLength: 100 }),
        (sessions) => {
          const span = spanOf(sessions.length);
          const bands = sessionBands(span, sessions);
          hoursOf(span).forEach((hour, place) => {
            const inside = bands.filter(({ from, to }) => from <= hour && hour < to);
            expect(inside.map(({ session }) => session)).to.deep.equal(
              sessions[place] === null ? [] : [sessions[place]],
            );
          });
        },
      ),
    );
  });

  it("end at a gap, though the session goes on behind it", () => {
    const bands = sessionBands(spanOf(4), ["closed", null, "closed", "closed"]);
    expect(
      bands.map(({ from, to }) => [(from - FROM) / HOUR_SECONDS, (to - FROM) / HOUR_SECONDS]),
    ).to.deep.equal([
      [0, 1],
      [2, 4],
    ]);
  });
});

describe("walking along a series", () => {
  const columns = [
    [null, 1, null, null, null],
    [null, null, null, 2, null],
  ];

  it("stops at hours where something is known, and stays where there is none any more", () => {
    expect(nextKnown(columns, -1, 1)).to.equal(1);
    expect(nextKnown(columns, 1, 1)).to.equal(3);
    expect(nextKnown(columns, 3, 1)).to.equal(3);
    expect(nextKnown(columns, 3, -1)).to.equal(1);
    expect(nextKnown(columns, 1, -1)).to.equal(1);
    expect(nextKnown([], 5, 1)).to.equal(5);
  });
});
