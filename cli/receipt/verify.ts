/** `assay verify --receipt`: checks a signed receipt of a purchase by the keys that the reader trusts, offline. */
import { keysIn, MAX_RECEIPT_LENGTH } from "../../attestor/receipts/reading.ts";
import { type ReceiptVerification, verifyReceipt } from "../../attestor/receipts/verifyReceipt.ts";
import { type Outcome, type Step, sentenceOf, type Verdict } from "../../attestor/steps.ts";
import { printable } from "../../attestor/view/printable.ts";
import { parseTyped, readFile, UsageError, type World } from "../console.ts";

/** Of every verdict. */
export const EXIT_CODES: Record<Verdict, number> = { VALID: 0, INVALID: 1, UNVERIFIABLE: 2 };
const MARKS: Record<Outcome, string> = { ok: "ok", wrong: "WRONG", unknown: "unknown", absent: "absent" };

const OPTIONS = {
  receipt: { type: "string" },
  "receipt-key": { type: "string", multiple: true },
  offer: { type: "string" },
  payer: { type: "string" },
  network: { type: "string" },
  resource: { type: "string" },
  transaction: { type: "string" },
  asset: { type: "string" },
  amount: { type: "string" },
  "pay-to": { type: "string" },
  json: { type: "boolean" },
} as const;

/**
 * @returns the exit code, as of `assay verify`
 * @throws UsageError for arguments that make no sense, PlainError for a file that cannot be read
 */
export async function verifyReceiptCommand(args: string[], world: World): Promise<number> {
  const given = parseTyped({ args, options: OPTIONS }).values;
  const receipt = await readFile(given.receipt ?? "-", MAX_RECEIPT_LENGTH, world);
  const offer = given.offer === undefined ? null : await readFile(given.offer, MAX_RECEIPT_LENGTH, world);
  const { payer, network, resource, transaction, asset, amount } = given;
  const result = verifyReceipt(receipt, offer, {
    keys: (await Promise.all((given["receipt-key"] ?? []).map((text) => keysOf(text, world)))).flat(),
    ...{ payer, network, resource, transaction, asset, amount, payTo: given["pay-to"] },
  });
  print(result, given.json ?? false, world);
  return EXIT_CODES[result.verdict];
}

/** A key, or the file of a DID document. */
async function keysOf(text: string, world: World): Promise<Uint8Array[]> {
  const keys = keysIn(text) ?? keysIn(await readFile(text, MAX_RECEIPT_LENGTH, world));
  if (keys === null)
    throw new UsageError(
      "--receipt-key must be a public key of 43 characters, or the file of a DID document (/.well-known/did.json)",
    );
  return keys;
}

function print(result: ReceiptVerification, json: boolean, world: World): void {
  const { verdict, steps, receipt, offer } = result;
  const conclusion = printable(sentenceOf(result));
  if (json) {
    world.out(JSON.stringify({ verdict, conclusion, receipt, offer, steps }, null, 2));
    return;
  }
  printSteps(steps, world);
  if (receipt !== null) {
    const { payer, network, resourceUrl, issuedAt, transaction = "none" } = receipt;
    const at = new Date(issuedAt * 1_000).toISOString();
    world.out(
      printable(
        `receipt  ${payer} paid for ${resourceUrl} on ${network}, transaction ${transaction}, issued ${at}`,
        false,
      ),
    );
  }
  if (offer !== null)
    world.out(printable(`offer    ${offer.amount} raw units of ${offer.asset} to ${offer.payTo}`, false));
  world.out(conclusion);
}

export function printSteps(steps: readonly Step[], world: World): void {
  const width = Math.max(...steps.map(({ name }) => name.length));
  for (const { name, outcome, detail } of steps)
    world.out(`${MARKS[outcome].padEnd(7)}  ${name.padEnd(width)}  ${printable(detail)}`);
}
