/** A trade within a mandate, on a real chain with a real Safe: the service knows nothing of the mandate, and its module decides. */
import { expect } from "chai";
import { checkTrade, createClient, mandateCall } from "../../client/client.ts";
import { MandateModule__factory } from "../../types/contracts/factories/contracts/MandateModule__factory.ts";
import { tokenOf } from "../support/dollars.ts";
import { testService } from "../support/service.ts";
import { testWorld } from "../support/world.ts";
import { type MandatedSafe, mandatedSafe } from "./mandates.ts";

describe("The call of an agent within a mandate", () => {
  const world = testWorld();
  const service = testService(world);
  let mandated: MandatedSafe;
  before(async () => {
    mandated = await mandatedSafe(world);
  });

  async function checked() {
    const { safe } = mandated;
    const body = service.jobBody({ ownerAddress: safe }) as any;
    const client = createClient({ baseUrl: service.url, apiKey: service.key });
    const { jobId } = await client.createJob(body);
    const { clientRequestId: _, ...asked } = body;
    const trust = {
      guard: { chainId: world.deployment.chainId, address: world.deployment.guard },
      signer: world.accounts.attestation.address,
    };
    const { execution } = checkTrade(
      await client.prepare(jobId),
      asked,
      trust,
      Math.floor(world.clock.now() / 1_000),
    );
    return { jobId, execution };
  }
  /** What the service says of the agent's transaction, once it is mined. */
  async function sent(jobId: string, { to, data }: { to: string; data: string }) {
    const { agent } = mandated;
    const { hash } = await agent.sendTransaction({ to, data, gasLimit: 1_500_000 });
    await agent.provider!.waitForTransaction(hash).catch(() => null);
    await service.submit(jobId, hash);
    const find = ({ executions }: any) => executions.find((one: any) => one.state !== "submitted");
    return find(await service.jobWhen(jobId, (job) => find(job) !== undefined));
  }

  it("is what the module's interface makes of the guard's arguments, and is followed to confirmed by the guard's event", async () => {
    const { jobId, execution } = await checked();
    const call = mandateCall(execution, mandated.module);
    const { intent, certificate, certificateSignature, routeCallData } = execution.guardCall.args;
    expect(call).to.deep.equal({
      to: mandated.module,
      data: MandateModule__factory.createInterface().encodeFunctionData("trade", [
        intent,
        certificate,
        certificateSignature,
        routeCallData,
      ]),
    });
    const stock = tokenOf(world, "AAPLx", mandated.owner);
    const before = await stock.getFunction("balanceOf")(mandated.safe);
    const ended = await sent(jobId, call);
    expect(ended).to.include({ state: "confirmed", reportVersion: 2 });
    expect(await stock.getFunction("balanceOf")(mandated.safe)).to.equal(
      before + BigInt(ended.confirmed.amountOutRaw),
    );
  });

  it("that the module refuses is a transaction that the service does not know", async () => {
    const { jobId, execution } = await checked();
    const rest = await checked();
    expect((await sent(jobId, mandateCall(execution, mandated.module))).state).to.equal("confirmed");
    // 500 of 500 dollars of the day are spent.
    const refused = await sent(rest.jobId, mandateCall(rest.execution, mandated.module));
    expect(refused).to.include({ state: "mismatched", reportVersion: null, confirmed: null });
    expect(refused.reason).to.contain("nothing was traded");
  });
});
