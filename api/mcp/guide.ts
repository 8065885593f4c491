/** What guides a host through the tools: the guide and the instructions. */
import { readFileSync } from "node:fs";

export const GUIDE = readFileSync(new URL("guide.md", import.meta.url), "utf8");

export const INSTRUCTIONS = [
  "Assay verifies trades of tokenized US stocks and prepares them for an on-chain guard.",
  "Order of calls: list_supported_assets, get_verification_policy, prepare_verification, purchase_verification (when payment is required), prepare_guard_trade, then get_execution_status.",
  "Without an API key prepare_verification answers a jobToken with the jobId: give both to every tool after it. It is paid for there, where payment is required.",
  "The user's own wallet signs payments, approvals and trades outside of this server. Never send private keys or seed phrases: they are refused.",
  "Data is indicative only and is not advice. assay://guide has the details.",
].join(" ");
