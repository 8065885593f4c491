/** Trades of a real service and a real guard, before and after its key was replaced, by a real node. */
import { expect } from "chai";
import { connectJsonRpc } from "../../chain/jsonRpc.ts";
import { newWallet } from "../support/keystores.ts";
import { carryOut, rotateSigner, startService, walletOf } from "../support/service.ts";
import { ofSuite } from "../support/suite.ts";
import { verifiedWith } from "../support/verified.ts";
import { testWorld } from "../support/world.ts";

describe("assay verify --rpc across a rotation of the key", () => {
  const world = testWorld();
  const service = ofSuite(() => startService(world, ":memory:"));
  let executed: any;
  let prepared: any;

  before(async () => {
    const trade = async () => {
      const { prepared: body } = await service.newPrepared();
      expect(body.execution).to.not.equal(null);
      return body;
    };
    executed = await trade();
    await carryOut(walletOf(world), executed.execution);
    await world.tick();
    prepared = await trade();
  });

  async function verdict(document: unknown, flags: string[]) {
    const told = await verifiedWith(["-", ...flags], connectJsonRpc(world.url), { document });
    return [told.verdict, told.text] as const;
  }
  const named = () => ["--guard", `${world.deployment.chainId}:${world.deployment.guard}`];

  it("believes the present key, and after the rotation only what the guard executed", async () => {
    for (const document of [executed, prepared]) {
      const [now, text] = await verdict(document, named());
      expect(now, text).to.equal("VALID");
    }
    await rotateSigner(world, newWallet().address);

    const [kept, told] = await verdict(executed, named());
    expect(kept, told).to.equal("VALID");
    expect(told).to.contain("the guard executed this very trade");
    for (const flags of [named(), ["--signer", world.accounts.attestation.address]]) {
      const [open, why] = await verdict(prepared, flags);
      expect(open, why).to.equal("UNVERIFIABLE");
      expect(why).to.contain("could backdate");
    }
  });

  it("finds no guard, and so no reason to trust, at an address that holds something else", async () => {
    const token = world.token("USDL");
    const [other] = await verdict(prepared, ["--guard", `${world.deployment.chainId}:${token}`]);
    expect(other).to.equal("INVALID");
  });
});
