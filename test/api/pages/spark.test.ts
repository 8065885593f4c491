import { expect } from "chai";
import fc from "fast-check";
import { bps } from "../../../api/pages/format.ts";
import { sparkline } from "../../../api/pages/spark.ts";

const NOW = 1_763_133_600;
const HOUR = 3_600;

/** The y of each place, by its x. */
function drawn(svg: string): Map<number, number> {
  const path = /<path d="([^"]*)"/.exec(svg)?.[1] ?? "";
  const places = new Map<number, number>();
  for (const [, startX, startY, steps = ""] of path.matchAll(/M(\d+) (\d+)(?:h\.1|l([-\d ]+))/g)) {
    let [x, y] = [Number(startX), Number(startY)];
    places.set(x, y);
    const numbers = [...steps.matchAll(/-?\d+/g)].map(Number);
    for (let n = 0; n < numbers.length; n += 2) {
      [x, y] = [x + numbers[n]!, y + numbers[n + 1]!];
      places.set(x, y);
    }
  }
  return places;
}

describe("the line of a week", () => {
  it("the line of a week has a place for every two hours with a figure and for no other, higher figures higher, within its picture", () => {
    const point = fc.record({
      ago: fc.integer({ min: -5, max: 200 }),
      value: fc.option(fc.integer({ min: -5_000, max: 5_000 }), { nil: null }),
    });
    fc.assert(
      fc.property(fc.uniqueArray(point, { selector: ({ ago }) => ago, maxLength: 200 }), (points) => {
        const sorted = points
          .map(({ ago, value }) => ({ t: NOW - ago * HOUR, value }))
          .sort((one, other) => one.t - other.t);
        const places = new Map<number, number>();
        for (const { t, value } of sorted) {
          const hour = Math.floor(t / HOUR) - (Math.floor(NOW / HOUR) + 1 - 168);
          if (value !== null && hour >= 0 && hour < 168) places.set(Math.floor(hour / 2) * 2 + 1, value);
        }
        const svg = sparkline(sorted, NOW, "x");
        if (places.size < 2) {
          expect(svg).to.equal(null);
          return;
        }
        const line = drawn(svg!.text);
        expect([...line.keys()]).to.have.members([...places.keys()]);
        const byValue = [...places].sort(([, one], [, other]) => one - other);
        for (const [index, [x]] of byValue.entries()) {
          expect(line.get(x)).to.be.within(0, 36);
          if (index > 0) expect(line.get(x)).to.be.at.most(line.get(byValue[index - 1]![0])!);
        }
      }),
    );
  });

  it("leads over no gap, and shows a figure between two gaps", () => {
    const points = [20, 10, 8].map((ago, index) => ({ t: NOW - ago * HOUR, value: index + 1 }));
    const svg = sparkline(points, NOW, "x");
    const path = /<path d="([^"]*)"/.exec(svg!.text)?.[1] ?? "";
    expect(path).to.match(/^M\d+ \d+h\.1M\d+ \d+l2-\d+$/);
  });
});

describe("basis points", () => {
  it("carry a sign and thousands, and no sign where they round to zero", () => {
    const figures = [12.345, -0.04, 0.04, -1234.56, 999_999.95, null, undefined, Number.NaN];
    expect(figures.map(bps).join(" ")).to.equal("+12.3 0.0 0.0 −1,234.6 +999,999.9 – – –");
  });
});
