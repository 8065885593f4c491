/** A guard that was deployed before there were packed trades: the service and the verifier go on with it as before. */
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect } from "chai";
import { ContractFactory } from "ethers";
import { z } from "zod";
import { verifyReport } from "../../../attestor/verify/verify.ts";
import { editionOfCode } from "../../../chain/guard/edition.ts";
import { TradeGuard__factory } from "../../../types/contracts/factories/contracts/TradeGuard__factory.ts";
import { carryOut, startService, walletOf } from "../../support/service.ts";
import { ofSuite, testFolder } from "../../support/suite.ts";
import { testWorld } from "../../support/world.ts";

const ARTIFACT = new URL("../../support/contracts/firstEdition.json", import.meta.url);
const Artifact = z.looseObject({ bytecode: z.string() });

describe("a guard of the first edition", () => {
  const world = testWorld();
  let guard: string;
  const folder = testFolder("first");
  const service = ofSuite(async () => {
    const { bytecode } = Artifact.parse(JSON.parse(await readFile(ARTIFACT, "utf8")));
    const admin = walletOf(world, 7);
    const { attestation } = world.accounts;
    const factory = new ContractFactory(TradeGuard__factory.abi, bytecode, admin);
    const deployed = await factory.deploy(admin.address, admin.address, attestation.address);
    await deployed.waitForDeployment();
    guard = await deployed.getAddress();
    const contract = TradeGuard__factory.connect(guard, admin);
    for (const { address, selector } of world.deployment.registry.routes)
      await (await contract.setRoute(address, selector, true)).wait();
    const deployment = {
      ...world.deployment,
      guard,
      executor: await contract.getFunction("executor").staticCall(),
      deployedAtBlock: await world.provider.getBlockNumber(),
    };
    const file = join(folder, "deployment.json");
    await writeFile(file, JSON.stringify(deployment));
    await world.tick();
    return startService(world, "sqlite::memory:", { DEPLOYMENT_FILE: file });
  });

  it("a guard of the first edition is known by its code, as the present one is", async () => {
    expect(editionOfCode(await world.provider.getCode(guard))).to.equal(1);
    expect(editionOfCode(await world.provider.getCode(world.deployment.guard))).to.equal(2);
  });

  it("gets trades without packed calls, which verify, execute and are confirmed", async () => {
    const { job, prepared } = await service.newPrepared();
    expect(prepared.report.decision).to.equal("ALLOW");
    expect(prepared.execution).to.include({ packedCall: null, packedRelayedCall: null });
    expect(prepared.execution.guardCall.to).to.equal(guard);
    const trust = { guard: { chainId: 31337, address: guard }, signer: world.accounts.attestation.address };
    expect(verifyReport(prepared, trust).verdict).to.equal("VALID");

    await service.submit(job.jobId, await carryOut(walletOf(world), prepared.execution));
    const { executions } = await service.jobWhen(
      job.jobId,
      (seen) => seen.executions[0]?.state !== "submitted",
    );
    expect(executions[0].state, executions[0].reason).to.equal("confirmed");
  });

  it("would refuse a packed call, as it does whatever it does not know", async () => {
    const [owner, data] = [walletOf(world), `0xcd601439${"00".repeat(64)}`];
    const thrown = await owner.call({ to: guard, data }).catch((error: unknown) => error);
    expect(thrown).to.be.instanceOf(Error);
  });
});
