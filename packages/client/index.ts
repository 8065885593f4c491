/** What `assay-client` exports: the client of both APIs, payments, and the verification of what it brings. */

export { approvalCall } from "../../attestor/certificate/guardCall.ts";
export {
  type AskedTrade,
  type Bought,
  type CheckedTrade,
  type Client,
  type ClientOptions,
  checkTrade,
  createClient,
  type Payable,
  type PaymentChallenge,
  type PaymentLimit,
  PaymentNotAllowed,
  PaymentRequired,
  type PaymentRequirements,
  type PaymentSigner,
  type PremiumQuery,
  type PreparedExecution,
  type Receipt,
  ServiceError,
  signerOf,
  signPayment,
  TradeRefused,
  type TradeTrust,
  type TypedData,
  type VerifiedReport,
  type WalletProvider,
} from "../../client/client.ts";
export {
  type Step,
  sentenceOf,
  type Verdict,
  type Verification,
  type VerifyOptions,
  verifyDocument,
  verifyReport,
} from "../verify/index.ts";
