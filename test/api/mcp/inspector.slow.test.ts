/** The official Inspector's command line lists the tools with strict schema checks, and calls each of them. */
import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect } from "chai";
import { listedTools } from "../../../api/mcp/listing.ts";
import { carryOut, startService, walletOf } from "../../support/service.ts";
import { ofSuite, testFolder } from "../../support/suite.ts";
import { testWorld } from "../../support/world.ts";

const INSPECTOR = join(import.meta.dirname, "../../../node_modules/.bin/mcp-inspector");
const run = promisify(execFile);

describe("The Inspector's command line", () => {
  const world = testWorld();
  const service = ofSuite(async () => {
    await world.tick();
    return startService(world, "sqlite::memory:");
  });
  /** It keeps its own files in the home folder. */
  const home = testFolder("inspector");

  const inspectWith = (given: string[], args: string[]) =>
    run(
      process.execPath,
      [INSPECTOR, ...["--cli", `${service.url}/mcp`, "--transport", "http"], ...given, ...args],
      { env: { ...process.env, HOME: home }, maxBuffer: 10_000_000 },
    );
  const inspect = (...args: string[]) =>
    inspectWith(["--stored-auth-only", "--header", `Authorization: Bearer ${service.key}`], args);

  it("has nothing to say against the schemas of the tools", async () => {
    const { stdout, stderr } = await inspect("--method", "tools/list", "--strict");
    const names = JSON.parse(stdout).tools.map(({ name }: any) => name);
    expect(names).to.deep.equal(listedTools(false, true).map(({ name }) => name));
    expect(stderr).to.equal("");
  });

  it("needs no key, nor a login: it lists and calls what is open, and has nothing to say against the schemas", async () => {
    const json = JSON.stringify(service.verifyBody());
    const tool = ["--tool-name", "prepare_verification", "--tool-args-json", json, "--format", "json"];
    const [listed, called] = await Promise.all([
      inspectWith([], ["--method", "tools/list", "--strict"]),
      inspectWith([], ["--method", "tools/call", ...tool]),
    ]);
    expect(JSON.parse(listed.stdout).tools).to.have.length(listedTools(true, true).length);
    expect(listed.stderr).to.equal("");
    const { result } = JSON.parse(called.stdout);
    expect(result.structuredContent.jobToken).to.match(/^jt_/);
  });

  it("calls each tool on the way of a trade", async () => {
    const call = async (name: string, args: object) => {
      const json = JSON.stringify(args);
      const { stdout } = await inspect(
        ...["--method", "tools/call", "--tool-name", name, "--tool-args-json", json, "--format", "json"],
      );
      const { result } = JSON.parse(stdout);
      expect(result.isError, stdout).to.not.equal(true);
      return result.structuredContent;
    };
    expect((await call("list_supported_assets", {})).assets).to.have.length.above(2);
    expect((await call("get_verification_policy", { policyId: "LAST_CLOSE" })).policies).to.have.length(1);
    const { jobId } = await call("prepare_verification", service.jobBody());
    expect((await call("purchase_verification", { jobId })).payment).to.equal("not_required");
    expect((await call("get_verification", { jobId })).decision).to.equal("ALLOW");
    const { version } = await call("prepare_guard_trade", { jobId });
    const uri = `assay://jobs/${jobId}/reports/${version}`;
    const { stdout } = await inspect("--method", "resources/read", "--uri", uri, "--format", "json");
    const { execution } = JSON.parse(JSON.parse(stdout).result.contents[0].text);
    const transactionHash = await carryOut(walletOf(world), execution);
    expect((await call("get_execution_status", { jobId, transactionHash })).execution).to.include({
      transactionHash,
    });
  });

  it("reads the resources and the prompt", async () => {
    const { stdout } = await inspect("--method", "resources/read", "--uri", "assay://guide");
    expect(stdout).to.contain("prepare_guard_trade");
    const prompt = await inspect("--method", "prompts/get", "--prompt-name", "verify_and_execute_trade");
    expect(prompt.stdout).to.contain("MY WALLET SIGNS HERE");
  });
});
