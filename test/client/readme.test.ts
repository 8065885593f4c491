/** The examples of client/README.md, run as they stand there against a real service. */
import { expect } from "chai";
import { examples, runExample } from "../support/clientReadme.ts";
import { testService, walletOf } from "../support/service.ts";
import { testWorld } from "../support/world.ts";

describe("client/README.md", () => {
  const world = testWorld();
  const service = testService(world);
  const given = () => ({ baseUrl: service.url, apiKey: service.key });

  it("client/README.md has three examples, and this file runs each", () => {
    expect([...examples.keys()]).to.deep.equal(["example-data", "example-trade", "example-verify"]);
  });

  it("reads market data by the example of client/README.md", async () => {
    const [attribution, ...lines] = await runExample("example-data", given());
    expect(attribution).to.include("simulated");
    expect(lines).to.have.length(3);
    expect(lines[0]).to.match(/^\w+x /);
  });

  it("brings a trade to its confirmation", async () => {
    const { deployment, accounts } = world;
    const guard = { chainId: deployment.chainId, address: deployment.guard };
    const trade = (signer: string) =>
      runExample("example-trade", { ...given(), wallet: walletOf(world), guard, signer });
    const [line] = await trade(accounts.attestation.address);
    expect(line).to.match(/^confirmed [1-9][0-9]+$/);
    const refused = await trade(accounts.relayer.address).catch((error: Error) => error.message);
    expect(refused).to.match(/^INVALID: It was signed by /);
  });

  it("verifies without a key by the example of client/README.md", async () => {
    const signPayment = () => expect.fail("nothing is to be paid in the free phase");
    const lines = await runExample("example-verify", { ...given(), signPayment });
    expect(lines).to.deep.equal(["ALLOW free"]);
  });
});
