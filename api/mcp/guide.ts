/** The way through the tools, for models and for people. */

export const INSTRUCTIONS = [
  "Assay verifies trades of tokenized US stocks and prepares them for an on-chain guard.",
  "Order of calls: list_supported_assets, get_verification_policy, prepare_verification, purchase_verification (when payment is required), prepare_guard_trade, then get_execution_status.",
  "Without an API key prepare_verification answers a jobToken with the jobId: give both to every tool after it. It is paid for there, where payment is required.",
  "The user's own wallet signs payments, approvals and trades outside of this server. Never send private keys or seed phrases: they are refused.",
  "Data is indicative only and is not advice. assay://guide has the details.",
].join(" ");

export const GUIDE = `# Assay through tools

Assay judges one fixed trade of a tokenized US stock by a policy, and prepares a transaction that an on-chain guard lets
through only on the facts it was judged on. It never signs payments or trades and never takes keys.

| step | tool | who acts |
|---|---|---|
| 1 | \`list_supported_assets\` | choose asset keys; raw amount = amount x 10^decimals of the input token |
| 2 | \`get_verification_policy\` | choose a policy and a slippage within its limit |
| 3 | \`prepare_verification\` | creates the job; its report says ALLOW or DENY, and why |
| 4 | \`purchase_verification\` | only when \`payment.state\` is \`required\`: it fails with the terms, **the user's wallet signs** the x402 payment, and the same call with it buys |
| 5 | \`get_verification\` | read the report; on DENY stop and tell the user why |
| 6 | \`prepare_guard_trade\` | verified again; approval, typed data, certificate and guard call |
| 7 | (outside) | **the user's wallet sends** \`approval.data\` to \`approval.token\`, then \`guardCall\` as it is; or \`walletCalls\` by \`wallet_sendCalls\` |
| 8 | \`get_execution_status\` | with the transaction hash; then without it until the state is final |

- Amounts are decimal strings in raw units. 100 bps = 1%. Times are ISO 8601 UTC; \`expiresAt\` in a certificate is unix
  seconds.
- A certificate lives for a few minutes at most. When it has expired, call \`prepare_guard_trade\` again: at most twice
  in five minutes for a job. A job lives for 24 hours.
- \`evidenceHash\` is keccak256 of the evidence's canonical JSON (RFC 8785): anyone can check a saved report again.
- Repeating \`prepare_verification\` with the same \`clientRequestId\` and fields finds the same job; repeating
  \`purchase_verification\` or \`get_execution_status\` changes nothing twice.
- Without an API key step 3 is paid for at once where payment is required, and answers \`jobToken\`: every tool after it takes
  \`jobToken\` beside \`jobId\`. Whoever has the token has the job, so show it to nobody else. Every call of step 3 makes a new
  job then, and \`clientRequestId\` is not used.
- A tool that sells a report answers \`payment_required\` with x402 terms. An x402 client pays by
  \`_meta["x402/payment"]\` of the same call and finds the receipt in \`_meta["x402/payment-response"]\`; any other host gives
  the payment's base64 as \`paymentSignature\`.
- A failed call returns JSON with \`code\`, \`detail\` and \`next\`. Do what \`next\` says.
- Anything that looks like a private key or a seed phrase is refused in every field (\`secret_refused\`). A
  \`clientRequestId\` of 64 hexadecimal digits looks like one, too.
- Data is indicative only and is not advice.
`;
