import { expect } from "chai";
import { SOLANA } from "../../../market/providers/solana.ts";
import { captured, solanaMint } from "../../support/providers/captures.ts";
import { bench, expectOtherShapes } from "../../support/providers/faults.ts";
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
    const { rows, rejected } = await mints(...keys);
    for (const { rawHash } of rows) expect(rawHash).to.match(/^0x[0-9a-f]{64}$/);
    const schedule = { current: "1.003909240011759", next: "1.005714560286254", effectiveAt: 1_781_755_200 };
    expect({ rows: rows.map(({ rawHash: _, ...row }) => row), rejected }).to.eql({
      rows: [{ mint: keys[0], multiplier: "1.005714560286254", schedule, isPaused: false }],
      rejected: [
        { key: keys[1], reason: "shape", field: "owner" },
        { key: keys[2], reason: "missing" },
      ],
    });
    expect(at.upstream.asked[0]?.body).to.eql(request);
  });

  it("counts an announced multiplier from its time on, and reads no mint of other decimals or without one", async () => {
    const now = at.clock.now() / 1_000;
    const of = (more: object) => solanaMint({ multiplier: "1", newMultiplier: "10", ...more });
    const effective = (newMultiplierEffectiveTimestamp: number) => of({ newMultiplierEffectiveTimestamp });
    const paused = effective(now + 1);
    paused.data.parsed.info.extensions.find(({ state }: any) => "paused" in state).state.paused = true;
    const wrong = [of({ multiplier: "0" }), solanaMint({}, 9), { ...of({}), data: ["", "base64"] }];
    at.upstream.reply(json(accounts(effective(now), paused, ...wrong)));
    const { rows, rejected } = await mints("a", "b", "c", "d", "e");
    expect(rows.map(({ multiplier, isPaused }) => [multiplier, isPaused])).to.eql([
      ["10", false],
      ["1", true],
    ]);
    expect(rejected.map(({ key, reason, field }) => [key, reason, field])).to.eql([
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
    expect((await mints(...many)).rows).to.have.length(101);
    expect(at.upstream.asked).to.have.length(2);
    await expectOtherShapes(at, [accounts(solanaMint({})), accounts(solanaMint({}, 9), null)], () =>
      mints("a", "b"),
    );
  });
});
