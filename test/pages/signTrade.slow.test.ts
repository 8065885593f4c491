/** /sign with a trade in Chromium: a wallet approves and sends it, and is asked for nothing else. */
import { readFile } from "node:fs/promises";
import { expect } from "chai";
import { Wallet } from "ethers";
import type { Page } from "playwright-core";
import { id } from "../../attestor/evm/hash.ts";
import { verifyReport } from "../../attestor/verify/verify.ts";
import { violations } from "../support/axe.ts";
import { DESKTOP, testBrowser } from "../support/browser.ts";
import { HOSTILE } from "../support/pages.ts";
import { guardAs, testService } from "../support/service.ts";
import { type TestWallet, withWallet } from "../support/wallet.ts";
import { testWorld } from "../support/world.ts";

const READS = ["eth_chainId", "eth_getCode", "eth_call", "eth_requestAccounts", "eth_accounts"];

describe("/sign with a trade", () => {
  const world = testWorld();
  const service = testService(world);
  const browser = testBrowser();
  const user = (index: number) => world.accounts.users[index]!.address;
  const fresh = async (changes?: Record<string, unknown>) => {
    await world.tick();
    await service.recordLiquidity();
    return service.newPrepared(changes);
  };
  const pathOf = ({ signUrl }: any) => signUrl.slice(service.url.length) as string;

  type Before = (wallet: TestWallet, page: Page) => unknown;
  const open = (
    prepared: any,
    act: (page: Page, wallet: TestWallet) => Promise<void>,
    { account = user(0), path = pathOf(prepared), before = (() => {}) as Before, context = {} } = {},
  ) =>
    withWallet(
      browser,
      service,
      {
        path,
        account,
        context,
        before: async (wallet, page) => {
          await page.clock.setFixedTime(world.clock.now());
          await before(wallet, page);
        },
      },
      act,
    );
  const button = (page: Page, name: string) => page.getByRole("button", { name, exact: true });
  const connect = (page: Page) => button(page, "Connect Test Wallet").click();
  const verdict = async (page: Page) => {
    await connect(page);
    return page.locator(".judgement [data-verdict]").getAttribute("data-verdict");
  };
  /** What the wallet was asked beyond reading. */
  const asked = (wallet: TestWallet) => wallet.asked.filter((method) => !READS.includes(method));

  it("says the trade in words, judges it by the signer that the wallet's chain names, approves exactly and sends it", async () => {
    const { job, prepared } = await fresh();
    const { approval, guardCall } = prepared.execution;
    await open(prepared, async (page, wallet) => {
      const calls: unknown[] = [];
      wallet.answer = (method, [call]) => {
        if (method === "eth_sendTransaction") calls.push({ to: call.to, data: call.data });
        return undefined;
      };
      await page.locator(".sentence").waitFor();
      const text = await page.locator(".sign .part").first().innerText();
      expect(text).to.match(/Buy at least [0-9.]+ AAPLx, a token of the stock AAPL, for 250 USDL/);
      expect(text)
        .to.match(/Recipient\s+the owner/)
        .and.to.match(/Ends\s+in 2 min 00 s/);
      expect(text).to.contain(prepared.execution.tradeIntent.message.route);
      expect(await page.locator("[data-verdict]").count()).to.equal(0);
      expect(wallet.asked).to.deep.equal([]);
      expect(text).to.not.contain("allows it");

      expect(await verdict(page)).to.equal("VALID");
      expect(await page.locator(".ruling .sentence").first().innerText()).to.contain("allows it");
      expect(asked(wallet)).to.deep.equal([]);
      await button(page, "Approve exactly 250 USDL").click();
      await button(page, "Send the trade").click();
      await page.getByText("confirmed: the trade was carried out").waitFor();
      expect(calls).to.deep.equal([
        ...approval.calls.map(({ to, data }: any) => ({ to, data })),
        { to: guardCall.to, data: guardCall.data },
      ]);
      expect(await violations(page)).to.deep.equal([]);
      await page.reload();
      await connect(page);
      await page.getByText("The guard has carried this trade out already").waitFor();
      expect(calls).to.have.length(2);
    });
    const { body } = await service.call(`/v1/jobs/${job.jobId}`);
    expect(body.executions).to.have.length(1);
    expect(body.executions[0]).to.include({ state: "confirmed", reportVersion: 2 });
  });

  it("asks the wallet for nothing where the service's answer is not the trade that was certified", async () => {
    const { prepared } = await fresh();
    const other = (await fresh()).prepared;
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
      "another amount in the guard call": ({ execution: { guardCall } }) => {
        guardCall.args.intent.amountIn = "260000000";
      },
      "an approval of more": ({ execution: { approval } }) => (approval.amount = "9".repeat(30)),
      "a denial": (document) => (document.decision = "DENY"),
      "no guard call": ({ execution }) => delete execution.guardCall,
    };
    const real = (await service.call(`/v1/jobs/${prepared.jobId}/report?version=2`)).body;
    for (const [name, change] of Object.entries(hostile)) {
      const document = structuredClone(real);
      await change(document);
      await open(
        prepared,
        async (page, wallet) => {
          const seen = await verdict(page);
          if (name === "no guard call") await page.getByText("not the trade that the link names").waitFor();
          else expect(seen, name).to.equal("INVALID");
          await page.getByText("This page asks your wallet for nothing.").waitFor();
          expect(asked(wallet), name).to.deep.equal([]);
          expect(await page.locator(".sign button.strong").count(), name).to.equal(0);
        },
        { before: (_, page) => page.route("**/report?*", (route) => route.fulfill({ json: document })) },
      );
    }
    // Everything about it holds, but it is another trade.
    const another = (await service.call(`/v1/jobs/${other.jobId}/report?version=2`)).body;
    await open(
      prepared,
      async (page, wallet) => {
        expect(await verdict(page)).to.equal("VALID");
        await page.getByText("not the trade that the link names").waitFor();
        expect(asked(wallet)).to.deep.equal([]);
      },
      { before: (_, page) => page.route("**/report?*", (route) => route.fulfill({ json: another })) },
    );
  });

  it("asks the wallet for nothing where its chain, its guard's signer or its account is another", async () => {
    const { prepared } = await fresh();
    const selector = (name: string) => id(`${name}()`).slice(0, 10);
    const word = (value: string) => `0x${value.replace(/^0x/, "").padStart(64, "0")}`;
    const reading =
      (name: string, result: string): TestWallet["answer"] =>
      (method, [call]) =>
        method === "eth_call" && call.data.startsWith(selector(name)) ? { result } : undefined;
    const answering =
      (name: string, result: unknown): TestWallet["answer"] =>
      (method) =>
        method === name ? { result } : undefined;
    const odd: readonly (readonly [TestWallet["answer"], string])[] = [
      [answering("eth_chainId", "0x1"), "Your wallet is on chain 1."],
      [answering("eth_getCode", "0x"), `there is no contract at ${world.deployment.guard}`],
      [reading("paused", word("1")), "The guard is paused"],
      [
        reading("signer", word(user(4))),
        `was signed by ${world.accounts.attestation.address}, and not by ${user(4)}`,
      ],
      [answering("eth_requestAccounts", [user(2)]), `This trade is of the account ${user(0)}.`],
    ];
    for (const [answer, words] of odd)
      await open(prepared, async (page, wallet) => {
        wallet.answer = answer;
        await connect(page);
        await page.getByText(words).first().waitFor();
        expect(asked(wallet), words).to.deep.equal([]);
        expect(await page.locator(".sign button.strong").count(), words).to.equal(0);
      });
    // The guard may change its signer, and the wallet its chain, once the page has judged.
    for (const [answer, words] of odd.slice(0, 4))
      await open(prepared, async (page, wallet) => {
        expect(await verdict(page)).to.equal("VALID");
        wallet.answer = answer;
        await page.locator(".sign button.strong").click();
        await page.locator(".sign .fault").waitFor();
        expect(asked(wallet), words).to.deep.equal([]);
      });
  });

  it("offers a wallet on another chain to switch, and then connects it", async () => {
    const { prepared } = await fresh();
    const { chainId } = world.deployment;
    await open(prepared, async (page, wallet) => {
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

  it("refuses an expired trade and a faulty link", async () => {
    const { prepared } = await fresh();
    await open(prepared, async (page, wallet) => {
      expect(await verdict(page)).to.equal("VALID");
      await page.clock.setFixedTime(world.clock.now() + 121_000);
      await page.getByText("over (").waitFor();
      await page.locator(".sign button.strong").click();
      await page.getByText("The time of this trade is over").waitFor();
      expect(asked(wallet)).to.deep.equal([]);
    });
    const path = pathOf(prepared);
    const { guard, chainId } = world.deployment;
    const links = [
      [path.replace("#trade=st_", "#trade=st_A").replace(/A(.{42})./, "A$1"), "This link opens nothing"],
      [path.slice(0, -1), "This link names no trade."],
      [
        path.replace(guard, user(5)),
        `names the guard ${user(5)} on chain ${chainId}, which is not this service's`,
      ],
      [path.replace(`:${chainId}:`, ":1:"), "on chain 1, which is not this service's"],
    ] as const;
    const fault = async (of: string, words: string) => {
      // The browser's console shows what the service refuses.
      await withWallet(
        browser,
        service,
        { path: of, account: user(0), before: quiet },
        async (page, wallet) => {
          await page.getByText(words).waitFor();
          expect(wallet.asked).to.deep.equal([]);
        },
      );
    };
    for (const [of, words] of links) await fault(of, words);
    world.clock.advance(310_000);
    await fault(path, "The time of this trade is over, so nothing is asked of your wallet.");
  });
  /** Chromium writes each refusal to the console, which the test would take for a complaint. */
  const quiet: Before = (_, page) =>
    page.route("**/report?*", async (route) => {
      const answer = await route.fetch();
      if (answer.ok()) return route.fulfill({ response: answer });
      page.removeAllListeners("console");
      return route.fulfill({ response: answer });
    });

  it("sends nothing when the wallet refuses, changes its account or the call would fail", async () => {
    const { prepared } = await fresh();
    await open(prepared, async (page, wallet) => {
      expect(await verdict(page)).to.equal("VALID");
      const send = page.locator(".sign button.strong");
      wallet.answer = (method, [call]) =>
        method === "eth_call" && call.from !== undefined
          ? { error: { code: 3, message: "execution reverted" } }
          : undefined;
      await send.click();
      await page.getByText("The transaction would fail, so your wallet was not asked.").waitFor();
      wallet.answer = () => undefined;
      wallet.account = user(3);
      await send.click();
      await page.getByText("Your wallet no longer offers").waitFor();
      expect(asked(wallet)).to.deep.equal([]);
      wallet.account = user(0);
      wallet.answer = (method) =>
        method === "eth_sendTransaction"
          ? { error: { code: 4001, message: "User rejected the request." } }
          : undefined;
      await send.click();
      await page.getByText("You refused in your wallet. Nothing was sent.").waitFor();
    });
  });

  it("takes no answer of a wallet at its word, and shows none as HTML", async () => {
    const { prepared } = await fresh();
    const answers: unknown[] = [null, 7, HOSTILE, [HOSTILE], { toString: 1 }, "0x", [[]]];
    await open(prepared, async (page, wallet) => {
      for (const method of ["eth_chainId", "eth_getCode", "eth_call", "eth_requestAccounts"])
        for (const result of answers) {
          wallet.answer = (asked) => (asked === method ? { result } : undefined);
          await connect(page);
          await page.locator(".sign .fault").first().waitFor();
          expect(
            await page.locator(".sign .fault").first().innerText(),
            `${method} ${JSON.stringify(result)}`,
          ).to.match(/^Your wallet|^On your wallet|^You refused/);
        }
      wallet.answer = () => ({ error: { code: -1, message: `${HOSTILE}\u202e` } });
      await connect(page);
      await page.getByText("Your wallet says: <img src=x").waitFor();
      expect(await page.title()).to.not.contain("hacked");
    });
  });

  it("says without script what stands where, and that its code is the service's own", async () => {
    await using context = await browser.newContext({ javaScriptEnabled: false });
    const page = await context.newPage();
    await page.goto(`${service.url}/sign`);
    const text = await page.locator("main").innerText();
    for (const expected of ["The code of this page is the service's own", world.deployment.guard])
      expect(text).to.contain(expected);
  });

  it("warns of another recipient, and hands out the document, which verifies as it is saved", async () => {
    await (await guardAs(world).allowRecipient(user(6))).wait();
    const { prepared } = await fresh({ recipientAddress: user(6) });
    await open(prepared, async (page) => {
      await page.getByText("This is not the owner").waitFor();
      const [download] = await Promise.all([
        page.waitForEvent("download"),
        button(page, "Save the document").click(),
      ]);
      const document = JSON.parse(await readFile(await download.path(), "utf8"));
      expect(verifyReport(document, { signer: world.accounts.attestation.address }).verdict).to.equal(
        "VALID",
      );
      expect(await page.getByRole("link", { name: "Get the verifier" }).getAttribute("href")).to.equal(
        "/verify.html",
      );
    });
  });

  it("is read on a small screen and a wide one, without a violation or a shift", async () => {
    const { prepared } = await fresh();
    for (const viewport of [DESKTOP, { width: 360, height: 740 }])
      await open(
        prepared,
        async (page) => {
          await page.getByRole("heading", { name: "One trade for your wallet" }).waitFor();
          expect(await violations(page)).to.deep.equal([]);
          const [width, shift] = await page.evaluate(
            () =>
              new Promise<[number, number]>((resolve) => {
                let sum = 0;
                const told = (list: PerformanceObserverEntryList) => {
                  for (const entry of list.getEntries()) sum += (entry as unknown as { value: number }).value;
                };
                new PerformanceObserver(told).observe({ type: "layout-shift", buffered: true });
                setTimeout(() => resolve([document.documentElement.scrollWidth - innerWidth, sum]), 200);
              }),
          );
          expect(width).to.be.at.most(0);
          expect(shift).to.be.lessThan(0.01);
        },
        { context: { viewport } },
      );
  });
});
