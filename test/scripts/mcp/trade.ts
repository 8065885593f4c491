/** A whole trade by the tools of `assay mcp`, as hosts of both generations make it. */
import { expect } from "chai";
import { verifyReport } from "../../../attestor/verify/verify.ts";
import type { Host } from "../../support/mcp.ts";
import { carryOut, type Service, walletOf } from "../../support/service.ts";

export const TOOLS = [
  ...["list_supported_assets", "get_verification_policy", "prepare_verification"],
  ...["purchase_verification", "get_verification", "prepare_guard_trade", "get_execution_status"],
];

type Wallet = (required: unknown) => Promise<string>;
/** @param pay what the wallet does about payment requirements; null where nothing is to be paid */
export async function trade(host: Host, at: Service, pay: Wallet | null): Promise<void> {
  const { use } = host;
  expect((await host.listTools()).map(({ name }) => name)).to.have.members(TOOLS);
  const { assets } = await use("list_supported_assets");
  const keyOf = (symbol: string) => assets.find((asset: any) => asset.symbol === symbol).assetKey;
  const { policies } = await use("get_verification_policy", { policyId: "STRICT_LIVE" });
  expect(policies).to.have.length(1);
  const body = at.jobBody({ inputAssetKey: keyOf("USDL"), outputAssetKey: keyOf("AAPLx") });
  const { jobId, decision: free } = await use("prepare_verification", body);

  if (pay === null) expect((await use("purchase_verification", { jobId })).payment).to.equal("not_required");
  else {
    expect(free).to.equal(null);
    const { required } = await host.due("purchase_verification", { jobId });
    const paymentSignature = await pay(required);
    const paid = await use("purchase_verification", { jobId, paymentSignature });
    expect([paid.payment, paid.settlement.success]).to.deep.equal(["settled", true]);
    expect(await use("purchase_verification", { jobId })).to.deep.equal(paid);
  }
  const judged = await use("get_verification", { jobId });
  expect(judged).to.include({ decision: "ALLOW", version: 1 });
  await use("prepare_guard_trade", { jobId });
  expect(await use("get_verification", { jobId, version: 1 })).to.deep.equal(judged);
  expect((await use("get_verification", { jobId })).version).to.equal(2);

  const { contents } = await host.client.readResource({ uri: `assay://jobs/${jobId}/reports/2` });
  const document = JSON.parse((contents[0] as { text: string }).text);
  const { attestation } = at.world.accounts;
  expect(verifyReport(document, { signer: attestation.address }).verdict).to.equal("VALID");
  const transactionHash = await carryOut(walletOf(at.world), document.execution);
  const recorded = await use("get_execution_status", { jobId, transactionHash });
  expect(recorded.execution.transactionHash).to.equal(transactionHash);
  await at.jobWhen(jobId, ({ executions }) => executions[0]?.state === "confirmed");
  const { execution } = await use("get_execution_status", { jobId });
  expect(execution.received).to.match(/^0\.9[0-9]* AAPLx$/);
}
