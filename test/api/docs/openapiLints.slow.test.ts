/** The OpenAPI document as a linter of API teams reads it, and as generators of clients do. */
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect } from "chai";
import type { OpenApi } from "../../../api/docs/openapi.ts";
import { testApp } from "../../support/http.ts";
import { testPaidService, testPaidWorld } from "../../support/payments.ts";

const require = createRequire(import.meta.url);
const REDOCLY = join(dirname(require.resolve("@redocly/cli/package.json")), "bin/cli.js");

describe("the OpenAPI document for a linter and generators", () => {
  const free = testApp();
  const paid = testPaidService(testPaidWorld());
  const documents: [string, () => OpenApi][] = [
    ["free", () => free.openapi],
    ["paid", () => paid.openapi],
  ];

  for (const [phase, document] of documents) {
    it(`the OpenAPI document has nothing that Redocly reports (${phase})`, () => {
      const folder = mkdtempSync(join(tmpdir(), "assay-redocly-"));
      try {
        writeFileSync(join(folder, "openapi.json"), JSON.stringify(document()));
        const args = ["lint", "openapi.json", "--extends=recommended", "--format=json"];
        const env = { ...process.env, REDOCLY_TELEMETRY: "off", REDOCLY_SUPPRESS_UPDATE_NOTICE: "true" };
        const { stdout, stderr } = spawnSync(process.execPath, [REDOCLY, ...args], {
          cwd: folder,
          env,
          encoding: "utf8",
          maxBuffer: 2 ** 26,
        });
        const { problems } = JSON.parse(stdout || `{"problems":[{"ruleId":${JSON.stringify(stderr)}}]}`);
        const told = problems.map(({ ruleId, message, location }: any) => [
          ruleId,
          message,
          location?.[0]?.pointer,
        ]);
        expect(told).to.deep.equal([]);
      } finally {
        rmSync(folder, { recursive: true });
      }
    });
  }

  it("the OpenAPI document names the service's own address, and the keys that calls need where they say nothing else", () => {
    expect(free.openapi.servers?.map(({ url }) => url)).to.deep.equal([free.url]);
    expect(free.openapi.security).to.deep.equal([{ apiKey: [] }, { bearerKey: [] }]);
  });

  it("the OpenAPI document lets a generated client prepare with an empty body, or none", () => {
    const { paths, components } = free.openapi as any;
    const { requestBody } = paths["/v1/jobs/{id}/prepare-execution"].post;
    expect(requestBody.required).to.equal(false);
    const { PrepareRequest } = components.schemas;
    expect(PrepareRequest.required ?? []).to.deep.equal([]);
    // Generators take what has a default for what is always there.
    expect(PrepareRequest.properties.deadlineSeconds).to.not.have.property("default");
    expect(PrepareRequest.properties.deadlineSeconds.description).to.contain("300 by default");
  });
});
