/** Runs the examples of client/README.md verbatim against a real service. */
import { expect } from "chai";
import { type ClientOptions, checkTrade, createClient, mandateCall } from "../../client/client.ts";
import { testService } from "../support/service.ts";
import { testWorld } from "../support/world.ts";
import { examples, runExample } from "./examples.ts";
import { mandatedSafe } from "./mandates.ts";

describe("client/README.md", () => {
  const world = testWorld();
  const service = testService(world);
  const given = () => ({
    baseUrl: service.url,
    apiKey: service.key,
    createClient: (options: ClientOptions) => createClient({ ...options, now: world.clock.now }),
  });

  /** The local chain's node holds the accounts. */
  const wallet = {
    request: ({ method, params }: { method: string; params: unknown[] }) =>
      world.provider.send(method, params),
  };
  const trust = () => ({
    guard: { chainId: world.deployment.chainId, address: world.deployment.guard },
    signer: world.accounts.attestation.address,
  });

  it("client/README.md has these examples, and this file runs each", () => {
    expect([...examples.keys()]).to.deep.equal(["example-mandate", "example-limit", "example-verify"]);
  });

  it("trades within a mandate by the agent's own key", async () => {
    const { safe, agent, module } = await mandatedSafe(world);
    const checked = (...[prepared, asked, trusted]: Parameters<typeof checkTrade>) =>
      checkTrade(prepared, asked, trusted, Math.floor(world.clock.now() / 1_000));
    const asked = { ...service.verifyBody(), ownerAddress: safe, amountInRaw: "100000000" };
    const own = { wallet, asked, agent: agent.address, module, checkTrade: checked, mandateCall };
    const lines = await runExample("example-mandate", { ...given(), ...trust(), ...own });
    expect(lines).to.deep.equal(["confirmed"]);
  });

  it("waits with a limit order until the price is within the limits", async () => {
    const { figures } = (await service.verify(service.verifyBody())).body.evidence;
    const fair = Number(figures.referencePriceUsd);
    const publish = (price: number) => {
      // By then the service asks for signed prices again.
      world.clock.advance(4_000);
      return world.publishReference("AAPLx", price);
    };
    // The stock falls, so that the token is too dear; while the order waits it comes back.
    await publish(fair * 0.994);
    const waiting = (resolve: () => void) => void publish(fair).then(resolve);
    const own = { wallet, asked: service.verifyBody(), setTimeout: waiting };
    const lines = await runExample("example-limit", { ...given(), ...trust(), ...own });
    expect(lines).to.have.length(2);
    expect(lines[0]).to.match(/^premium: /);
    expect(lines[1]).to.match(/^9[0-9]{17}$/);
  });

  it("verifies without a key by the example of client/README.md", async () => {
    const signPayment = () => expect.fail("nothing is to be paid in the free phase");
    const lines = await runExample("example-verify", { ...given(), signPayment });
    expect(lines).to.deep.equal(["ALLOW free"]);
  });
});
