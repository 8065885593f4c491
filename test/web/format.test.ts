/** Figures and times as the islands print them. */
import { expect } from "chai";
import fc from "fast-check";
import { bps as serverBps } from "../../api/pages/format.ts";
import { bps } from "../../web/format/bps.ts";
import { inZone, timeInZone } from "../../web/format/time.ts";

const MOMENT = "2025-11-14T21:00:00.000Z";

describe("what the islands print", () => {
  it("says basis points as the server's pages do, without the plus", () => {
    fc.assert(
      fc.property(fc.option(fc.double({ min: -1e9, max: 1e9 }), { nil: null }), (value) => {
        expect(bps(value)).to.equal(serverBps(value).replace("+", ""));
      }),
    );
  });

  it("says a moment in a zone, with its name, in both languages", () => {
    expect(inZone(MOMENT, { language: "en", zone: "America/New_York" })).to.equal("2025-11-14 16:00 EST");
    expect(inZone(MOMENT, { language: "en", zone: "Asia/Kathmandu" })).to.equal("2025-11-15 02:45 GMT+5:45");
    expect(inZone(MOMENT, { language: "zh-CN", zone: "Asia/Shanghai" })).to.match(/^2025-11-15 05:00 /);
    expect(timeInZone(MOMENT, { language: "en", zone: "UTC" })).to.equal("21:00 UTC");
    // Midnight is the day's beginning, not its end.
    expect(timeInZone("2025-11-14T00:00:00Z", { language: "en", zone: "UTC" })).to.equal("00:00 UTC");
  });
});
