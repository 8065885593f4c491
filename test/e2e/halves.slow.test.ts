/** The chain and the API started apart: the API can be restarted alone, and names what is missing. */
import { join } from "node:path";
import { expect } from "chai";
import { readLocalFile } from "../../devnet/localFile.ts";
import { freePort } from "../support/ports.ts";
import { type Program, run, start } from "../support/programs.ts";
import { testFolder } from "../support/suite.ts";

describe("npm run chain and npm run api", () => {
  const dataDir = testFolder("halves");
  const env = { DATA_DIR: dataDir, PORT: "", RPC_PORT: "" };
  let chain: Program;
  let api: Program;

  const startChain = async () => {
    chain = start("devnet/chain.ts", [], env);
    await chain.printed("Local chain 31337");
  };
  const startApi = async () => {
    api = start("devnet/api.ts", [], env);
    await api.printed("Assay is up");
  };
  const local = async () => (await readLocalFile(dataDir))!;
  const job = async () => {
    const { baseUrl, apiKey, owner, tokens } = await local();
    return fetch(`${baseUrl}/v1/jobs`, {
      method: "POST",
      headers: { "x-api-key": apiKey, "content-type": "application/json" },
      body: JSON.stringify({
        clientRequestId: `halves-${Math.random()}`,
        ownerAddress: owner,
        inputAssetKey: tokens.USDL!.assetKey,
        outputAssetKey: tokens.AAPLx!.assetKey,
        amountInRaw: "100000000",
        policyId: "STRICT_LIVE",
        maxSlippageBps: 50,
      }),
    });
  };

  before(async () => {
    for (const name of ["PORT", "RPC_PORT"] as const) env[name] = String(await freePort());
    await startChain();
    await startApi();
  });
  after(async () => {
    await api.crash();
    await chain.crash();
  });

  it("keeps the chain when the API alone is restarted: an older trade is VALID by the chain", async () => {
    const saved = join(dataDir, "before.json");
    const traded = await run("scripts/assay.ts", ["agent", "--save", saved], env);
    expect(traded.code, traded.output).to.equal(0);
    const { apiKey, guard, chainId, rpcUrl } = await local();
    api.kill("SIGTERM");
    await api.ended;
    await startApi();
    expect(await local()).to.include({ apiKey, guard });
    const flags = ["--guard", `${chainId}:${guard}`, "--rpc", rpcUrl];
    const sound = await run("scripts/assay.ts", ["verify", saved, ...flags], env);
    expect(sound.code, sound.output).to.equal(0);
  });

  it("answers upstream_unavailable while the chain is away, and trades on the next one", async () => {
    expect((await job()).status).to.equal(201);
    await chain.crash();
    const away = await job();
    expect(away.status).to.equal(503);
    expect(((await away.json()) as { code: string }).code).to.equal("upstream_unavailable");
    expect(Number(away.headers.get("retry-after"))).to.be.greaterThan(0);
    await startChain();
    expect((await job()).status).to.equal(201);
    const { code, output } = await run("scripts/assay.ts", ["agent"], env);
    expect(code, output).to.equal(0);
  });

  it("says in words that a port is taken", async () => {
    const second = await run("devnet/chain.ts", [], env);
    expect(second.code).to.equal(1);
    expect(second.output).to.include("RPC_PORT").and.not.to.include("    at ");
    const other = await run("devnet/api.ts", [], env);
    expect(other.code).to.equal(1);
    expect(other.output).to.include("is in use").and.not.to.include("    at ");
  });
});
