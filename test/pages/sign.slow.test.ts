/** /sign in Chromium: a wallet on a real chain grants and revokes mandates, and is asked for nothing before what it says holds. */
import { readFile } from "node:fs/promises";
import { expect } from "chai";
import { Contract, type TransactionReceipt, toBeHex, Wallet, ZeroAddress } from "ethers";
import type { Page } from "playwright-core";
import { isSafeFileWhole } from "../../attestor/evm/safeFile.ts";
import { SAFE } from "../../attestor/mandates/calls.ts";
import { POLICIES } from "../../attestor/policies/policy.ts";
import { SAFE_CONTRACTS } from "../../devnet/artifacts.ts";
import { MandateModule__factory } from "../../types/contracts/factories/contracts/MandateModule__factory.ts";
import { violations } from "../support/axe.ts";
import { testBrowser } from "../support/browser.ts";
import { HOSTILE } from "../support/pages.ts";
import { startService, walletOf } from "../support/service.ts";
import { ofSuite } from "../support/suite.ts";
import { withWallet as opened, type TestWallet } from "../support/wallet.ts";
import { sharedWorld, type TestWorld } from "../support/world.ts";

const STRICT = POLICIES.get("STRICT_LIVE")!;
const REFUSED = { error: { code: 4001, message: "User rejected the request." } };

