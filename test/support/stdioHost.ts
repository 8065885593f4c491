/** A host of `assay mcp`: an official client of either generation, and a whole trade by its tools. */
import { expect } from "chai";
import { verifyReport } from "../../attestor/verify/verify.ts";
import { carryOut, type Service, walletOf } from "./service.ts";

export const TOOLS = [
  ...["list_supported_assets", "get_verification_policy", "prepare_verification"],
  ...["purchase_verification", "get_verification", "prepare_guard_trade", "get_execution_status"],
];
export const INFO = { name: "test-host", version: "1.0.0" };

/** What both generations have in common. */
export interface Client {
  listTools(): Promise<{ tools: { name: string }[] }>;
  callTool(call: { name: string; arguments: object; _meta?: object }): Promise<any>;
  readResource(asked: { uri: string }): Promise<any>;
  close(): Promise<void>;
}

type Host = ReturnType<typeof hostOf>;

export function hostOf(client: Client) {
  const call = (name: string, given = {}, _meta?: object) =>
    client.callTool({ name, arguments: given, ...(_meta === undefined ? {} : { _meta }) });
  return {
    names: async () => (await client.listTools()).tools.map(({ name }) => name),
    call,
    async read(uri: string) {
      return JSON.parse((await client.readResource({ uri })).contents[0].text);
    },
    /** What a call that must fail says. */
    async failure(name: string, given: object) {
      const result = await call(name, given);
      expect(result.isError).to.equal(true);
      return JSON.parse(result.content[0].text);
    },
    [Symbol.asyncDispose]: () => client.close(),
  };
}

type Wallet = (required: unknown) => Promise<string>;
/** @param pay what the wallet does about payment requirements; null where nothing is to be paid */
export async function trade(host: Host, at: Service, pay: Wallet | null): Promise<void> {
  const call = async (name: string, given: object = {}) => {
    const result = await host.call(name, given);
    expect(result.isError, JSON.stringify(result.content)).to.not.equal(true);
    return result.structuredContent;
  };
  expect(await host.names()).to.have.members(TOOLS);
  const { assets } = await call("list_supported_assets");
  const keyOf = (symbol: string) => assets.find((asset: any) => asset.symbol === symbol).assetKey;
  const { policies } = await call("get_verification_policy", { policyId: "STRICT_LIVE" });
  expect(policies).to.have.length(1);
  const body = at.jobBody({ inputAssetKey: keyOf("USDL"), outputAssetKey: keyOf("AAPLx") });
  const { jobId, decision: free } = await call("prepare_verification", body);

  if (pay === null) expect((await call("purchase_verification", { jobId })).payment).to.equal("not_required");
  else {
    expect(free).to.equal(null);
    const { isError, structuredContent: terms } = await host.call("purchase_verification", { jobId });
    expect(isError).to.equal(true);
    const paymentSignature = await pay(terms);
    const paid = await call("purchase_verification", { jobId, paymentSignature });
    expect([paid.payment, paid.settlement.success]).to.deep.equal(["settled", true]);
    expect(await call("purchase_verification", { jobId })).to.deep.equal(paid);
  }
  const judged = await call("get_verification", { jobId });
  expect(judged).to.include({ decision: "ALLOW", version: 1 });
  await call("prepare_guard_trade", { jobId });
  expect(await call("get_verification", { jobId, version: 1 })).to.deep.equal(judged);
  expect((await call("get_verification", { jobId })).version).to.equal(2);

  const document = await host.read(`assay://jobs/${jobId}/reports/2`);
  const { attestation } = at.world.accounts;
  expect(verifyReport(document, { signer: attestation.address }).verdict).to.equal("VALID");
  const transactionHash = await carryOut(walletOf(at.world), document.execution);
  const recorded = await call("get_execution_status", { jobId, transactionHash });
  expect(recorded.execution.transactionHash).to.equal(transactionHash);
  await at.jobWhen(jobId, ({ executions }) => executions[0]?.state === "confirmed");
  const { execution } = await call("get_execution_status", { jobId });
  expect(execution.received).to.match(/^0\.9[0-9]* AAPLx$/);
}
