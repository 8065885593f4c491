/** Trades of a real service and a real guard, before and after its key was replaced, by a real node. */
import { expect } from "chai";
import { Wallet } from "ethers";
import type { Verdict } from "../../attestor/steps.ts";
import { connectJsonRpc } from "../../chain/jsonRpc.ts";
import { PlainError, type World } from "../../cli/console.ts";
import { verifyCommand } from "../../cli/verify/verifyCommand.ts";
import { TradeGuard__factory } from "../../types/contracts/factories/contracts/TradeGuard__factory.ts";
import { carryOut, type Service, startService, walletOf } from "../support/service.ts";
import { testWorld } from "../support/world.ts";

describe("assay verify --rpc across a rotation of the key", function () {
  this.timeout(120_000);

  const world = testWorld();
  let service: Service;
  let executed: any;
  let prepared: any;

  before(async () => {
    service = await startService(world, ":memory:");
    const trade = async () => {
      const { body: job } = await service.post("/v1/jobs", service.jobBody());
      const { body } = await service.post(`/v1/jobs/${job.jobId}/prepare-execution`, {});
      expect(body.execution).to.not.equal(null);
      return body;
    };
    executed = await trade();
    await carryOut(walletOf(world), executed.execution);
    await world.tick();
    prepared = await trade();
  });
  after(() => service?.stop());

  async function verdict(document: unknown, flags: string[]): Promise<[Verdict, string]> {
    const lines: string[] = [];
    const reader: World = {
      out: (line) => void lines.push(line),
      err: () => {},
      readText: async () => JSON.stringify(document),
      exists: async () => false,
      writeSecret: async () => {
        throw new PlainError("not here");
      },
      ask: async () => "",
    };
    const args = ["-", "--rpc", world.url, ...flags];
    await verifyCommand(args, reader, connectJsonRpc, async () => []);
    const text = lines.join("\n");
    return [lines.at(-1)?.split(":")[0] as Verdict, text];
  }
  const named = () => ["--guard", `${world.deployment.chainId}:${world.deployment.guard}`];

  it("believes the present key, and after the rotation only what the guard executed", async () => {
    for (const document of [executed, prepared]) {
      const [now, text] = await verdict(document, named());
      expect(now, text).to.equal("VALID");
    }
    const admin = new Wallet(world.accounts.deployer.privateKey, world.provider);
    const guard = TradeGuard__factory.connect(world.deployment.guard, admin);
    await (await guard.rotateSigner(Wallet.createRandom().address, 3_600)).wait();

    const [kept, told] = await verdict(executed, named());
    expect(kept, told).to.equal("VALID");
    expect(told).to.contain("the guard executed this very trade");
    for (const flags of [named(), ["--signer", world.accounts.attestation.address]]) {
      const [open, why] = await verdict(prepared, flags);
      expect(open, why).to.equal("UNVERIFIABLE");
      expect(why).to.contain("could back-date");
    }
  });

  it("finds no guard, and so no reason to trust, at an address that holds something else", async () => {
    const token = world.token("USDL");
    const [other] = await verdict(prepared, ["--guard", `${world.deployment.chainId}:${token}`]);
    expect(other).to.equal("INVALID");
  });
});
