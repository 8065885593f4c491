import { expect } from "chai";
import fc from "fast-check";
import { sessionAt } from "../../../attestor/calendar.ts";
import { testDataApi } from "../../support/dataApi.ts";

const NOW = Date.UTC(2026, 10, 25, 3) / 1_000;

describe("the calendar of the data API", () => {
  const data = { now: () => NOW * 1_000 };
  const { get } = testDataApi(async () => ({ data }), "/api/v1/calendar");

  it("the calendar lists days with their sessions, a half-day and a holiday by name", async () => {
    const { status, body } = await get("?from=2026-11-26&to=2026-11-28");
    expect(status).to.equal(200);
    const { attribution, ...rest } = body;
    expect(attribution).to.contain("Assay");
    expect(rest).to.eql({
      from: "2026-11-26",
      to: "2026-11-28",
      source: "nyse-calendar",
      days: [
        { day: "2026-11-26", kind: "closed", name: "Thanksgiving Day", sessions: [] },
        {
          day: "2026-11-27",
          kind: "half",
          name: "Day after Thanksgiving",
          sessions: [
            ["overnight", "2026-11-27T01:00:00.000Z", "2026-11-27T09:00:00.000Z"],
            ["pre-market", "2026-11-27T09:00:00.000Z", "2026-11-27T14:30:00.000Z"],
            ["regular", "2026-11-27T14:30:00.000Z", "2026-11-27T18:00:00.000Z"],
            ["post-market", "2026-11-27T18:00:00.000Z", "2026-11-27T22:00:00.000Z"],
          ].map(([session, opens_at, closes_at]) => ({ session, opens_at, closes_at })),
        },
      ],
    });
  });

  it("the calendar begins today in New York and ends a year later where nothing is asked for", async () => {
    // In UTC it is the next day already.
    const { body } = await get();
    expect([body.from, body.to]).to.eql(["2026-11-24", "2027-11-24"]);
    expect([body.days[0].day, body.days.at(-1).day]).to.eql(["2026-11-24", "2027-11-23"]);
    expect((await get("?from=2024-02-29")).body.to).to.equal("2025-02-28");
    expect((await get("?from=2027-11-24&to=2027-11-24")).body.days).to.eql([]);
    // The end of the rules.
    expect((await get("?from=2099-12-30")).body.to).to.equal("2100-01-01");
  });

  it("the calendar covers five years, and refuses more, days outside its rules, and what is no day", async () => {
    expect((await get("?from=2026-01-01&to=2031-01-01")).body.days).to.have.length(1_304);
    for (const query of [
      "from=2026-01-01&to=2032-01-01",
      "from=2026-02-30",
      "days=3",
      "from=2012-12-31",
      "from=0000-01-01",
      "from=9999-12-31",
      "from=2100-01-02&to=2099-01-01",
      "to=0001-01-01",
      "to=2012-12-31",
      "to=2100-01-02",
      "from=2026-01-01&to=9999-12-31",
    ]) {
      const { status, body } = await get(`?${query}`);
      expect([status, body.code], query).to.deep.equal([400, "invalid_request"]);
    }
    const malformed = (await get("?from=2026-11-25T14:00:00Z")).body;
    expect(malformed.errors).to.deep.equal([{ path: "from", message: "must be a date such as 2026-11-25" }]);
    for (const query of ["to=2013-01-01", "from=2100-01-01&to=2100-01-01"])
      expect((await get(`?${query}`)).body.days, query).to.deep.equal([]);
  });

  it("a session of the calendar is the one that samples of its time are marked with", async () => {
    const { body } = await get("?from=2024-01-01&to=2028-01-01");
    const sessions = body.days.flatMap(({ sessions }: any) => sessions);
    const unix = (text: string) => Date.parse(text) / 1_000;
    fc.assert(
      fc.property(
        fc.constantFrom(...sessions),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (session: any, part) => {
          const [opensAt, closesAt] = [unix(session.opens_at), unix(session.closes_at)];
          const seconds = Math.min(closesAt - 1, Math.floor(opensAt + part * (closesAt - opensAt)));
          expect(sessionAt(seconds)).to.eql({ state: session.session, opensAt, closesAt });
        },
      ),
    );
  });
});
