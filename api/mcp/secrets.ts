/**
 * Finds what looks like a private key or a seed phrase, so that it is refused before anything is done with it.
 *
 * A private key and a hash are both 32 bytes: which one a value is, only the name of its field tells. So 32 bytes in
 * hexadecimal pass where the field is known to hold a hash, and nowhere else.
 */
import { wordlists } from "ethers";

export type SecretKind = "private key" | "seed phrase";

export interface FoundSecret {
  /** Dotted path to the field; names are cut short, since a name can be the secret itself. */
  readonly path: string;
  readonly kind: SecretKind;
}

/** Fields of this service and of x402 payloads that hold 32 bytes which are no key. */
const HASH_FIELDS: ReadonlySet<string> = new Set([
  "transactionHash",
  "evidenceHash",
  "intentHash",
  "policyHash",
  "definitionHash",
  "registryHash",
  "blockHash",
  "callDataHash",
]);
/** Within a decoded payment payload: members that hold hexadecimal of any length, the quote, which may name a hash, and the identifier of an extension. */
const PAYMENT_FIELDS: ReadonlySet<string> = new Set([
  ...HASH_FIELDS,
  "nonce",
  "salt",
  "signature",
  "quote",
  "id",
]);
/** An argument, in base64. */
const PAYMENT_FIELD = "paymentSignature";
/** What x402 has go along with a call, as it is. */
const PAYMENT_META = "x402/payment";

/** 32 bytes, or 64: a key with its public half. A signature has 65 bytes. */
const HEX_KEY = /(?<![0-9a-f])(?:0x)?(?:[0-9a-f]{64}|[0-9a-f]{128})(?![0-9a-f])/i;
const PEM_KEY = /-----BEGIN [A-Z ]*PRIVATE KEY/;
/** BIP-32 extended private keys of any purpose: xprv, yprv, zprv, tprv, … */
const EXTENDED_KEY = /\b[a-z]prv[1-9A-HJ-NP-Za-km-z]{100,}/i;
/**
 * Base58: wallet import format of Bitcoin, and the 64 bytes in which Solana wallets export a key. They stand alone:
 * a long stretch of hexadecimal may look like base58 between two zeros, which base58 does not have.
 */
const WIF_KEY =
  /(?<![0-9A-Za-z])(?:5[HJK][1-9A-HJ-NP-Za-km-z]{49}|[KL][1-9A-HJ-NP-Za-km-z]{51})(?![0-9A-Za-z])/;
const BASE58_KEY = /(?<![0-9A-Za-z])[1-9A-HJ-NP-Za-km-z]{86,88}(?![0-9A-Za-z])/;

/** What no hash and no signature looks like. */
const UNMISTAKABLE = [PEM_KEY, EXTENDED_KEY, WIF_KEY];
const KEY_PATTERNS = [HEX_KEY, BASE58_KEY, ...UNMISTAKABLE];

/** Where a value stands: names from the inside out. */
interface Place {
  readonly name: string;
  readonly within: Place | null;
}

interface Open {
  readonly value: unknown;
  readonly place: Place | null;
  readonly hashFields: ReadonlySet<string>;
}

/**
 * The first secret in a value from outside, at any depth, in names as in values.
 * @param value JSON
 */
export function findSecret(value: unknown): FoundSecret | null {
  // A list and no recursion: 64 KiB of brackets are deeper than the stack.
  const open: Open[] = [{ value, place: null, hashFields: HASH_FIELDS }];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const kind = kindOf(next, open);
    if (kind !== null) return { path: pathOf(next.place), kind };
  }
  return null;
}

