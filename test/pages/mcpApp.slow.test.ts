/** The report view in an MCP host: the official app bridge on one side, the real service on the other. */
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { AppBridge } from "@modelcontextprotocol/ext-apps/app-bridge";
import { expect } from "chai";
import type { Page } from "playwright-core";
import { violations } from "../support/axe.ts";
import { testBrowser } from "../support/browser.ts";
import { testService } from "../support/service.ts";
import { testWorld } from "../support/world.ts";

const INFO = { name: "assay-test-host", version: "1.0.0" };
/** What the specification of MCP Apps has a host set where the resource asks for nothing. */
const HOST_POLICY =
  "default-src 'none'; script-src 'self' 'unsafe-inline'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; media-src 'self' data:; connect-src 'none'";

describe("the report view in an MCP host", () => {
  const browser = testBrowser();
  const world = testWorld();
  const service = testService(world);
  let client: Client;
  before(async () => {
    await world.tick();
    client = new Client(INFO);
    const requestInit = { headers: { Authorization: `Bearer ${service.key}` } };
    await client.connect(new StreamableHTTPClientTransport(new URL("/mcp", service.url), { requestInit }));
  });
  after(() => client?.close());

  it("the report view in an MCP host is named by the tools that answer a report, and by no other", async () => {
    const { tools } = await client.listTools();
    const named = tools.filter(({ _meta }) => _meta !== undefined);
    expect(named.map(({ name }) => name)).to.deep.equal(["get_verification", "prepare_guard_trade"]);
    for (const { _meta } of named)
      expect(_meta).to.deep.equal({
        ui: { resourceUri: "ui://assay/report.html" },
        "ui/resourceUri": "ui://assay/report.html",
      });
  });

  it("shows what prepare_guard_trade and get_verification answer, judged in the frame", async () => {
    const made = { name: "prepare_verification", arguments: service.jobBody() };
    const { jobId } = (await client.callTool(made)).structuredContent as any;
    const prepared = await client.callTool({ name: "prepare_guard_trade", arguments: { jobId } });
    await inHost({ locale: "en" }, prepared, async ({ page, complaints }) => {
      const frame = page.frameLocator("iframe");
      await frame.locator("[data-verdict]").waitFor();
      expect(await frame.locator(".sentence").innerText()).to.match(
        /^Buy at least [0-9.]+ AAPLx for 250 USDL until .* UTC$/,
      );
      // Nothing tells this host whom to trust.
      expect(await frame.locator("[data-verdict]").getAttribute("data-verdict")).to.equal("UNVERIFIABLE");
      expect(await frame.locator("[data-step=signature]").getAttribute("data-outcome")).to.equal("ok");
      await frame.locator(".fields summary").click();
      await frame.locator("input[name=signer]").fill(world.accounts.attestation.address);
      await frame.locator("input[name=guard]").focus();
      await frame.locator("[data-verdict=VALID]").waitFor();
      expect(complaints).to.deep.equal([]);
      expect(await violations(page.frames()[1]!)).to.deep.equal([]);
    });
    const read = await client.callTool({ name: "get_verification", arguments: { jobId, version: 1 } });
    await inHost({ locale: "zh-CN" }, read, async ({ page }) => {
      const frame = page.frameLocator("iframe");
      expect(await frame.locator(".sentence").innerText()).to.match(/^以 250 USDL 买入至少/);
    });
  });

  it("says that there is no report yet where a tool was refused", async () => {
    const refused = await client.callTool({ name: "get_verification", arguments: { jobId: "job_unknown" } });
    expect(refused.isError).to.equal(true);
    await inHost({ locale: "en" }, refused, async ({ page }) => {
      const frame = page.frameLocator("iframe");
      await frame.getByText("The host has not passed a report yet.").waitFor();
    });
  });

  it("says that it may not read the report where the host does not let it", async () => {
    const { structuredContent } = await client.callTool({
      name: "prepare_verification",
      arguments: service.jobBody(),
    });
    const { jobId } = structuredContent as any;
    const read: any = await client.callTool({ name: "get_verification", arguments: { jobId } });
    const gone = JSON.parse(JSON.stringify(read).replaceAll(jobId, "job_gone"));
    await inHost({ locale: "en" }, gone, async ({ page }) => {
      const frame = page.frameLocator("iframe");
      await frame.getByText("The host does not let this view read the report.").waitFor();
    });
  });

  /** A host that shows the view of a tool's result, as a frame without an origin. */
  async function inHost(
    hostContext: { locale: string },
    result: Awaited<ReturnType<Client["callTool"]>>,
    act: (host: { page: Page; complaints: readonly string[] }) => Promise<void>,
  ): Promise<void> {
    const { contents } = await client.readResource({ uri: "ui://assay/report.html" });
    const [{ text, mimeType, _meta }] = contents as any;
    expect(mimeType).to.equal("text/html;profile=mcp-app");
    expect(_meta.ui.csp).to.deep.equal({ connectDomains: [], resourceDomains: [] });
    const policy = `<meta http-equiv="Content-Security-Policy" content="${HOST_POLICY}">`;
    const html = text.replace("<head>", `<head>${policy}`);
    await using context = await browser.newContext({ locale: "en" });
    const page = await context.newPage();
    const complaints: string[] = [];
    page.on("pageerror", (error) => complaints.push(String(error)));
    page.on("request", (request) => complaints.push(request.url()));
    const bridge = new AppBridge(
      client as any,
      INFO,
      { openLinks: {}, serverResources: {} },
      { hostContext },
    );
    const transport: any = {
      start: async () => {},
      close: async () => {},
      send: (message: unknown) =>
        page.evaluate((sent) => {
          document.querySelector("iframe")!.contentWindow!.postMessage(sent, "*");
        }, message),
    };
    await page.exposeFunction("toHost", (message: unknown) => transport.onmessage?.(message));
    await page.setContent("<title>Host</title><main><h1>Host</h1></main>");
    await page.evaluate(() => {
      addEventListener("message", ({ data }) => (globalThis as any).toHost(data));
    });
    const ready = new Promise<void>((resolve) => bridge.addEventListener("initialized", () => resolve()));
    await bridge.connect(transport);
    await page.evaluate((srcdoc) => {
      const frame = document.createElement("iframe");
      Object.assign(frame, { srcdoc, title: "Report", width: "1000", height: "700" });
      frame.setAttribute("sandbox", "allow-scripts");
      document.querySelector("main")!.append(frame);
    }, html);
    await ready;
    await bridge.sendToolInput({ arguments: {} });
    await bridge.sendToolResult(result as any);
    await act({ page, complaints });
  }
});
