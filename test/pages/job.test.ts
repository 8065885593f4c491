/** A job and a trade as their owner finds them again, on the whole service with a real chain. */
import { expect } from "chai";
import { violations } from "../support/axe.ts";
import { testBrowser } from "../support/browser.ts";
import { visit } from "../support/pages.ts";
import { carryOut, deniedBy, startService, walletOf } from "../support/service.ts";
import { ofSuite, readyFor } from "../support/suite.ts";
import { until } from "../support/until.ts";
import { sharedWorld } from "../support/world.ts";

describe("what a reader looks for", () => {
  const browser = testBrowser();
  const service = ofSuite(async () => startService(await sharedWorld(), "sqlite::memory:"));
  const job = readyFor<{ jobId: string; jobToken: string }>(
    async () => (await service.post("/a2mcp/verify", service.verifyBody(), null)).body,
  );

  it("a job opens by its token, which goes into a header and nowhere else", async () => {
    await visit(browser, service.url, "/", {}, async ({ page, complaints }) => {
      const requests: { url: string; authorization: string | undefined; body: string | null }[] = [];
      page.on("request", (request) =>
        requests.push({
          url: request.url(),
          authorization: request.headers().authorization,
          body: request.postData(),
        }),
      );
      await page.locator("input[name=q]").fill(job.jobId);
      await page.keyboard.press("Enter");
      await page.waitForURL("**/search?*");
      const token = page.getByLabel("Job token");
      await token.fill("jt_wrong");
      await page.getByRole("button", { name: "Open", exact: true }).click();
      await page.getByText("A job token is jt_ and 43 characters.").waitFor();
      await token.fill(job.jobToken);
      await page.keyboard.press("Enter");
      await page.getByText("STRICT_LIVE").waitFor();
      expect(await page.locator(".job").innerText()).to.match(/allowed|denied/);
      expect(await page.locator(".checks li").count()).to.be.greaterThan(5);
      expect(await violations(page)).to.deep.equal([]);

      const sent = requests.filter(({ authorization }) => authorization !== undefined);
      expect(sent.map(({ url, authorization }) => [new URL(url).pathname, authorization])).to.deep.equal([
        [`/v1/jobs/${job.jobId}`, `Bearer ${job.jobToken}`],
      ]);
      for (const { url, body } of requests) expect(`${url} ${body}`).to.not.contain(job.jobToken);
      const kept = await page.evaluate(() =>
        JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie, location.href]),
      );
      expect(kept).to.not.contain(job.jobToken);

      const [download] = await Promise.all([
        page.waitForEvent("download"),
        page.getByRole("button", { name: "Save the report" }).click(),
      ]);
      expect(download.suggestedFilename()).to.equal(`${job.jobId}.json`);
      // A download that the page makes itself is no request that failed.
      expect(complaints.filter((text) => !text.startsWith("blob:"))).to.deep.equal([]);
    });
  });

  it("evidence is found by its hash, its trade's transaction and its owner as soon as it is public; before, its log entry alone", async () => {
    const text = async (q: string) => (await fetch(`${service.url}/search?q=${q}`)).text();
    const owner = walletOf(service.world).address;
    const search = async (q: string): Promise<string | number> => {
      const answer = await fetch(`${service.url}/search?q=${q}`, { redirect: "manual" });
      return answer.headers.get("location") ?? answer.status;
    };
    // Other files share the world: they may have let its prices grow old.
    await service.world.tick();
    const own = await service.newJob();
    const { body: prepared } = await service.post(`/v1/jobs/${own.jobId}/prepare-execution`);
    expect(deniedBy(prepared.report)).to.deep.equal([]);
    const entry = await text(prepared.report.evidenceHash);
    expect(entry).to.match(/Entry [0-9]+ of assay\.localhost\/log\/[0-9]{4}/);
    for (const secret of [owner, own.jobId, "AAPLx", "USDL"]) expect(entry).not.to.include(secret);
    expect(await text(owner)).not.to.include(prepared.report.evidenceHash);
    const transactionHash = await carryOut(walletOf(service.world), prepared.execution);
    await service.post(`/v1/jobs/${own.jobId}/submissions`, { transactionHash });
    const done = await service.jobWhen(own.jobId, ({ executions }) => executions[0]?.state === "confirmed");
    const { evidenceHash } = done.executions[0].confirmed;
    await service.world.mine(5);
    const found = await until(
      "the report",
      () => search(evidenceHash),
      (seen) => seen !== 200,
    );
    expect(found).to.equal(`/reports/${evidenceHash}`);
    for (const hash of [transactionHash, transactionHash.toUpperCase().replace("0X", "0x")])
      expect(await search(hash)).to.equal(`/reports/${evidenceHash}`);
    const trades = await text(owner.toLowerCase());
    expect(trades).to.include(`href="/reports/${evidenceHash}"`).and.include(transactionHash);
    expect(trades).to.match(/[0-9]+ USDL for 0\.[0-9]+ AAPLx/);
    // What was judged and never carried out stays its owner's.
    expect(await text(own.report.evidenceHash)).not.to.include("/reports/");
    expect(trades).not.to.include(own.report.evidenceHash);
  });

  it("the guard is found by its address, and the search keeps what was typed", async () => {
    const { guard } = service.world.deployment;
    for (const asked of [guard, guard.toLowerCase()]) {
      const page = await (await fetch(`${service.url}/search?q=${asked}`)).text();
      expect(page).to.include("The guard of this service").and.include(`value="${asked}"`);
    }
  });

  it("registries and policies are found by the hash that evidence names", async () => {
    const registry = await service.server.db.selectFrom("definitions").select(["hash", "kind"]).execute();
    for (const { hash, kind } of registry) {
      const answer = await fetch(`${service.url}/search?q=${hash}`);
      const place = kind === "policy" ? "policies" : "registry";
      expect(new URL(answer.url).pathname).to.equal(`/${place}/${hash}`);
      expect(answer.status).to.equal(200);
    }
  });
});
