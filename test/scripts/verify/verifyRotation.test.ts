/** Trades of a real service and a real guard, before and after its key was replaced, by a real node. */
import { expect } from "chai";
import { connectJsonRpc } from "../../../chain/jsonRpc.ts";
import { newWallet } from "../../support/keystores.ts";
import { carryOut, rotateSigner, startService, walletOf } from "../../support/service.ts";
import { ofSuite } from "../../support/suite.ts";
import { expectEnd, verifiedWith } from "../../support/verified.ts";
import { testWorld } from "../../support/world.ts";

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

  const verified = (document: unknown, flags: string[]) =>
    verifiedWith(["-", ...flags], connectJsonRpc(world.url), { document });
  const named = () => ["--guard", `${world.deployment.chainId}:${world.deployment.guard}`];

  it("believes the present key, and after the rotation only what the guard executed", async () => {
    for (const document of [executed, prepared]) {
      const { issuedBy } = expectEnd(await verified(document, named()), 0);
      expect(issuedBy).to.equal("issued_by_guards_key_today");
    }
    await rotateSigner(world, newWallet().address);

    const kept = expectEnd(await verified(executed, named()), 0);
    expect(kept.issuedBy).to.equal("issued_by_guards_key_executed");
    expect(kept.conclusion).to.match(/^VALID, EXECUTED\. /);
    for (const flags of [named(), ["--signer", world.accounts.attestation.address]])
      expectEnd(await verified(prepared, flags), 2, "issuer key_former");
  });

  it("finds no guard, and so no reason to trust, at an address that holds something else", async () => {
    const token = world.token("USDL");
    expectEnd(await verified(prepared, ["--guard", `${world.deployment.chainId}:${token}`]), 1);
  });
});
