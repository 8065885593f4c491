/** The reference page and its forms, in Chromium. */
import { expect } from "chai";
import type { BrowserContextOptions, Locator, Page, Request } from "playwright-core";
import { violations } from "../support/axe.ts";
import { DESKTOP, PHONE, testBrowser } from "../support/browser.ts";
import { testApp } from "../support/http.ts";
import { visit } from "../support/pages.ts";

describe("the reference page in a browser", () => {
  const browser = testBrowser();
  const app = testApp({ settings: { addressLimitPerMinute: 10_000 } });

  const withPage = (
    options: BrowserContextOptions,
    use: (page: Page, complaints: string[]) => Promise<void>,
    query = "?lang=en",
  ): Promise<void> =>
    visit(browser, app.url, `/docs${query}`, { viewport: DESKTOP, ...options }, ({ page, complaints }) =>
      use(page, complaints),
    );

  async function giveKey(page: Page): Promise<void> {
    await page.locator("header [data-island=key] button").first().click();
    await page.locator("header [data-island=key] input").fill(app.key);
    await page.keyboard.press("Enter");
    await page.getByRole("button", { name: "Key in use" }).waitFor();
  }

  /** Opens the form of an operation. */
  async function formOf(page: Page, operationId: string) {
    const article = page.locator(`article[id="${operationId}"]`);
    await article.locator(".try summary").click();
    const form = article.locator(".form");
    await form.waitFor();
    return form;
  }

  /** Sends a form. @returns the request that its path names */
  async function sentBy(page: Page, form: Locator, path: string): Promise<Request> {
    const isIt = (request: Request) => new URL(request.url()).pathname.startsWith(path);
    const send = form.getByRole("button", { name: "Send" }).click();
    const [request] = await Promise.all([page.waitForRequest(isIt), send]);
    return request;
  }

  it("the reference page in a browser is whole without JavaScript, and shows no form that would go nowhere", () =>
    withPage({ javaScriptEnabled: false }, async (page) => {
      expect(await page.locator("article[id=premiumHistory] table").count()).to.equal(2);
      expect(await page.locator("main .form").count()).to.equal(0);
      expect(await page.getByText("“Try it” sends a request").isVisible()).to.equal(false);
    }));

  it("sends a request as it is filled in, with the reader's key in its header, and shows the answer", () =>
    withPage({}, async (page, complaints) => {
      await giveKey(page);
      const form = await formOf(page, "premiumHistory");
      await form.getByLabel("symbol").fill("AAPLx");
      await form.getByLabel("days").fill("3");
      const request = await sentBy(page, form, "/api/v1/premium-history");
      const { pathname, search } = new URL(request.url());
      expect(pathname + search).to.equal("/api/v1/premium-history?symbol=AAPLx&days=3");
      expect((await request.allHeaders())["x-api-key"]).to.equal(app.key);
      const answer = form.locator(".answer");
      await answer.waitFor();
      expect(await answer.innerText()).to.match(/^200 \d+ ms, [\d,]+ characters/);
      expect(JSON.parse(await answer.locator("pre").innerText())).to.include({ symbol: "AAPLx", days: 3 });
      expect(page.url() + JSON.stringify(await page.context().storageState())).not.to.contain(app.key);
      expect(complaints).to.deep.equal([]);
    }));

  it("says that a key is missing, and shows the service's refusal as it is", () =>
    withPage({}, async (page) => {
      const form = await formOf(page, "listTokens");
      expect(await form.innerText()).to.contain("This call needs a key: enter yours at the top of the page.");
      await form.getByRole("button", { name: "Send" }).click();
      await form.locator(".answer").waitFor();
      expect(await form.locator(".answer").innerText())
        .to.contain("401")
        .and.to.contain("missing_api_key");
      await giveKey(page);
      await form.getByText("Your key is sent with it.").waitFor();
    }));

  it("begins with a body of what the call requires, and sends it as JSON", () =>
    withPage({}, async (page) => {
      await giveKey(page);
      const form = await formOf(page, "createJob");
      expect(JSON.parse(await form.getByLabel("Body, JSON").inputValue())).to.include({
        clientRequestId: "my-first-trade",
      });
      await form.getByLabel("Body, JSON").fill('{"clientRequestId": 1}');
      const request = await sentBy(page, form, "/v1/jobs");
      expect(new URL(request.url()).pathname).to.equal("/v1/jobs");
      expect(request.method()).to.equal("POST");
      expect(request.postData()).to.equal('{"clientRequestId": 1}');
      expect((await request.allHeaders())["content-type"]).to.equal("application/json");
      await form.locator(".answer").waitFor();
      expect(await form.locator(".answer").innerText())
        .to.contain("400")
        .and.to.contain("invalid_request");
    }));

  it("lets a job token go in the Authorization header in the key's place, and nowhere else", () =>
    withPage({}, async (page) => {
      await giveKey(page);
      const token = `jt_${"t".repeat(43)}`;
      const form = await formOf(page, "getJob");
      await form.getByRole("button", { name: "Send" }).click();
      await form.getByText("Part of the path is missing.").waitFor();
      await form.getByLabel("id").fill("job/../?x#y");
      await form.getByLabel("Job token").fill(token);
      const request = await sentBy(page, form, "/v1/");
      const headers = await request.allHeaders();
      expect(headers.authorization).to.equal(`Bearer ${token}`);
      expect(headers).not.to.have.property("x-api-key");
      expect(request.url()).not.to.contain(token).and.not.to.contain("x#y");
      expect(page.url() + (await page.content())).not.to.contain(token);
      // The key opens nothing of a browser's own: nothing offers to keep what is typed.
      expect(await page.locator("main form, main [name], main [type=password]").count()).to.equal(0);
    }));

  it("shows any answer as text", () =>
    withPage({}, async (page, complaints) => {
      page.on("dialog", (dialog) => complaints.push(dialog.message()));
      const evil = `<img src=x onerror=alert(1)><script>alert(2)</script>`;
      await page.route("**/api/market-overview*", (route) =>
        route.fulfill({ contentType: "text/html", headers: { "x-request-id": evil }, body: evil }),
      );
      const form = await formOf(page, "marketOverview");
      await form.getByRole("button", { name: "Send" }).click();
      await form.locator(".answer pre").waitFor();
      expect(await form.locator(".answer").innerText()).to.contain(evil);
      expect(await form.locator("img, script").count()).to.equal(0);
      expect(complaints).to.deep.equal([]);
    }));

  for (const [name, options, query] of [
    ["on a desktop in light colours", { viewport: DESKTOP, colorScheme: "light" }, "?lang=en"],
    ["on a phone in dark colours and Chinese", { viewport: PHONE, colorScheme: "dark" }, "?lang=zh"],
  ] as const)
    it(`the reference page in a browser has nothing that axe finds fault with, ${name}, with a form open`, () =>
      withPage(
        options,
        async (page, complaints) => {
          const form = await formOf(page, "getJob");
          // Axe takes ten seconds for all of them, which everyPage gives it.
          await page.evaluate(() => {
            for (const other of document.querySelectorAll("article:not([id=getJob])")) other.remove();
          });
          expect(await violations(page)).to.deep.equal([]);
          await form.locator("input").first().fill("job_x");
          await form.getByRole("button").click();
          await form.locator(".answer pre").waitFor();
          expect(await violations(page)).to.deep.equal([]);
          const beyond = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
          expect(beyond).to.be.at.most(0);
          expect(complaints.filter((text) => !text.includes("status of 401"))).to.deep.equal([]);
          for (const table of await page.locator("article[id=getJob] table").all())
            expect(await table.isVisible()).to.equal(true);
        },
        query,
      ));
});