/** What the value itself is; what stands within it is put on the list. */
function kindOf({ value, place, hashFields }: Open, open: Open[]): SecretKind | null {
  if (typeof value === "string") {
    const isPayment = place?.name === PAYMENT_FIELD;
    const payment = isPayment ? decoded(value) : undefined;
    // Base64 may look like base58, so a payment is decoded first.
    if (payment === undefined)
      return kindOfText(value, place?.name, hashFields) ?? (isPayment ? kindOfText(plain(value)) : null);
    open.push({ value: payment, place, hashFields: PAYMENT_FIELDS });
    return null;
  }
  if (typeof value !== "object" || value === null) return null;
  const entries = Object.entries(value);
  const fields = isPaymentMeta(place) ? PAYMENT_FIELDS : hashFields;
  for (const [name, child] of entries)
    open.push({ value: child, place: { name, within: place }, hashFields: fields });
  if (Array.isArray(value)) {
    if (isKeyBytes(value)) return "private key";
  } else {
    const kind = kindOfText(entries.map(([name]) => name).join("\n"));
    if (kind !== null) return kind;
  }
  // A phrase word by word, one a field.
  const words = entries.map(([, child]) => child).filter((child) => typeof child === "string");
  return words.length > 1 && seedPhraseIn(words.join(" ")) ? "seed phrase" : null;
}

const isPaymentMeta = (place: Place | null): boolean =>
  place?.name === PAYMENT_META && place.within?.name === "_meta" && place.within.within === null;

const NOTHING: ReadonlySet<string> = new Set();
const THIRTY_TWO_BYTES = /^\s*(0x)?[0-9a-f]{64}\s*$/i;

function kindOfText(
  text: string,
  field?: string,
  hashFields: ReadonlySet<string> = NOTHING,
): SecretKind | null {
  const isKnown = field !== undefined && hashFields.has(field);
  const isWord = THIRTY_TWO_BYTES.test(text);
  if (isKnown && hashFields !== PAYMENT_FIELDS && isWord) return null;
  // No signature is as short as a key.
  const mayBeHex = isKnown && hashFields === PAYMENT_FIELDS && !(field === "signature" && isWord);
  if ((mayBeHex ? UNMISTAKABLE : KEY_PATTERNS).some((pattern) => pattern.test(text))) return "private key";
  return seedPhraseIn(text) ? "seed phrase" : null;
}

const plain = (base64: string) => Buffer.from(base64, "base64").toString("utf8");

/** The JSON object in a base64 text; undefined where there is none. */
function decoded(text: string): object | undefined {
  try {
    const value: unknown = JSON.parse(plain(text));
    return typeof value === "object" && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}

/** A key as a list of bytes, as Solana's tools write it. */
function isKeyBytes(values: readonly unknown[]): boolean {
  return (
    (values.length === 32 || values.length === 64) &&
    values.every((each) => Number.isInteger(each) && (each as number) >= 0 && (each as number) <= 255)
  );
}

const MAX_NAMES = 8;
const MAX_NAME = 24;

/** Dotted, from the outside in. */
function pathOf(place: Place | null): string {
  const names: string[] = [];
  for (let at = place; at !== null && names.length < MAX_NAMES; at = at.within)
    names.unshift(at.name.length > MAX_NAME ? "…" : at.name);
  return names.join(".");
}

/** Phrases have 12, 15, 18, 21 or 24 words: a shorter one than the first is none, a longer text may hold one. */
const FEWEST_WORDS = 12;
const WORDS_IN_LIST = 2_048;
const LETTERS = /[\p{L}\p{M}]+/gu;

let languages: readonly ReadonlySet<string>[] | undefined;

function wordSets(): readonly ReadonlySet<string>[] {
  languages ??= Object.values(wordlists).map(
    (list) => new Set(Array.from({ length: WORDS_IN_LIST }, (_, index) => normal(list.getWord(index)))),
  );
  return languages;
}

const normal = (text: string) => text.normalize("NFKD").toLowerCase();

/**
 * Whether twelve words of one list follow each other, with any separators (spaces, commas, numbers). Chinese prose is not
 * cut into characters: most of its characters are in the list. The checksum is not asked for: a phrase with a slip in it
 * is still a secret.
 */
function seedPhraseIn(text: string): boolean {
  const words = normal(text).match(LETTERS) ?? [];
  if (words.length < FEWEST_WORDS) return false;
  return wordSets().some((set) => {
    let run = 0;
    for (const word of words) {
      run = set.has(word) ? run + 1 : 0;
      if (run >= FEWEST_WORDS) return true;
    }
    return false;
  });
}
