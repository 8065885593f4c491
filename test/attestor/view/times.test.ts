/** Moments and durations in words. */
import { expect } from "chai";
import { agoText, bothTimes, clockText, durationText, momentText } from "../../../attestor/view/times.ts";

const MOMENT = "2025-11-14T21:00:00.000Z";

describe("times in words", () => {
  it("says a moment in a zone, with its name, in both languages", () => {
    const at = Date.parse(MOMENT);
    const newYork = { zone: "America/New_York" };
    expect(momentText(at, { language: "en", ...newYork })).to.equal("14 Nov 2025, 16:00 EST");
    expect(momentText(at, { language: "en", zone: "Asia/Kathmandu" })).to.equal(
      "15 Nov 2025, 02:45 GMT+5:45",
    );
    expect(momentText(at, { language: "zh", zone: "Asia/Shanghai" })).to.match(/^2025年11月15日 05:00 /);
    expect(bothTimes(at, "en")).to.match(/ · 16:00 New York$/);
    // Midnight is the day's beginning, not its end.
    expect(clockText(Date.parse("2025-11-14T00:00:00Z"), { language: "en", zone: "UTC" })).to.equal("00:00");
  });

  it("says durations exactly where a limit is meant, and roundly where an age is", () => {
    expect(durationText(7_505n)).to.equal("2 h 5 min 5 s");
    expect(durationText(-90n)).to.equal("\u22121 min 30 s");
    expect(durationText(0n)).to.equal("0 s");
    expect([45, 119, 120, 7_199, 7_200, 172_800].map((seconds) => agoText(seconds, "en"))).to.deep.equal([
      ...["45 s", "119 s", "2 min", "119 min", "2 h", "2 d"],
    ]);
  });
});
