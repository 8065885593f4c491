import { expect } from "chai";
import { SOLANA } from "../../../market/providers/solana.ts";
import { bench, expectOtherShapes, failsAsEvery } from "../../support/providers/adapter.ts";
import { captured, solanaMint } from "../../support/providers/captures.ts";
import { json } from "../../support/providers/upstream.ts";

const accounts = (...value: unknown[]) => ({ jsonrpc: "2.0", id: 1, result: { value } });

describe("a node of Solana", () => {
  const at = bench();
  const mints = (...asked: string[]) =>
    SOLANA.connect(at.deps).mints(asked.map((mint) => ({ mint, decimals: 8 })));

  it("reads mints as a node tells them, and takes no account and one of another program for what they are", async () => {
    const { request, response } = captured("solana");
    const [keys] = request.params;
    at.upstream.reply(json(response));
    const { statements, rejected } = await mints(...keys);
    const rawHash = statements[0]?.rawHash;
    expect(rawHash).to.match(/^0x[0-9a-f]{64}$/);
    const stated = { subject: keys[0], source: "solana", origin: "solana", at: null, rawHash };
    const change = { next: "1.005714560286254", effectiveAt: 1_781_755_200, reason: null };
    expect({ statements, rejected }).to.eql({
      statements: [
        { ...stated, of: "ratio", figure: "1.003909240011759", change },
        { ...stated, of: "listing", figure: "listed", isHalted: false },
      ],
      rejected: [
        { of: "ratio", subject: keys[1], reason: "shape", field: "owner" },
        { of: "ratio", subject: keys[2], reason: "missing" },
      ],
    });
    expect(at.upstream.asked[0]?.body).to.eql(request);
  });

  it("states an announced multiplier with its time, and reads no mint of other decimals or without one", async () => {
    const now = at.time.now() / 1_000;
    const of = (more: object) => solanaMint({ multiplier: "1", newMultiplier: "10", ...more });
    const effective = (newMultiplierEffectiveTimestamp: number) => of({ newMultiplierEffectiveTimestamp });
    const paused = effective(now + 1);
    paused.data.parsed.info.extensions.find(({ state }: any) => "paused" in state).state.paused = true;
    const wrong = [of({ multiplier: "0" }), solanaMint({}, 9), { ...of({}), data: ["", "base64"] }];
    at.upstream.reply(json(accounts(effective(now), paused, ...wrong)));
    const { statements, rejected } = await mints("a", "b", "c", "d", "e");
    const ratios = statements.filter((one) => one.of === "ratio");
    expect(ratios.map(({ figure, change }) => [figure, change?.next, change?.effectiveAt])).to.eql([
      ["1", "10", now],
      ["1", "10", now + 1],
    ]);
    const listings = statements.filter((one) => one.of === "listing");
    expect(listings.map(({ isHalted }) => isHalted)).to.eql([false, true]);
    expect(rejected.map(({ subject, reason, field }) => [subject, reason, field])).to.eql([
      ["c", "not_positive", undefined],
      ["d", "shape", "data.parsed.info.decimals"],
      ["e", "shape", "data"],
    ]);
  });

  it("asks for a hundred at a time, and takes fewer accounts than were asked for, or none that it can read, for a fault", async () => {
    at.upstream.reply((asked, response) =>
      json(accounts(...asked.body.params[0].map(() => solanaMint({}))))(asked, response),
    );
    const many = Array.from({ length: 101 }, (_, index) => `m${index}`);
    expect((await mints(...many)).statements).to.have.length(2 * 101);
    expect(at.upstream.asked).to.have.length(2);
    await expectOtherShapes(at, [accounts(solanaMint({})), accounts(solanaMint({}, 9), null)], () =>
      mints("a", "b"),
    );
  });
});

failsAsEvery(
  "Solana's mints",
  (deps) => SOLANA.connect(deps).mints([{ mint: "m", decimals: 8 }]),
  (hole) => accounts(solanaMint({ multiplier: hole, newMultiplierEffectiveTimestamp: hole })),
);
