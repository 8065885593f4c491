/** A wallet in a test's page: it announces itself by EIP-6963, and asks a chain that signs for its open accounts. */
import type { Page } from "playwright-core";
import type { TestWorld } from "./world.ts";

export interface TestWallet {
  /** Methods that it was asked, in their order. */
  readonly asked: string[];
  /** Whose account it offers; a test may change it. */
  account: string;
  /** Answers in the chain's place: `result`, or `error` with its code; undefined asks the chain. */
  answer(method: string, params: readonly any[]): unknown;
}

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

/** Before the page is opened. */
export async function installWallet(page: Page, { url }: TestWorld, account: string): Promise<TestWallet> {
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
