/** /sign with a trade in Chromium: a wallet approves and sends it, and is asked for nothing else. */
import { readFile } from "node:fs/promises";
import { expect } from "chai";
import { Wallet } from "ethers";
import type { Page } from "playwright-core";
import { verifyReport } from "../../attestor/verify/verify.ts";
import { DESKTOP, PHONE } from "../support/browser.ts";
import { HOSTILE } from "../support/pages.ts";
import { guardAs } from "../support/service.ts";
import { testSite } from "../support/site.ts";
import { violations } from "./axe.ts";
import { countShifts } from "./reportPage.ts";
import { type Answer, answering, failing, reading, type TestWallet, withWallet } from "./wallet.ts";

type Use = (page: Page, wallet: TestWallet) => Promise<void>;

const READS = ["eth_chainId", "eth_getCode", "eth_call", "eth_requestAccounts", "eth_accounts"];

describe("/sign with a trade", () => {
  const site = testSite();
  const user = (index: number) => site.world.accounts.users[index]!.address;
  async function fresh(changes?: Record<string, unknown>) {
    await site.world.tick();
    await site.service.recordLiquidity();
    return (await site.service.newPrepared(changes)).prepared;
  }
  const documentOf = async (prepared: any) =>
    (await site.service.call(`/v1/jobs/${prepared.jobId}/report?version=2`)).body;
  const pathOf = ({ signUrl }: any) => `/sign${new URL(signUrl).hash}`;

  interface Opening {
    readonly viewport?: { width: number; height: number };
    /** In the place of what the service gives. */
    readonly document?: unknown;
  }
  const open = (prepared: any, use: Use, { viewport = DESKTOP, document }: Opening = {}) => {
    const before = async (_: TestWallet, page: Page) => {
      await page.clock.setFixedTime(site.world.clock.now());
      if (document !== undefined)
        await page.route("**/report?*", (route) => route.fulfill({ json: document }));
    };
    const opened = { path: pathOf(prepared), account: user(0), context: { viewport }, before };
    return withWallet(site.browser, site, opened, use);
  };
  const button = (page: Page, name: string) => page.getByRole("button", { name, exact: true });
  const connect = (page: Page) => button(page, "Connect Test Wallet").click();
  async function verdict(page: Page) {
    await connect(page);
    return page.locator(".judgement [data-verdict]").getAttribute("data-verdict");
  }
  const strong = (page: Page) => page.locator(".sign button.strong");
  /** What the wallet was asked beyond reading. */
  const asked = (wallet: TestWallet) => wallet.asked.filter((method) => !READS.includes(method));

  it("says the trade in words, judges it by the signer that the wallet's chain names, approves exactly and sends it", async () => {
    const prepared = await fresh();
    const { approval, guardCall, tradeIntent } = prepared.execution;
    await open(prepared, async (page, wallet) => {
      const calls: unknown[] = [];
      wallet.answer = (method, [call]) => {
        if (method === "eth_sendTransaction") calls.push({ to: call.to, data: call.data });
        return undefined;
      };
      await page.locator(".sentence").waitFor();
      const text = await page.locator(".sign .part").first().innerText();
      expect(text).to.match(/Buy at least [0-9.]+ AAPLx, a token of the stock AAPL, for 250 USDL/);
      expect(text).to.match(/Recipient\s+the owner\s+Ends\s+in 2 min 00 s/);
      expect(text).to.contain(tradeIntent.message.route).and.to.not.contain("allows it");
      expect(await page.locator("[data-verdict]").count()).to.equal(0);
      expect(wallet.asked).to.deep.equal([]);

      expect(await verdict(page)).to.equal("VALID");
      expect(await page.locator(".ruling .sentence").first().innerText()).to.contain("allows it");
      expect(asked(wallet)).to.deep.equal([]);
      await button(page, "Approve exactly 250 USDL").click();
      await button(page, "Send the trade").click();
      await page.getByText("confirmed: the trade was carried out").waitFor();
      const sent = [...approval.calls, guardCall].map(({ to, data }: any) => ({ to, data }));
      expect(calls).to.deep.equal(sent);
      expect(await violations(page)).to.deep.equal([]);
      await page.reload();
      await connect(page);
      await page.getByText("The guard has carried this trade out already").waitFor();
      expect(calls).to.have.length(2);
    });
    const { body } = await site.service.call(`/v1/jobs/${prepared.jobId}`);
    expect(body.executions).to.have.length(1);
    expect(body.executions[0]).to.include({ state: "confirmed", reportVersion: 2 });
  });

  it("asks the wallet for nothing where the service's answer is not the trade that was certified", async () => {
    const prepared = await fresh();
    const other = await documentOf(await fresh());
    const forger = Wallet.createRandom();
    const stranger = user(3);
    const forged = async (document: any) => {
      const { domain, types, message } = document.execution.certificate;
      const { EIP712Domain: _, ...signed } = types;
      document.execution.certificate.signature = await forger.signTypedData(domain, signed, message);
      document.execution.certificate.signer = forger.address;
    };
    const hostile: Readonly<Record<string, (document: any) => unknown>> = {
      "another recipient": ({ execution }) => (execution.tradeIntent.message.recipient = stranger),
      "another recipient in the evidence too": ({ execution, evidence }) =>
        (execution.tradeIntent.message.recipient = evidence.intent.recipientAddress = stranger),
      "another guard": ({ execution, evidence }) => {
        evidence.guard.address = execution.guardCall.to = stranger;
        execution.tradeIntent.domain.verifyingContract = stranger;
      },
      "a forged certificate": forged,
      "a forged certificate of a signer in the evidence": async (document) => {
        document.evidence.guard.signer = forger.address;
        await forged(document);
      },
      "another amount in the guard call": ({ execution }) =>
        (execution.guardCall.args.intent.amountIn = "260000000"),
      "an approval of more": ({ execution }) => (execution.approval.amount = "9".repeat(30)),
      "a denial": (document) => (document.decision = "DENY"),
    };
    const refused = async (name: string, document: unknown, text: string) =>
      open(
        prepared,
        async (page, wallet) => {
          const isInvalid = (await verdict(page)) === "INVALID";
          expect(isInvalid, name).to.equal(Object.hasOwn(hostile, name));
          await page.getByText(text).waitFor();
          expect(asked(wallet), name).to.deep.equal([]);
          expect(await strong(page).count(), name).to.equal(0);
        },
        { document },
      );
    const real = await documentOf(prepared);
    for (const [name, change] of Object.entries(hostile)) {
      const document = structuredClone(real);
      await change(document);
      await refused(name, document, "This page asks your wallet for nothing.");
    }
    const { guardCall: _, ...execution } = real.execution;
    const notLinked = "not the trade that the link names";
    await refused("no guard call", { ...real, execution }, notLinked);
    // Everything about it holds, but it is another trade.
    await refused("another trade", other, notLinked);
  });

  it("asks the wallet for nothing where its chain, its guard's signer or its account is another", async () => {
    const prepared = await fresh();
    const { guard } = site.world.deployment;
    const { address } = site.world.accounts.attestation;
    const odd: readonly (readonly [Answer, string])[] = [
      [answering("eth_chainId", "0x1"), "Your wallet is on chain 1."],
      [answering("eth_getCode", "0x"), `there is no contract at ${guard}`],
      [reading("paused", "1"), "The guard is paused"],
      [reading("signer", user(4)), `was signed by ${address}, and not by ${user(4)}`],
      [answering("eth_requestAccounts", [user(2)]), `This trade is of the account ${user(0)}.`],
    ];
    for (const [answer, text] of odd)
      await open(prepared, async (page, wallet) => {
        wallet.answer = answer;
        await connect(page);
        await page.getByText(text).first().waitFor();
        expect(asked(wallet), text).to.deep.equal([]);
        expect(await strong(page).count(), text).to.equal(0);
      });
    // The guard may change its signer, and the wallet its chain, once the page has judged.
    for (const [answer, text] of odd.slice(0, 4))
      await open(prepared, async (page, wallet) => {
        expect(await verdict(page)).to.equal("VALID");
        wallet.answer = answer;
        await strong(page).click();
        await page.locator(".sign .fault").waitFor();
        expect(asked(wallet), text).to.deep.equal([]);
      });
  });

  it("offers a wallet on another chain to switch, and then connects it", async () => {
    const { chainId } = site.world.deployment;
    await open(await fresh(), async (page, wallet) => {
      let isStray = true;
      wallet.answer = (method, [first]) => {
        if (method === "eth_chainId" && isStray) return { result: "0x1" };
        if (method !== "wallet_switchEthereumChain") return undefined;
        isStray = Number(first.chainId) !== chainId;
        return { result: null };
      };
      await connect(page);
      await button(page, `Switch Test Wallet to chain ${chainId}`).click();
      await page.getByText(`Connected account: ${user(0)}`).waitFor();
      expect(asked(wallet)).to.deep.equal(["wallet_switchEthereumChain"]);
    });
  });

  it("sends nothing when the trade is over, the wallet refuses or changes its account, or the call would fail", async () => {
    const reverted = failing("eth_call", 3, "execution reverted");
    await open(await fresh(), async (page, wallet) => {
      expect(await verdict(page)).to.equal("VALID");
      const failsWith = async (text: string, answer: Answer = () => undefined) => {
        wallet.answer = answer;
        await strong(page).click();
        await page.getByText(text).waitFor();
      };
      await failsWith("The transaction would fail, so your wallet was not asked.", (method, params) =>
        params[0]?.from === undefined ? undefined : reverted(method, params),
      );
      wallet.account = user(3);
      await failsWith("Your wallet no longer offers");
      wallet.account = user(0);
      expect(asked(wallet)).to.deep.equal([]);
      await failsWith(
        "You refused in your wallet. Nothing was sent.",
        failing("eth_sendTransaction", 4001, ""),
      );
      await page.clock.setFixedTime(site.world.clock.now() + 121_000);
      await page.getByText("over (").waitFor();
      await failsWith("The time of this trade is over");
      expect(asked(wallet)).to.deep.equal(["eth_sendTransaction"]);
    });
  });

  it("takes no answer of a wallet at its word, and shows none as HTML", async () => {
    const answers: unknown[] = [null, 7, HOSTILE, [HOSTILE], { toString: 1 }, "0x", [[]]];
    await open(await fresh(), async (page, wallet) => {
      const fault = page.locator(".sign .fault").first();
      for (const method of ["eth_chainId", "eth_getCode", "eth_call", "eth_requestAccounts"])
        for (const result of answers) {
          wallet.answer = answering(method, result);
          await connect(page);
          await fault.waitFor();
          const text = await fault.innerText();
          expect(text, `${method} ${JSON.stringify(result)}`).to.match(/^(On y|Y)our? /);
        }
      wallet.answer = () => ({ error: { code: -1, message: `${HOSTILE}\u202e` } });
      await connect(page);
      await page.getByText("Your wallet says: <img src=x").waitFor();
      expect(await page.title()).to.not.contain("hacked");
    });
  });

  it("warns of another recipient, and hands out the document, which verifies as it is saved", async () => {
    await (await guardAs(site.world).allowRecipient(user(6))).wait();
    await open(await fresh({ recipientAddress: user(6) }), async (page) => {
      await page.getByText("This is not the owner").waitFor();
      const download = page.waitForEvent("download");
      await button(page, "Save the document").click();
      const document = JSON.parse(await readFile(await (await download).path(), "utf8"));
      const { address: signer } = site.world.accounts.attestation;
      expect(verifyReport(document, { signer }).verdict).to.equal("VALID");
      const verifier = page.getByRole("link", { name: "Get the verifier" });
      expect(await verifier.getAttribute("href")).to.equal("/verify.html");
    });
  });

  it("is read and used on a small screen and a wide one, without a violation, and nothing moves", async () => {
    for (const viewport of [DESKTOP, PHONE, { width: 360, height: 740 }])
      await open(
        await fresh(),
        async (page) => {
          await page.evaluate(countShifts);
          await page.getByRole("heading", { name: "One trade for your wallet" }).waitFor();
          expect(await violations(page)).to.deep.equal([]);
          expect(await verdict(page)).to.equal("VALID");
          await strong(page).waitFor();
          await page.waitForTimeout(300);
          const { shifts, overflow } = await page.evaluate(() => ({
            shifts: (globalThis as any).shifts,
            overflow: document.documentElement.scrollWidth - innerWidth,
          }));
          expect(shifts, `${viewport.width} px`).to.deep.equal([]);
          expect(overflow).to.be.at.most(0);
        },
        { viewport },
      );
  });

  it("refuses a faulty link, and one whose time is over", async () => {
    const path = pathOf(await fresh());
    const { guard, chainId } = site.world.deployment;
    const notOurs = `names the guard ${user(5)} on chain ${chainId}, which is not this service's`;
    const links: readonly (readonly [string, string])[] = [
      [path.replace("#trade=st_", "#trade=st_A").replace(/A(.{42})./, "A$1"), "This link opens nothing"],
      [path.slice(0, -1), "This link names no trade."],
      [path.replace(guard, user(5)), notOurs],
      [path.replace(`:${chainId}:`, ":1:"), "on chain 1, which is not this service's"],
      [path, "The time of this trade is over, so nothing is asked of your wallet."],
    ];
    site.world.clock.advance(310_000);
    const refused = /status of 4\d\d/;
    for (const [link, text] of links)
      await withWallet(
        site.browser,
        site,
        { path: link, account: user(0), refused },
        async (page, wallet) => {
          await page.getByText(text).waitFor();
          expect(wallet.asked).to.deep.equal([]);
        },
      );
  });
});
