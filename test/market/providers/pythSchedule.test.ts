import { expect } from "chai";
import { createCalendar, KNOWN_CLOSURES } from "../../../attestor/calendar.ts";
import { exceptionsOf, parseSchedule } from "../../../market/providers/pythSchedule.ts";

const at = (text: string) => Date.parse(text) / 1_000;
const WEEK = "0930-1600,0930-1600,0930-1600,0930-1600,0930-1600,C,C";

describe("Pyth's schedule", () => {
  it("Pyth's schedule is read with its week and its days", () => {
    const schedule = parseSchedule(`America/New_York;${WEEK};0907/C,1127/0930-1300`);
    expect(schedule?.timeZone).to.equal("America/New_York");
    expect(schedule?.week[0]).to.eql([{ opens: 570, closes: 960 }]);
    expect(schedule?.week[6]).to.eql([]);
    expect(schedule?.days.get("0907")).to.eql([]);
    expect(schedule?.days.get("1127")).to.eql([{ opens: 570, closes: 780 }]);
  });

  it("Pyth's schedule may have days that are open throughout, several ranges, and no exceptions", () => {
    expect(parseSchedule("UTC;O,O,O,O,0000-2200,C,2200-2400;")?.week[6]).to.eql([
      { opens: 1320, closes: 1440 },
    ]);
    expect(parseSchedule("Asia/Tokyo;O,O,O,O,O,0900-1130&1230-1500,C")?.week[5]).to.have.length(2);
  });

  it("of another form is none, rather than half of one", () => {
    const wrong = [
      "",
      "America/New_York",
      "America/New_York;O,O,O",
      `America/New_York;${WEEK},C`,
      `;${WEEK};`,
      `America/New_York;${WEEK};1332/C`,
      `America/New_York;${WEEK};0230/C`,
      `America/New_York;${WEEK};0907`,
      `America/New_York;${WEEK};0907/X`,
      `America/New_York;${WEEK};0907/1600-0930`,
      `America/New_York;${WEEK};0907/0960-1600`,
      `America/New_York;${WEEK};0907/0930-2401`,
      `America/New_York;${WEEK};0907/C;more`,
      `<b>;${WEEK};`,
    ];
    for (const text of wrong) expect(parseSchedule(text), text).to.equal(null);
  });

  it("overrules the calendar's rules around the day it was read, by the date that is nearest", () => {
    const read = at("2026-11-20T15:00:00Z");
    const schedule = parseSchedule(`America/New_York;${WEEK};1123/C,1202/0930-1200,0101/C,0704/C`);
    const told = exceptionsOf(schedule!, read).slice(KNOWN_CLOSURES.length);
    expect(told).to.eql([
      { day: "2026-11-23", hours: null },
      { day: "2026-12-02", hours: { opens: 570, closes: 720 } },
      { day: "2027-01-01", hours: null },
    ]);
    const calendar = createCalendar(exceptionsOf(schedule!, read));
    expect(calendar.sessionAt(at("2026-11-23T16:00:00Z")).state).to.equal("closed");
    expect(calendar.sessionAt(at("2026-12-02T18:00:00Z")).state).to.equal("post-market");
    expect(calendar.sessionAt(at("2026-11-26T16:00:00Z")).state, "a holiday it leaves out").to.equal(
      "closed",
    );
    expect(calendar.sessionAt(at("2025-01-09T16:00:00Z")).state, "a known closure").to.equal("closed");
  });

  it("Pyth's schedule does not carry a day that has just been into next year", () => {
    const schedule = parseSchedule(`America/New_York;${WEEK};1126/C`);
    const told = exceptionsOf(schedule!, at("2026-11-27T15:00:00Z")).slice(KNOWN_CLOSURES.length);
    expect(told).to.eql([{ day: "2026-11-26", hours: null }]);
  });

  it("of another market, or with hours that no US session has, changes nothing", () => {
    const read = at("2026-11-20T15:00:00Z");
    for (const text of [
      `Europe/London;${WEEK};1123/C`,
      `America/New_York;${WEEK};1123/O`,
      `America/New_York;${WEEK};1123/0930-1200&1300-1600`,
    ])
      expect(exceptionsOf(parseSchedule(text)!, read)).to.eql(KNOWN_CLOSURES);
  });
});
