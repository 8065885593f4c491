/** The compiled contracts: of the sources that lie here. */
import { join } from "node:path";
import { expect } from "chai";
import { readBuild } from "../../../scripts/guard/build.ts";
import { testWorld } from "../../support/world.ts";

const ROOT = join(import.meta.dirname, "../../..");

describe("The build of a guard", () => {
  const chain = testWorld();

  it("refuses to deploy something else than the sources that lie here", async () => {
    const error = await readBuild(chain.dataDir, join(ROOT, "contracts/compiled")).catch(
      (caught: Error) => caught.message,
    );
    expect(error).to.match(/contracts\/.*\.sol changed since it was compiled/);
  });
});
