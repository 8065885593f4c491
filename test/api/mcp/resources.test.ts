/** What hosts read beside the tools. */
import { expect } from "chai";
import { testApp } from "../../support/http.ts";
import { connectHost, GENERATIONS } from "../../support/mcp.ts";

describe("Resources", () => {
  const app = testApp({ settings: { keyLimitPerMinute: 1_000 } });

  for (const generation of GENERATIONS)
    it(`resources are read by a client of ${generation}`, async () => {
      await using host = await connectHost(generation, app.url, app.key);
      const { client } = host;
      const { resources } = await client.listResources();
      const read = async (uri: string) => {
        const { contents } = await client.readResource({ uri });
        return (contents[0] as { text: string }).text;
      };
      const texts = await Promise.all(resources.map(({ uri }) => read(uri)));
      expect(resources.map(({ uri }) => uri)).to.deep.equal([
        "assay://guide",
        "assay://policies",
        "assay://assets",
        "assay://openapi.json",
      ]);
      expect(texts[0]).to.contain("prepare_guard_trade");
      expect(JSON.parse(texts[1]!)).to.deep.equal((await app.call("/v1/policies")).body);
      expect(JSON.parse(texts[2]!)).to.deep.equal((await app.call("/v1/assets")).body);
      expect(JSON.parse(texts[3]!)).to.deep.equal((await app.call("/openapi.json")).body);

      const { resourceTemplates } = await client.listResourceTemplates();
      expect(resourceTemplates.map(({ uriTemplate }) => uriTemplate)).to.deep.equal([
        "assay://jobs/{jobId}/reports/{version}",
        "assay://tokens/{jobToken}/jobs/{jobId}/reports/{version}",
        "assay://policies/{policyId}",
        "assay://assets/{symbol}",
      ]);
      const [policy] = JSON.parse(await read("assay://policies/LAST_CLOSE"));
      expect(policy.definition).to.include({ policyId: "LAST_CLOSE" });
      const [asset] = JSON.parse(texts[2]!).assets;
      expect(JSON.parse(await read(`assay://assets/${asset.symbol}`))).to.deep.equal([asset]);
      for (const none of ["assay://assets/NONE", "assay://policies/", "assay://jobs/job_x/reports/0"])
        expect(await read(none).catch(({ code }) => code), none).to.equal(-32_602);
    });
});
