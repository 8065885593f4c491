/** docs/errors.md: the list of error codes, and what a caller does about each. */
import { PROBLEMS } from "../../api/http/problems.ts";
import CURES from "./errors.json" with { type: "json" };

const HEAD = `# Error codes

For developers of clients. After this page your program can react to every error of the API. Generated from the list that the API
answers from by \`npm run reference\`.

Every error is \`application/problem+json\` with a stable \`code\`, a \`detail\` for people and a \`requestId\`. If the answer has
\`Retry-After\`, wait that long and repeat the request. [Payments](payments.md#when-a-payment-fails) explains \`paymentError\`, and
[the guard](guard/calls.md#errors) what a transaction can revert with.

| code | status | what to do |
|---|---|---|`;

export function errorsPage(): string {
  const cures: Readonly<Record<string, string>> = CURES;
  const missing = Object.keys(PROBLEMS).filter((code) => !Object.hasOwn(cures, code));
  const gone = Object.keys(cures).filter((code) => !Object.hasOwn(PROBLEMS, code));
  if (missing.length + gone.length > 0)
    throw new Error(
      `errors.json lacks ${missing.join(", ") || "none"}, and has too many: ${gone.join(", ")}`,
    );
  const rows = Object.entries(PROBLEMS).map(
    ([code, { status }]) => `| \`${code}\` | ${status} | ${cures[code]} |`,
  );
  return `${[HEAD, ...rows].join("\n")}\n`;
}
