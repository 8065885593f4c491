/** What hosts read beside the tools. */
import { expect } from "chai";
import { testApp } from "../../support/http.ts";
import { connectHost, GENERATIONS } from "../../support/mcp.ts";

describe("Resources and the prompt", () => {
  const app = testApp({ settings: { keyLimitPerMinute: 1_000 } });

  for (const generation of GENERATIONS)
    it(`are read by a client of ${generation}`, async () => {
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
        "assay://openapi.json",
        "ui://assay/report.html",
      ]);
      expect(texts[0]).to.contain("prepare_guard_trade");
      expect(JSON.parse(texts[1]!)).to.deep.equal((await app.call("/v1/policies")).body);
      expect(JSON.parse(texts[2]!)).to.deep.equal((await app.call("/openapi.json")).body);

      const { prompts } = await client.listPrompts();
      expect(prompts.map(({ name }) => name)).to.deep.equal(["verify_and_execute_trade"]);
      const { messages } = await client.getPrompt({
        name: "verify_and_execute_trade",
        arguments: { trade: "buy AAPLx for 250 USD", policyId: "EXTENDED_HOURS" },
      });
      const text = (messages[0]!.content as { text: string }).text;
      expect(text).to.contain("buy AAPLx for 250 USD").and.to.contain("EXTENDED_HOURS");
      expect(text.match(/MY WALLET SIGNS HERE/g)).to.have.length(2);
    });
});
