import { expect } from "chai";
import { localSources } from "../../../devnet/market/sources.ts";
import { collectRound } from "../../../market/collect/collect.ts";
import { createMemory } from "../../../market/collect/round.ts";
import { listActions } from "../../../market/series/corporateActions.ts";
import { memoryDatabase } from "../../support/database.ts";
import { listedToken } from "../../support/samples.ts";
import { ofTest } from "../../support/suite.ts";
import { testWorld } from "../../support/world.ts";

describe("corporate actions of the local world", () => {
  const world = testWorld();
  const db = ofTest(memoryDatabase);

  it("follow from the token's contract: a split that its issuer announces, and that takes effect", async () => {
    const [assetKey, address] = [world.assetKey("AAPLx"), world.token("AAPLx")];
    const assets = [listedToken("AAPL", { assetKey, address })];
    const now = () => world.clock.now();
    const { actionsOf } = localSources({
      deployment: world.deployment,
      provider: world.provider,
      assets,
      now,
    });
    const memory = createMemory();
    const round = async () => {
      const log = { warn() {}, error() {} };
      const deps = { db, assets, sources: { actionsOf: actionsOf! }, sessionAt: () => "regular", now, log };
      await collectRound(deps, memory, "prices");
      return listActions(db, { limit: 10 });
    };
    expect(await round()).to.eql([]);
    const effectiveAt = Math.floor(now() / 1_000) + 3_600;
    await world.scheduleSharesPerToken("AAPLx", 4n * 10n ** 18n, effectiveAt);
    const [announced, ...more] = await round();
    expect(more).to.eql([]);
    expect(announced).to.include({ assetKey, kind: "split", status: "announced", effectiveAt });
    expect(announced).to.include({ before: "1", after: "4" });
    expect(announced?.told[0]).to.include({ source: "simulated" });
    expect(announced?.told[0]?.rawHash).to.match(/^0x[0-9a-f]{64}$/);
    await world.tick(3_700);
    const [applied, ...others] = await round();
    expect(others).to.eql([]);
    expect(applied).to.include({ status: "applied", before: "1", after: "4", effectiveAt, revision: 2 });
  });
});