describe("/sign", () => {
  const browser = testBrowser();
  const service = ofSuite(async () => startService(await sharedWorld(), "sqlite::memory:"));
  const user = (index: number) => service.world.accounts.users[index]!.address;
  const agent = Wallet.createRandom().address;

  const withWallet = (
    act: (page: Page, wallet: TestWallet) => Promise<void>,
    { path = "/sign", account = user(0) } = {},
  ) => opened(browser, service, { path, account }, act);

  const button = (page: Page, name: string) => page.getByRole("button", { name, exact: true });
  async function connect(page: Page): Promise<void> {
    await button(page, "Connect Test Wallet").click();
    await page.getByText("Connected account:").waitFor();
  }
  const said = async (page: Page) => {
    await page.locator(".fault").first().waitFor();
    return page.locator(".fault").first().innerText();
  };
  async function fill(page: Page, changes: Readonly<Record<string, string>> = {}): Promise<void> {
    const form = page.locator(".sign section").nth(1);
    const texts = {
      "Address of the agent's key": agent,
      "At most per trade, in tokens": "250",
      "At most per 24 hours, in tokens": "500",
      "At most in total, in tokens": "5000.5",
      ...changes,
    };
    await form.getByRole("checkbox", { name: "AAPLx" }).check();
    await form.getByLabel("Most AAPLx to sell").fill("2.5");
    await form.getByRole("checkbox", { name: "TSLAx" }).check();
    await form.getByLabel("STRICT_LIVE").check();
    for (const [label, text] of Object.entries(texts))
      await form.getByLabel(label, { exact: true }).fill(text);
  }
  const review = (page: Page) => page.getByRole("region", { name: "What you are about to sign" });
  const shown = (page: Page) => page.getByRole("region", { name: "Mandate", exact: true });
  async function look(page: Page, safe: string): Promise<void> {
    const existing = page.locator(".sign section.part").nth(2);
    await existing.getByLabel("Address of the Safe").fill(safe);
    await existing.getByLabel("Address of the agent's key").fill(agent);
    await button(page, "Show").click();
    await shown(page).waitFor();
  }
  const module = () =>
    MandateModule__factory.connect(service.world.deployment.mandates!.module, service.world.provider);
  const sends = ({ asked }: TestWallet) => asked.filter((method) => method === "eth_sendTransaction").length;

  /** A Safe without modules, as others make it. */
  async function newSafe(world: TestWorld, owners: readonly string[], threshold: number): Promise<string> {
    const setup = SAFE_CONTRACTS.singleton.abi.encodeFunctionData("setup", [
      owners,
      threshold,
      ZeroAddress,
      "0x",
      SAFE.fallbackHandler,
      ZeroAddress,
      0,
      ZeroAddress,
    ]);
    const factory = new Contract(SAFE.factory, SAFE_CONTRACTS.factory.abi, walletOf(world));
    const made = factory.getFunction("createProxyWithNonce");
    const arguments_ = [SAFE.singleton, setup, service.url.length + threshold];
    const safe = await made.staticCall(...arguments_);
    await ((await made(...arguments_)) as { wait(): Promise<TransactionReceipt> }).wait();
    return safe;
  }

  it("grants a mandate on a new Safe by one confirmation, shows what the chain holds, and ends it", async () => {
    await withWallet(async (page, wallet) => {
      await connect(page);
      await fill(page);
      await button(page, "Review").click();
      const text = await review(page).innerText();
      expect(text).to.contain("It can buy AAPLx, TSLAx with USDL.").and.contain("at most 2.5 AAPLx");
      expect(text).to.contain("At most 250 USDL a trade, 500 USDL within 24 hours and 5,000.5 USDL in all.");
      expect(await violations(page)).to.deep.equal([]);
      const [, safe = ""] = /new Safe at (0x\w{40})\. Its only owner is (0x\w{40})/.exec(text) ?? [];
      await button(page, "Confirm in Test Wallet").click();
      await shown(page).waitFor();
      expect(sends(wallet)).to.equal(1);

      const granted = await module().mandateOf(safe, agent);
      const { world } = service;
      const { settlementToken, revoker, perTrade, perDay, budget } = granted;
      expect([settlementToken, revoker]).to.deep.equal([world.token("USDL"), ZeroAddress]);
      expect([perTrade, perDay, budget]).to.deep.equal([250_000_000n, 500_000_000n, 5_000_500_000n]);
      expect(granted.stocks.map(({ token, sellable }) => [token, sellable])).to.deep.equal([
        [world.token("AAPLx"), 2_500_000_000_000_000_000n],
        [world.token("TSLAx"), 0n],
      ]);
      expect([...granted.policies]).to.deep.equal([STRICT.definitionHash]);
      expect(await shown(page).innerText())
        .to.contain("500 USDL")
        .and.contain("5,000.5 USDL");
      expect(await violations(page)).to.deep.equal([]);

      await button(page, "Revoke …").click();
      await button(page, "Confirm in Test Wallet").click();
      await page.getByText("There is no mandate").waitFor();
      expect((await module().mandateOf(safe, agent)).expiresAt).to.equal(0n);
      expect(sends(wallet)).to.equal(2);
    });
  });

  it("grants on an owner's Safe, which enables the module in the same transaction, and the revoker ends it", async () => {
    const safe = await newSafe(service.world, [user(1)], 1);
    const link = encodeURIComponent(JSON.stringify({ safe, agent, revoker: user(2) }));
    const path = `/sign#mandate=${link}`;
    await withWallet(
      async (page, wallet) => {
        await page.getByText("A link filled in this form.").waitFor();
        await connect(page);
        await fill(page);
        for (const words of ["lets the mandate module act for it", "Your Safe"]) {
          await button(page, "Review").click();
          expect(await review(page).innerText()).to.contain(words);
          await button(page, "Confirm in Test Wallet").click();
          await review(page).waitFor({ state: "detached" });
          expect((await module().mandateOf(safe, agent)).revoker).to.equal(user(2));
        }
        expect(sends(wallet)).to.equal(2);
      },
      { path, account: user(1) },
    );
    await withWallet(
      async (page) => {
        await connect(page);
        await look(page, safe);
        await button(page, "Revoke …").click();
        await button(page, "Confirm in Test Wallet").click();
        await page.getByText("There is no mandate").waitFor();
        expect((await module().mandateOf(safe, agent)).expiresAt).to.equal(0n);
      },
      { account: user(2) },
    );
  });

  it("gives the owners of a Safe that needs several of them a file for the Transaction Builder", async () => {
    const safe = await newSafe(service.world, [user(1), user(2)], 2);
    const path = `/sign#mandate=${encodeURIComponent(JSON.stringify({ safe }))}`;
    await withWallet(
      async (page, wallet) => {
        await connect(page);
        await fill(page);
        await button(page, "Review").click();
        const [download] = await Promise.all([
          page.waitForEvent("download"),
          button(page, "Save the Transaction Builder file").click(),
        ]);
        const file = JSON.parse(await readFile(await download.path(), "utf8"));
        expect(isSafeFileWhole(file)).to.equal(true);
        expect(file.meta.createdFromSafeAddress).to.equal(safe);
        expect(file.transactions.map(({ contractMethod }: any) => contractMethod.name)).to.deep.equal([
          "enableModule",
          "grant",
        ]);
        expect(sends(wallet)).to.equal(0);
      },
      { path, account: user(1) },
    );
  });

  it("asks a wallet for nothing on another chain, or where module and guard are not what the page names", async () => {
    const { setup } = service.world.deployment.mandates!;
    const odd = [
      ["eth_chainId", "0x1", "Your wallet is on chain 1. Switch it to chain"],
      ["eth_getCode", "0x", "there is no contract at"],
      ["eth_getCode", "0x", `there is no contract at ${setup}`, setup],
      ["eth_call", `0x${"0".repeat(24)}${"1".repeat(40)}`, `belongs to the guard 0x${"1".repeat(40)}`],
    ] as const;
    for (const [method, result, words, of] of odd)
      await withWallet(async (page, wallet) => {
        const answer: TestWallet["answer"] = (asked, [first]) =>
          asked === method && (of ?? first) === first ? { result } : undefined;
        wallet.answer = answer;
        await button(page, "Connect Test Wallet").click();
        expect(await said(page)).to.contain(words);
        expect(wallet.asked).to.not.include("eth_requestAccounts");
        wallet.answer = () => undefined;
        await connect(page);
        await fill(page);
        await button(page, "Review").click();
        await review(page).waitFor();
        // The wallet may change its chain at any time.
        wallet.answer = answer;
        await button(page, "Confirm in Test Wallet").click();
        expect(await said(page)).to.contain(words);
        expect(sends(wallet)).to.equal(0);
      });
  });

  it("sends nothing when the wallet refuses, changes its account or the call would fail", async () => {
    await withWallet(async (page, wallet) => {
      await connect(page);
      await fill(page, { "Ends at (your time zone)": "2020-01-01T00:00" });
      await button(page, "Review").click();
      await button(page, "Confirm in Test Wallet").click();
      expect(await said(page)).to.contain("The transaction would fail, so your wallet was not asked.");
      expect(sends(wallet)).to.equal(0);
      await button(page, "Back").click();
      await fill(page, { "Ends at (your time zone)": "2030-01-01T00:00" });
      await button(page, "Review").click();
      wallet.account = user(3);
      await button(page, "Confirm in Test Wallet").click();
      expect(await said(page)).to.contain("Your wallet no longer offers");
      wallet.account = user(0);
      wallet.answer = (asked) => (asked === "eth_sendTransaction" ? REFUSED : undefined);
      await button(page, "Confirm in Test Wallet").click();
      await page.getByText("You refused in your wallet. Nothing was sent.").waitFor();
    });
  });

  it("says what stands where a transaction failed, or the chain holds another mandate than what was confirmed", async () => {
    const other = "something else than what was confirmed";
    const outcomes = [
      ["0x1", false, other, "There is no mandate"],
      ["0x0", false, "failed. What stands is shown below.", "There is no mandate"],
      ["0x0", true, "what you confirmed stands: somebody else sent it first", "5,000.5 USDL"],
    ] as const;
    for (const [status, isSentByOthers, words, stands] of outcomes)
      await withWallet(async (page, wallet) => {
        const mined = (status: string, isSent: boolean): TestWallet["answer"] => {
          const send = async ({ to, data }: { to: string; data: string }) => {
            if (isSent) await (await walletOf(service.world, 3).sendTransaction({ to, data })).wait();
            return { result: `0x${"ab".repeat(32)}` };
          };
          return (asked, [call]) =>
            asked === "eth_sendTransaction"
              ? send(call)
              : asked === "eth_getTransactionReceipt"
                ? { result: { status, logs: [HOSTILE], to: call } }
                : undefined;
        };
        await connect(page);
        await fill(page);
        await button(page, "Review").click();
        wallet.answer = mined(status, isSentByOthers);
        await button(page, "Confirm in Test Wallet").click();
        expect(await said(page)).to.contain(words);
        expect(await shown(page).innerText()).to.contain(stands);
        if (!isSentByOthers) return;
        await button(page, "Back").click();
        await button(page, "Revoke …").click();
        wallet.answer = mined("0x1", false);
        await button(page, "Confirm in Test Wallet").click();
        expect(await said(page)).to.contain(other);
      });
  });

  it("shows of a mandate what the chain lets the agent do", async () => {
    const { world } = service;
    // The module takes the sender of `grant` for the Safe.
    const granting = walletOf(world, 4);
    const aapl = (sellable: bigint) => ({ token: world.token("AAPLx"), sellable });
    const stocks = [aapl(2_500_000_000_000_000_000n), aapl(7_000_000_000_000_000_000n)];
    const caps = { perTrade: 1_000_000n, perDay: 2_000_000n, budget: 3_000_000n };
    const mandate = { settlementToken: world.token("USDL"), expiresAt: 4_000_000_000n, revoker: ZeroAddress };
    const granted = { ...mandate, ...caps, stocks, policies: [STRICT.definitionHash] };
    await (await module().connect(granting).grant(agent, granted)).wait();
    const { selector } = module().interface.getFunction("spentWithinDay");
    const odd: readonly (readonly [TestWallet["answer"], RegExp])[] = [
      [() => undefined, /granted, until.*now\s+1 USDL.*buy AAPLx with.*at most 2.5 AAPLx\./s],
      [
        (asked) => (asked === "eth_getBlockByNumber" ? { result: { timestamp: "0xffffffff" } } : undefined),
        /expired, since/,
      ],
      [
        (_, [call]) => (call?.data?.startsWith(selector) ? { result: toBeHex(2_000_001, 32) } : undefined),
        /now\s+0 USDL/,
      ],
    ];
    for (const [answer, words] of odd)
      await withWallet(async (page, wallet) => {
        await connect(page);
        wallet.answer = answer;
        await look(page, granting.address);
        expect(await shown(page).innerText()).to.match(words);
      });
  });

  it("takes no answer of a wallet at its word, and shows none as HTML", async () => {
    const answers: unknown[] = [
      null,
      7,
      HOSTILE,
      [HOSTILE],
      { toString: 1 },
      "0x",
      `0x${"f".repeat(64)}`,
      [[]],
    ];
    await withWallet(async (page, wallet) => {
      for (const method of ["eth_chainId", "eth_getCode", "eth_call", "eth_requestAccounts"])
        for (const result of answers) {
          wallet.answer = (asked) => (asked === method ? { result } : undefined);
          await button(page, "Connect Test Wallet").click();
          if (method === "eth_getCode" && result === `0x${"f".repeat(64)}`) continue;
          expect(await said(page), `${method} ${JSON.stringify(result)}`).to.match(
            /^Your wallet|^On your wallet|^You refused/,
          );
        }
      wallet.answer = () => ({ error: { code: -1, message: `${HOSTILE}\u202e` } });
      await button(page, "Connect Test Wallet").click();
      await page.getByText("Your wallet says: <img src=x").waitFor();
      expect(await page.title()).to.not.contain("hacked");
    });
  });

  it("names the fields that are wrong, and refuses an agent that owns the Safe", async () => {
    await withWallet(async (page) => {
      await connect(page);
      await button(page, "Review").click();
      expect(await said(page)).to.equal("Correct the marked fields.");
      expect(await page.locator(".sign [aria-invalid=true]").count()).to.equal(6);
      for (const [label, text] of [
        ["At most per trade, in tokens", "0.0000001"],
        ["At most per 24 hours, in tokens", "0"],
      ] as const) {
        await fill(page, { [label]: text });
        await button(page, "Review").click();
        await page.getByText("Correct the marked fields.").waitFor();
        expect(await page.locator(".sign [aria-invalid=true]").count()).to.equal(1);
      }
      await fill(page, { "Address of the agent's key": user(0) });
      await button(page, "Review").click();
      await page.getByText("must not be an owner of the Safe").waitFor();
    });
  });

  it("grants nothing on a Safe that the agent owns, or the reader does not, and where there is none", async () => {
    const agents = await newSafe(service.world, [user(1), agent], 1);
    const readers = await newSafe(service.world, [user(1), user(2)], 1);
    for (const [safe, account, words] of [
      [agents, user(1), "must not be an owner of the Safe"],
      [readers, user(3), `${user(3)} is not an owner of the Safe`],
      [Wallet.createRandom().address, user(1), "There is no Safe at"],
    ] as const)
      await withWallet(
        async (page) => {
          await connect(page);
          await fill(page);
          await button(page, "Review").click();
          expect(await said(page)).to.contain(words);
        },
        { path: `/sign#mandate=${encodeURIComponent(JSON.stringify({ safe }))}`, account },
      );
  });

  it("takes from a link what is a mandate of its tokens, and nothing else", async () => {
    const { world } = service;
    const whole = {
      agent: agent.toLowerCase(),
      settlementToken: world.token("USDL"),
      perTrade: "1000000",
      stocks: [{ token: world.token("NVDAx"), sellable: "5000000000000000000" }],
      policies: [STRICT.definitionHash],
      expiresAt: 1_900_000_000,
    };
    const fragments = [
      [whole, true],
      [{ ...whole, more: 1 }, false],
      [{ ...whole, agent: HOSTILE }, false],
      [{ ...whole, stocks: [{ token: user(0), sellable: "1" }] }, false],
      // What the form could not show.
      [{ ...whole, stocks: [...whole.stocks, { token: world.token("NVDAx"), sellable: "1" }] }, false],
      [{ ...whole, stocks: [{ token: world.token("USDL"), sellable: "1" }] }, false],
      [{ ...whole, settlementToken: world.token("NVDAx") }, false],
      [{ ...whole, policies: [`0x${"ab".repeat(32)}`] }, false],
      [{ ...whole, expiresAt: 253_402_300_799 }, false],
      ["[".repeat(10_000), false],
    ] as const;
    for (const [fragment, isTaken] of fragments) {
      const text = typeof fragment === "string" ? fragment : JSON.stringify(fragment);
      await withWallet(
        async (page) => {
          const words = isTaken ? "A link filled in this form." : "so the form is empty.";
          await page.getByText(words).waitFor();
          const field = page.getByLabel("Address of the agent's key").first();
          expect(await field.inputValue()).to.equal(isTaken ? agent : "");
          if (isTaken) expect(await page.getByLabel("Most NVDAx to sell").inputValue()).to.equal("5");
          // Another link on the same page.
          await page.evaluate(() => location.assign("#mandate=%7B%7D"));
          await page.getByText("A link filled in this form.").waitFor();
          expect(await field.inputValue()).to.equal("");
        },
        { path: `/sign#mandate=${encodeURIComponent(text)}` },
      );
    }
  });

  it("weighs less than 100 kB on the wire with all that it loads, and asks the service for nothing more", async () => {
    await withWallet(async (page) => {
      const requests: string[] = [];
      const bytes = await page.evaluate(() =>
        performance
          .getEntries()
          .reduce((sum, entry) => sum + ((entry as PerformanceResourceTiming).encodedBodySize ?? 0), 0),
      );
      expect(bytes).to.be.greaterThan(20_000).and.lessThan(100_000);
      page.on("request", (request) => requests.push(request.url()));
      await connect(page);
      await fill(page);
      await button(page, "Review").click();
      await review(page).waitFor();
      expect(requests).to.deep.equal([]);
    });
  });

  it("says without script what stands where, and that its code is the service's own", async () => {
    const { guard, mandates } = service.world.deployment;
    await using context = await browser.newContext({ javaScriptEnabled: false, locale: "zh-CN" });
    const page = await context.newPage();
    for (const [path, words] of [
      ["/sign?lang=en", "The code of this page is the service's own"],
      ["/sign", "本页的代码属于服务本身"],
    ] as const) {
      await page.goto(service.url + path);
      const text = await page.locator("main").innerText();
      for (const expected of [words, guard, mandates!.module, mandates!.setup, "npm run guard -- mandate"])
        expect(text).to.contain(expected);
    }
  });
});
