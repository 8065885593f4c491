/** A wallet in a test's page: it announces itself by EIP-6963, and asks a chain that signs for its open accounts. */
import { expect } from "chai";
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { id } from "../../attestor/evm/hash.ts";
import { watchedPage } from "../support/browser.ts";
import type { Service } from "../support/service.ts";
import type { TestWorld } from "../support/world.ts";

export interface TestWallet {
  /** Methods that it was asked, in their order. */
  readonly asked: string[];
  /** Whose account it offers; a test may change it. */
  account: string;
  /** Answers in the chain's place: `result`, or `error` with its code; undefined asks the chain. */
  answer(method: string, params: readonly any[]): unknown;
}

export type Answer = TestWallet["answer"];

/** Answers in the chain's place: a result of one method, a failure of one, and a word that one function of a contract returns. */
export const answering =
  (name: string, result: unknown): Answer =>
  (method) =>
    method === name ? { result } : undefined;
export const failing =
  (name: string, code: number, message: string): Answer =>
  (method) =>
    method === name ? { error: { code, message } } : undefined;
export const reading =
  (name: string, value: string): Answer =>
  (method, [call]) => {
    const result = `0x${value.replace(/^0x/, "").padStart(64, "0")}`;
    const isAsked = method === "eth_call" && call.data.startsWith(id(`${name}()`).slice(0, 10));
    return isAsked ? { result } : undefined;
  };

const ANNOUNCE = `{
  const provider = {
    async request({ method, params }) {
      const answer = await testWallet(method, params);
      if (answer.error !== undefined) throw answer.error;
      return answer.result;
    },
  };
  const info = { uuid: "11111111-2222-4333-8444-555555555555", name: "Test Wallet", rdns: "test", icon: "" };
  const announce = () => dispatchEvent(new CustomEvent("eip6963:announceProvider", { detail: { info, provider } }));
  addEventListener("eip6963:requestProvider", announce);
  announce();
}`;

interface Opened {
  readonly path?: string;
  readonly account: string;
  /** Of page and wallet, before the page is opened. */
  readonly before?: (wallet: TestWallet, page: Page) => unknown;
  readonly context?: BrowserContextOptions;
  /** What the browser says of requests that the service refuses, as the test means it to; none by default. */
  readonly refused?: RegExp;
}

/** A page with the wallet, which at its end has nothing to complain of. */
export async function withWallet(
  browser: Browser,
  { url, world }: Pick<Service, "url" | "world">,
  { path = "/sign", account, before = () => {}, context: options = {}, refused = /^$/ }: Opened,
  act: (page: Page, wallet: TestWallet) => Promise<void>,
): Promise<void> {
  await using context = await browser.newContext({ locale: "en", ...options });
  const { page, complaints } = await watchedPage(context, url);
  const wallet = await installWallet(page, world, account);
  await before(wallet, page);
  await page.goto(url + path);
  await act(page, wallet);
  expect(complaints.filter((text) => !refused.test(text))).to.deep.equal([]);
}

/** Before the page is opened. */
async function installWallet(page: Page, { url }: TestWorld, account: string): Promise<TestWallet> {
  const wallet: TestWallet = { asked: [], account, answer: () => undefined };
  await page.exposeFunction("testWallet", async (method: string, params: readonly unknown[]) => {
    wallet.asked.push(method);
    const own = wallet.answer(method, params);
    if (own !== undefined) return own;
    if (method === "eth_accounts" || method === "eth_requestAccounts") return { result: [wallet.account] };
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
    return (
      await fetch(url, { method: "POST", headers: { "content-type": "application/json" }, body })
    ).json();
  });
  await page.addInitScript(ANNOUNCE);
  return wallet;
}
