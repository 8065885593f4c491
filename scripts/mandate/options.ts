/** What is typed of a mandate; the names are those of `TermGiven`. */
import { text } from "../command.ts";

export const SAFE_OPTION = { safeAddress: text("ADDRESS", "the Safe that grants; required") };

export const TERM_OPTIONS = {
  agent: text("ADDRESS", "the agent's address; required"),
  token: text("SYMBOL", "the settlement token; the only one by default"),
  stocks: text("LIST", "symbols, each with the units that can be sold in all: AAPLx,TSLAx:2.5; required"),
  perDay: text("AMOUNT", "the most within 24 hours, in units of the settlement token; required"),
  perTrade: text("AMOUNT", "the most of a trade; by default that of a day"),
  budget: text("AMOUNT", "the most in all; by default that of all days until it ends"),
  policies: text("LIST", "names or hashes of policies (STRICT_LIVE)"),
  expires: text("TIME", "30d, 12h or a date, UTC (30d)"),
  revoker: text("ADDRESS", "an address that may revoke it and nothing else"),
};
