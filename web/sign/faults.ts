/** What keeps a reader from signing, in the page's words. */
import { filled } from "../../attestor/view/language.ts";

const FAULTS = {
  badTradeLink: "This link names no trade. Open it exactly as your agent gave it to you.",
  otherTradeGuard:
    "This link names the guard {guard} on chain {chainId}, which is not this service's. Do not sign.",
  linkUnknown:
    "This link opens nothing: it is not complete, or its time has been over for long. Ask your agent to prepare the trade again.",
  tradeOver:
    "The time of this trade is over, so nothing is asked of your wallet. Ask your agent to prepare it again.",
  serviceAway: "The trade could not be fetched from this service. Reload the page to try again.",
  notJudged: "The trade could not be judged in this browser, so nothing is asked of your wallet.",
  wrongChain: "Your wallet is on chain {is}. Switch it to chain {wanted} and try again.",
  noCode: "On your wallet's chain there is no contract at {address}. Do not sign here.",
  paused: "The guard is paused: it carries out no trade at present.",
  otherSigner: "The guard names another signer now. Reload the page.",
  nonceUsed:
    "The guard has carried this trade out already, or its owner revoked it. Nothing is asked of your wallet.",
  wrongAccount:
    "This trade is of the account {owner}. Choose that account in your wallet and connect it again.",
  otherAccount: "Your wallet no longer offers {account}. Connect it again.",
  refused: "You refused in your wallet. Nothing was sent.",
  walletFailed: "Your wallet says: {message}",
  badAnswer: "Your wallet's answer to {method} is not one that this page can read.",
  wouldFail: "The transaction would fail, so your wallet was not asked. {message}",
  reverted: "The transaction {hash} failed.",
  notMined: "The transaction {hash} is not mined yet. Look for it in your wallet.",
} as const;

export class SignFault extends Error {
  readonly code: keyof typeof FAULTS;
  constructor(code: keyof typeof FAULTS, gaps: Readonly<Record<string, string | number>> = {}) {
    super(filled(FAULTS[code], gaps));
    this.code = code;
  }
}

/** The text of any thrown error. */
export const faultText = (error: unknown): string =>
  error instanceof SignFault ? error.message : "This page failed. Nothing more was sent; reload it.";
