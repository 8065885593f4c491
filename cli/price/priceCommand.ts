/** `assay price`: what a signed update of a publisher says, and whether its signatures hold. Works offline. */
import * as z from "zod";
import { type PriceProof, ReferencePrice } from "../../attestor/evidence/facts.ts";
import { fromHex } from "../../attestor/evm/hash.ts";
import type { ProofCheck, SignedPrice } from "../../attestor/publishers/publisher.ts";
import {
  KNOWN_KEYS,
  LOCAL_CHAIN_ID,
  type PublisherKeys,
  withPublisherKeys,
} from "../../attestor/publishers/publisherKeys.ts";
import { checkPriceProof, differencesFrom, PUBLISHERS } from "../../attestor/publishers/publishers.ts";
import type { Verdict } from "../../attestor/steps.ts";
import { fromBase64 } from "../../attestor/values/bytes.ts";
import { orElse } from "../../attestor/values/orElse.ts";
import { MAX_DOCUMENT_LENGTH, parseDocument } from "../../attestor/verify/document.ts";
import { printable } from "../../attestor/view/printable.ts";
import { EXIT_CODES, PlainError, parseTyped, readFile, UsageError, type World } from "../console.ts";

const OPTIONS = {
  "guardian-sets": { type: "string" },
  local: { type: "boolean" },
  json: { type: "boolean" },
} as const;

interface Inspected {
  readonly title: string;
  readonly cannotSay: readonly string[];
  readonly check: ProofCheck;
}

/** @returns the exit code @throws UsageError, PlainError */
export async function priceCommand(args: string[], world: World): Promise<number> {
  const { values, positionals } = parseTyped({ args, allowPositionals: true, options: OPTIONS });
  const [given, ...more] = positionals;
  if (given === undefined || more.length > 0)
    throw new UsageError("price needs one file, - for standard input, or 0x and hexadecimal digits");
  const text = given.startsWith("0x") ? given : await readFile(given, MAX_DOCUMENT_LENGTH, world);
  const keysFile = values["guardian-sets"];
  const keys =
    keysFile === undefined
      ? KNOWN_KEYS
      : withPublisherKeys(parseDocument(await readFile(keysFile, MAX_DOCUMENT_LENGTH, world)));
  const chainId = values.local === true ? LOCAL_CHAIN_ID : 0;
  const { proofs, reading, unread } = givenIn(text.trim());
  const prices = proofs.map((proof): Inspected => {
    const { title, cannotSay } = PUBLISHERS.find(({ format }) => format === proof.format)!;
    return { title, cannotSay, check: checkOf(proof, reading, keys, chainId) };
  });
  const { verdict, sentence } = conclusionOf(prices, unread);
  if (values.json === true) world.out(JSON.stringify({ verdict, conclusion: sentence, prices }, null, 2));
  else {
    for (const one of prices) print(one, world);
    world.out(printable(`${verdict}: ${sentence}`));
  }
  return EXIT_CODES[verdict];
}

const Hermes = z.looseObject({
  binary: z.looseObject({ encoding: z.enum(["hex", "base64"]), data: z.array(z.string()) }),
});
const Streams = z.union([
  z.looseObject({ report: z.looseObject({ fullReport: z.string() }) }).transform(({ report }) => [report]),
  z
    .looseObject({ reports: z.array(z.looseObject({ fullReport: z.string() })) })
    .transform((all) => all.reports),
]);

/**
 * @returns proofs of one price each, none where it is no signed update; what evidence makes of the one proof; and how many
 *   updates are of nobody
 */
function givenIn(text: string) {
  const value = text.startsWith("{") || text.startsWith("[") ? jsonOf(text) : null;
  const reading = ReferencePrice.safeParse(value).data ?? null;
  if (reading !== null) {
    const isKnown = PUBLISHERS.some(({ format }) => format === reading.proof?.format);
    return { proofs: reading.proof !== null && isKnown ? [reading.proof] : [], reading, unread: 0 };
  }
  const found = (value === null ? [text] : updatesIn(value)).map((update) =>
    bytesIn(update).flatMap((bytes) => PUBLISHERS.flatMap((publisher) => proofsOf(publisher, bytes))),
  );
  const proofs = [...new Map(found.flat().map((proof) => [proof.data, proof])).values()];
  return { proofs, reading: null, unread: found.filter((those) => those.length === 0).length };
}

