import { expect } from "chai";
import { localMarket } from "../../../devnet/market/sources.ts";
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

  it("follow from the token's contract: a split that its issuer announces is there once, also once it has taken effect", async () => {
    const [assetKey, address] = [world.assetKey("AAPLx"), world.token("AAPLx")];
    const assets = [listedToken("AAPL", { assetKey, address })];
    const now = () => world.clock.now();
    const { deployment, provider } = world;
    const market = localMarket({ deployment, provider, assets, now });
    const memory = createMemory();
    const round = async () => {
      const log = { warn() {}, error() {} };
      const deps = { db, assets, market, sessionAt: () => "regular", now, log };
      await collectRound(deps, memory, "prices");
      return listActions(db, { limit: 10 });
    };
    expect(await round()).to.eql([]);
    const effectiveAt = Math.floor(now() / 1_000) + 3_600;
    await world.scheduleSharesPerToken("AAPLx", 4n * 10n ** 18n, effectiveAt);
    const [announced, ...more] = await round();
    expect(more).to.eql([]);
    expect(announced).to.include({ assetKey, before: "1", after: "4", effectiveAt, source: "simulated" });
    expect(announced?.rawHash).to.match(/^0x[0-9a-f]{64}$/);
    expect(await round()).to.eql([announced]);
    await world.tick(3_700);
    expect(await round()).to.eql([announced]);
  });
});
