/** What the service's program reads before it begins. */
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { expect } from "chai";

const SERVER = new URL("../../api/server.ts", import.meta.url).href;
const PROGRAM = `
  import { registerHooks } from "node:module";
  const read = [];
  registerHooks({ load: (url, context, next) => (read.push(url), next(url, context)) });
  await import(${JSON.stringify(SERVER)});
  process.stdout.write(JSON.stringify(read));
  process.exit(0);
`;

/** Of x402's library, which the tests buy and settle with; and what only a key in a cloud takes. */
const LATE = ["viem", "ox", "@x402/core", "@x402/evm", "@x402/extensions", "@aws-sdk/client-kms"];

describe("the program of the service", () => {
  it("the program of the service brings no library into a start that it does not need there", async () => {
    const args = ["--input-type=module", "--eval", PROGRAM];
    const { stdout } = await promisify(execFile)(process.execPath, args, { maxBuffer: 2 ** 24 });
    const read: string[] = JSON.parse(stdout);
    expect(read).to.include(SERVER);
    const packages = read.map((url) => /.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(url)?.[1]);
    expect(packages).to.include("express");
    expect(LATE.filter((name) => packages.includes(name))).to.deep.equal([]);
  });
});