/** A price of evidence has to say what was signed. */
function checkOf(
  proof: PriceProof,
  reading: ReferencePrice | null,
  keys: PublisherKeys,
  chainId: number,
): ProofCheck {
  const check = checkPriceProof(proof, keys, chainId);
  const differing =
    reading !== null && check.outcome === "signed" ? differencesFrom(reading, check.price) : [];
  return differing.length === 0
    ? check
    : { outcome: "broken", reason: `what was signed reads otherwise: ${differing.join(", ")}` };
}

/** None where it is another publisher's, or nobody's. */
const proofsOf = ({ proofsIn: read }: (typeof PUBLISHERS)[number], update: Uint8Array): PriceProof[] =>
  orElse(() => read(update), []);

function jsonOf(text: string): unknown {
  try {
    return parseDocument(text);
  } catch (error) {
    throw new PlainError(`this cannot be read: ${(error as Error).message}`);
  }
}

const updatesIn = (value: unknown): string[] => [
  ...(Hermes.safeParse(value).data?.binary.data ?? []),
  ...(Streams.safeParse(value).data ?? []).map(({ fullReport }) => fullReport),
];

function bytesIn(text: string): Uint8Array[] {
  if (/^(0x)?([0-9a-fA-F]{2})+$/.test(text)) return [fromHex(`0x${text.replace(/^0x/, "")}`)];
  return [fromBase64(text) ?? []].flat();
}

function conclusionOf(prices: readonly Inspected[], unread: number): { verdict: Verdict; sentence: string } {
  const count = prices.length;
  const of = (outcome: ProofCheck["outcome"]) =>
    prices.flatMap(({ check }) => (check.outcome === outcome ? [check] : []));
  const reason = (check: ProofCheck | undefined) => (check && check.outcome !== "signed" ? check.reason : "");
  if (count === 0)
    return {
      verdict: "UNVERIFIABLE",
      sentence: "This is no signed update of a publisher that is known here.",
    };
  const broken = of("broken");
  if (broken.length > 0)
    return {
      verdict: "INVALID",
      sentence: `${broken.length} of ${count} price(s) prove nothing: ${reason(broken[0])}.`,
    };
  const unknown = of("unknown");
  if (unknown.length > 0)
    return {
      verdict: "UNVERIFIABLE",
      sentence: `${unknown.length} of ${count} price(s) cannot be checked: ${reason(unknown[0])}.`,
    };
  if (unread > 0)
    return {
      verdict: "UNVERIFIABLE",
      sentence: `${unread} signed update(s) are of no publisher that is known here.`,
    };
  const by = new Set(prices.map(({ check }) => (check.outcome === "signed" ? check.by : "")));
  return { verdict: "VALID", sentence: `${count} price(s), signed by ${[...by].join(", ")}.` };
}

function print({ title, cannotSay, check }: Inspected, world: World): void {
  const line = (name: string, value: string) => world.out(`  ${name.padEnd(12)}${printable(value)}`);
  world.out(title);
  if (check.outcome !== "broken" && check.price && check.by) line("keys", check.by);
  if (check.outcome === "signed") for (const signer of check.signers) line("signer", signer);
  else line(check.outcome, check.reason);
  if (check.outcome === "broken" || check.price === null) return;
  for (const [name, value] of membersOf(check.price)) line(name, value);
  line("not signed", cannotSay.join("; "));
}

function membersOf(given: SignedPrice): [string, string][] {
  const { feedId, price, confidence, publishedAt, signedAt, session } = given;
  return [
    ["feed", feedId],
    ["price", `${price} USD${confidence === null ? "" : ` ± ${confidence}`}`],
    ["price of", timeOf(publishedAt)],
    [
      "signed at",
      signedAt === publishedAt ? timeOf(signedAt) : `${timeOf(signedAt)}, ${signedAt - publishedAt} s later`,
    ],
    ["session", session ?? "not stated"],
  ];
}

const timeOf = (seconds: number): string => `${new Date(seconds * 1000).toISOString()} (${seconds})`;
