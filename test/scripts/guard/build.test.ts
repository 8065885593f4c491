/** The compiled contracts: of the sources that lie here, and told from any other code. */
import { join } from "node:path";
import { expect } from "chai";
import { isCodeOf, readBuild } from "../../../scripts/guard/build.ts";
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

  it("distinguishes the compiled code from any other, with any immutable values", async () => {
    const { guard } = await readBuild(ROOT);
    const code = await chain.provider.getCode(chain.deployment.guard);
    expect(isCodeOf(guard, code)).to.equal(true);
    expect(code).to.not.equal(guard.deployedBytecode);
    expect(isCodeOf(guard, code.replace("6080", "6081"))).to.equal(false);
    expect(isCodeOf(guard, `${code}00`)).to.equal(false);
    expect(isCodeOf(guard, await chain.provider.getCode(chain.deployment.executor))).to.equal(false);
    expect(isCodeOf(guard, "0x")).to.equal(false);
  });
});
