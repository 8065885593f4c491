/** The official Inspector's command line lists the tools with strict schema checks, and calls each of them. */
import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect } from "chai";
import { listedTools } from "../../../api/mcp/listing.ts";
import { startService } from "../../support/service.ts";
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
});
