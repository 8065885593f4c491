import { expect } from "chai";
import fc from "fast-check";
import {
  calendarDays,
  createCalendar,
  lastCloseAt,
  newYorkDate,
  type SessionState,
  sessionAt,
} from "../../attestor/calendar.ts";
import { KNOWN_CLOSURES } from "../../attestor/tradingDays.ts";
import PUBLISHED from "./calendar.json" with { type: "json" };

const at = (text: string) => Date.parse(text) / 1_000;
const text = (seconds: number) => new Date(seconds * 1_000).toISOString().replace(".000", "");

/** Of every day of a year, at 16:00 UTC. */
const noonsOf = (year: number): number[] => {
  const [first, end] = [at(`${year}-01-01T16:00:00Z`), at(`${year + 1}-01-01T00:00:00Z`)];
  return Array.from({ length: Math.ceil((end - first) / 86_400) }, (_, day) => first + day * 86_400);
};

/** Days with regular trading of a year, by their New York dates, and the early closes among them. */
function tradingDays(year: number) {
  const days: string[] = [];
  const early: string[] = [];
  for (const noon of noonsOf(year)) {
    const session = sessionAt(noon);
    if (session.state !== "regular") continue;
    days.push(newYorkDate(noon));
    if (session.closesAt - session.opensAt < 6.5 * 3_600) early.push(newYorkDate(noon));
  }
  return { days, early };
}

function holidays(year: number): string[] {
  const open = new Set(tradingDays(year).days);
  const isWeekday = (noon: number) => ![0, 6].includes(new Date(noon * 1_000).getUTCDay());
  const closed = noonsOf(year).filter((noon) => isWeekday(noon) && !open.has(newYorkDate(noon)));
  return closed.map((noon) => newYorkDate(noon).slice(5));
}

