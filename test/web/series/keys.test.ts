import { expect } from "chai";
import fc from "fast-check";
import { placeAfterKey } from "../../../web/series/keys.ts";

const column = fc.array(fc.option(fc.integer()), { minLength: 1, maxLength: 120 });
const KEYS = ["ArrowLeft", "ArrowDown", "ArrowRight", "ArrowUp", "PageDown", "PageUp", "Home", "End"];

describe("keys on a chart", () => {
  it("lead always to an hour with a value, and never the wrong way", () => {
    fc.assert(
      fc.property(column, fc.constantFrom(...KEYS), fc.nat(), (values, key, chance) => {
        const known = values.flatMap((value, place) => (value === null ? [] : [place]));
        const from = known[chance % Math.max(1, known.length)] ?? null;
        const to = placeAfterKey(key, [values], from);
        if (known.length === 0) {
          expect(to).to.equal(undefined);
          return;
        }
        expect(values[to!]).not.to.equal(null);
        if (["ArrowLeft", "ArrowDown", "PageDown", "Home"].includes(key)) expect(to).to.be.at.most(from!);
        else expect(to).to.be.at.least(from!);
      }),
    );
  });

  it("step by an hour and by a day, past what is not known", () => {
    const values = Array.from({ length: 60 }, (_, place) => (place >= 30 && place < 34 ? null : 1));
    expect(placeAfterKey("ArrowRight", [values], 29)).to.equal(34);
    expect(placeAfterKey("ArrowLeft", [values], 34)).to.equal(29);
    expect(placeAfterKey("PageDown", [values], 59)).to.equal(35);
    expect(placeAfterKey("PageDown", [values], 55)).to.equal(29);
    expect(placeAfterKey("PageUp", [values], 7)).to.equal(34);
    expect(placeAfterKey("PageUp", [values], 50)).to.equal(59);
    expect(placeAfterKey("PageDown", [values], 3)).to.equal(0);
  });

  it("begin at the newest hour, and leave other keys alone", () => {
    expect(placeAfterKey("ArrowLeft", [[1, 2, null]], null)).to.equal(1);
    expect(placeAfterKey("ArrowRight", [[1, 2, null]], null)).to.equal(1);
    expect(placeAfterKey("Home", [[null, 2, 3]], null)).to.equal(1);
    for (const key of ["Tab", "Enter", "a", "Escape"])
      expect(placeAfterKey(key, [[1]], 0)).to.equal(undefined);
  });
});
