/** The way through the tools, for models and for people. */
import { readFileSync } from "node:fs";

const read = (file: string): string => readFileSync(new URL(file, import.meta.url), "utf8");

export const GUIDE = read("guide.md");
/** The instructions for a whole trade, with gaps for what the user said of it. */
export const WHOLE_TRADE = read("wholeTrade.md").trimEnd();

export const INSTRUCTIONS = [
  "Assay verifies trades of tokenized US stocks and prepares them for an on-chain guard.",
  "Order of calls: list_supported_assets, get_verification_policy, prepare_verification, purchase_verification (when payment is required), prepare_guard_trade, then get_execution_status.",
  "Without an API key prepare_verification answers a jobToken with the jobId: give both to every tool after it. It is paid for there, where payment is required.",
  "The user's own wallet signs payments, approvals and trades outside of this server. Never send private keys or seed phrases: they are refused.",
  "Data is indicative only and is not advice. assay://guide has the details.",
].join(" ");