describe("the calendar of the US stock market", () => {
  it("keeps the holidays that the exchange published, observed days and mourning included", () => {
    for (const [year, days] of Object.entries(PUBLISHED.holidays))
      expect(holidays(Number(year)).join(" "), year).to.equal(days);
  });

  it("closes at 13:00 on the published half-days", () => {
    for (const [year, days] of Object.entries(PUBLISHED.halfDays))
      expect(
        tradingDays(Number(year))
          .early.map((day) => day.slice(5))
          .join(" "),
        year,
      ).to.equal(days);
  });

  it("lists each weekday with its sessions, and names the holidays and half-days of 2024 to 2027 as the exchange does", () => {
    const days = calendarDays("2024-01-01", "2028-01-01");
    const named = days.flatMap(({ day, kind, name }) => (kind === "full" ? [] : [`${day} ${kind} ${name}`]));
    expect(named).to.eql(PUBLISHED.named);
    expect(days.filter(({ kind, name }) => kind === "full" && name !== null)).to.eql([]);
    expect(
      calendarDays("2026-11-27", "2026-12-01").map(({ sessions, ...day }) => ({
        ...day,
        sessions: sessions.map(
          ({ state, opensAt, closesAt }) => `${state} ${text(opensAt)} ${text(closesAt)}`,
        ),
      })),
    ).to.eql([
      {
        day: "2026-11-27",
        kind: "half",
        name: "Day after Thanksgiving",
        sessions: [
          "overnight 2026-11-27T01:00:00Z 2026-11-27T09:00:00Z",
          "pre-market 2026-11-27T09:00:00Z 2026-11-27T14:30:00Z",
          "regular 2026-11-27T14:30:00Z 2026-11-27T18:00:00Z",
          "post-market 2026-11-27T18:00:00Z 2026-11-27T22:00:00Z",
        ],
      },
      {
        day: "2026-11-30",
        kind: "full",
        name: null,
        sessions: [
          "overnight 2026-11-30T01:00:00Z 2026-11-30T09:00:00Z",
          "pre-market 2026-11-30T09:00:00Z 2026-11-30T14:30:00Z",
          "regular 2026-11-30T14:30:00Z 2026-11-30T21:00:00Z",
          "post-market 2026-11-30T21:00:00Z 2026-12-01T01:00:00Z",
        ],
      },
    ]);
    const [closed] = calendarDays("2025-01-09", "2025-01-10");
    expect(closed).to.eql({
      day: "2025-01-09",
      kind: "closed",
      name: "National Day of Mourning",
      sessions: [],
    });
    expect(calendarDays("2026-11-30", "2026-11-27")).to.eql([]);
  });

  it("finds Good Friday even in the years whose Easter is an exception", () => {
    for (const friday of ["1954-04-16", "1981-04-17", "2049-04-16", "2076-04-17", "2038-04-23", "2035-03-23"])
      expect(sessionAt(at(`${friday}T16:00:00Z`)).state, friday).to.equal("closed");
    expect(sessionAt(at("2076-04-24T16:00:00Z")).state).to.equal("regular");
  });

  function walk(from: string, count: number): string[] {
    const seen: string[] = [];
    let session = sessionAt(at(from));
    for (let step = 0; step < count; step++) {
      seen.push(`${session.state} ${text(session.opensAt)}`);
      session = sessionAt(session.closesAt);
    }
    return seen;
  }

  it("tells the sessions of a week, weekend included", () => {
    expect(walk("2026-11-20T15:00:00Z", 6)).to.eql([
      "regular 2026-11-20T14:30:00Z",
      "post-market 2026-11-20T21:00:00Z",
      "closed 2026-11-21T01:00:00Z",
      "overnight 2026-11-23T01:00:00Z",
      "pre-market 2026-11-23T09:00:00Z",
      "regular 2026-11-23T14:30:00Z",
    ]);
  });

  it("trades overnight into a trading day alone: neither into Thanksgiving nor after its half-day", () => {
    expect(walk("2026-11-25T20:00:00Z", 9)).to.eql([
      "regular 2026-11-25T14:30:00Z",
      "post-market 2026-11-25T21:00:00Z",
      "closed 2026-11-26T01:00:00Z",
      "overnight 2026-11-27T01:00:00Z",
      "pre-market 2026-11-27T09:00:00Z",
      "regular 2026-11-27T14:30:00Z",
      "post-market 2026-11-27T18:00:00Z",
      "closed 2026-11-27T22:00:00Z",
      "overnight 2026-11-30T01:00:00Z",
    ]);
  });

  it("follows New York through both changes of clocks", () => {
    const opens = (day: string) => text(sessionAt(at(`${day}T17:00:00Z`)).opensAt);
    expect(opens("2026-03-06")).to.equal("2026-03-06T14:30:00Z");
    expect(opens("2026-03-09")).to.equal("2026-03-09T13:30:00Z");
    expect(opens("2026-10-30")).to.equal("2026-10-30T13:30:00Z");
    expect(opens("2026-11-02")).to.equal("2026-11-02T14:30:00Z");
    // The night of Sunday: 20:00 is summer time in March and winter time in November.
    expect(text(sessionAt(at("2026-03-09T03:00:00Z")).opensAt)).to.equal("2026-03-09T00:00:00Z");
    expect(text(sessionAt(at("2026-11-02T03:00:00Z")).opensAt)).to.equal("2026-11-02T01:00:00Z");
  });

  it("knows the New York date of every hour around midnight and around the changes of clocks", () => {
    const format = new Intl.DateTimeFormat("sv-SE", { timeZone: "America/New_York" });
    for (const day of ["2026-03-08", "2026-11-01", "2026-07-15", "2026-12-31"])
      for (let minutes = -1_440; minutes < 2_880; minutes += 15) {
        const seconds = at(`${day}T00:00:00Z`) + minutes * 60;
        expect(newYorkDate(seconds), text(seconds)).to.equal(format.format(seconds * 1_000));
      }
  });

  it("finds the last official close, on half-days at 13:00 and over a long weekend", () => {
    expect(text(lastCloseAt(at("2026-11-20T20:59:59Z")))).to.equal("2026-11-19T21:00:00Z");
    expect(text(lastCloseAt(at("2026-11-20T21:00:00Z")))).to.equal("2026-11-20T21:00:00Z");
    expect(text(lastCloseAt(at("2026-11-29T12:00:00Z")))).to.equal("2026-11-27T18:00:00Z");
    expect(text(lastCloseAt(at("2026-04-06T12:00:00Z")))).to.equal("2026-04-02T20:00:00Z");
  });

  describe("exceptions", () => {
    it("close a day or shorten it, and the night before with it", () => {
      const calendar = createCalendar([
        { day: "2026-11-18", hours: null },
        { day: "2026-11-20", hours: { opens: 11 * 60, closes: 13 * 60 } },
      ]);
      const state = (moment: string) => calendar.sessionAt(at(moment)).state;
      expect(state("2026-11-18T02:00:00Z")).to.equal("closed");
      expect(state("2026-11-18T16:00:00Z")).to.equal("closed");
      expect(state("2026-11-19T02:00:00Z")).to.equal("overnight");
      expect(state("2026-11-20T15:00:00Z")).to.equal("pre-market");
      expect(state("2026-11-20T16:00:00Z")).to.equal("regular");
      expect(state("2026-11-20T18:00:00Z")).to.equal("post-market");
      expect(text(calendar.lastCloseAt(at("2026-11-18T22:00:00Z")))).to.equal("2026-11-17T21:00:00Z");
    });

    it("of two for one day count by the later, so that a better source can overrule", () => {
      const open = { opens: 570, closes: 960 };
      const calendar = createCalendar([...KNOWN_CLOSURES, { day: "2025-01-09", hours: open }]);
      expect(calendar.sessionAt(at("2025-01-09T17:00:00Z")).state).to.equal("regular");
    });

    it("the calendar of the US stock market exceptions are refused when they are no day or no hours", () => {
      for (const day of ["2026-02-30", "2026-2-3", "tomorrow", ""])
        expect(() => createCalendar([{ day, hours: null }]), day).to.throw(RangeError);
      for (const [opens, closes] of [
        [570, 570],
        [960, 570],
        [0, 960],
        [570, 1_300],
        [Number.NaN, 960],
      ])
        expect(() =>
          createCalendar([{ day: "2026-11-20", hours: { opens: opens!, closes: closes! } }]),
        ).to.throw(RangeError);
    });
  });

  describe("as properties", () => {
    const moment = fc.integer({ min: at("2013-01-01T00:00:00Z"), max: at("2040-01-01T00:00:00Z") });

    it("sessions tile the time: each ends where the next begins, and every moment is in its own", () => {
      fc.assert(
        fc.property(moment, (seconds) => {
          const session = sessionAt(seconds);
          expect(session.opensAt).to.be.at.most(seconds);
          expect(session.closesAt).to.be.greaterThan(seconds);
          const next = sessionAt(session.closesAt);
          expect(next.opensAt).to.equal(session.closesAt);
          expect(next.state).not.to.equal(session.state);
          expect(sessionAt(session.opensAt)).to.eql(session);
          expect(sessionAt(session.closesAt - 1)).to.eql(session);
          expect(sessionAt(session.opensAt - 1).closesAt).to.equal(session.opensAt);
        }),
        { numRuns: 500 },
      );
    });

    it("a listed session is the session at each of its moments, and a moment of no listed session is closed", () => {
      fc.assert(
        fc.property(moment, fc.integer({ min: 1, max: 12 }), fc.nat(86_400 * 5), (seconds, count, later) => {
          const [from, to] = [seconds, seconds + count * 86_400].map(newYorkDate) as [string, string];
          const listed = calendarDays(from, to).flatMap(({ sessions }) => sessions);
          for (const session of listed)
            for (const at of [session.opensAt, session.closesAt - 1]) expect(sessionAt(at)).to.eql(session);
          // Of the whole time that the list covers: the last day's end is the first moment that is not asked for.
          const asked = seconds + (later % (count * 86_400));
          const state = sessionAt(asked).state;
          const nextDay = newYorkDate(asked + 4 * 3_600);
          const isCovered = nextDay >= from && nextDay < to;
          if (isCovered && state !== "closed") expect(listed).to.deep.include(sessionAt(asked));
        }),
        { numRuns: 200 },
      );
    });

    it("an answer does not depend on what was asked before", () => {
      fc.assert(
        fc.property(fc.array(moment, { maxLength: 5 }), moment, (before, seconds) => {
          const asked = createCalendar();
          for (const other of before) asked.sessionAt(other);
          expect(asked.sessionAt(seconds)).to.eql(createCalendar().sessionAt(seconds));
        }),
        { numRuns: 100 },
      );
    });

    it("sessions follow each other in the order of a trading day", () => {
      const after: Record<SessionState, SessionState[]> = {
        overnight: ["pre-market"],
        "pre-market": ["regular"],
        regular: ["post-market"],
        "post-market": ["overnight", "closed"],
        closed: ["overnight"],
      };
      fc.assert(
        fc.property(moment, (seconds) => {
          const session = sessionAt(seconds);
          expect(after[session.state]).to.include(sessionAt(session.closesAt).state);
        }),
        { numRuns: 500 },
      );
    });

    it("the last close is the end of a regular session that is over", () => {
      fc.assert(
        fc.property(moment, (seconds) => {
          const close = lastCloseAt(seconds);
          expect(close).to.be.at.most(seconds);
          expect(sessionAt(close - 1)).to.include({ state: "regular", closesAt: close });
        }),
        { numRuns: 500 },
      );
    });
  });
});
