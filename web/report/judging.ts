/**
 * Judges a document like `assay verify` without a node: by the same functions, so with the same verdict and words. It uses
 * no network and keeps nothing.
 */
import { orElse } from "../../attestor/values/orElse.ts";
import "./plain.ts";
import { parseVkey } from "../../attestor/log/note.ts";
import { type Policy, parsePolicies } from "../../attestor/policies/policy.ts";
import { asRecord } from "../../attestor/values/json.ts";
import {
  decodeText,
  MAX_DOCUMENT_LENGTH,
  openDocument,
  parseDocument,
} from "../../attestor/verify/document.ts";
import { ReaderFault, readerOptions, registryIn } from "../../attestor/verify/reader.ts";
import type { KnownGuard, Reader } from "../../attestor/verify/trust.ts";
import type { Verification } from "../../attestor/verify/verification.ts";
import { unreadable, verifyDocument } from "../../attestor/verify/verify.ts";
import { viewOf } from "../../attestor/view/reportView.ts";
import type { Answer, Input, KnownText, Named, Question } from "./question.ts";

const HASH = /^0x[0-9a-f]{64}$/;

/**
 * The parts of the work, one a call, so that who has no worker can let the page breathe between them.
 * @returns the answer with the last of them
 */
export function* judging({ input, reader, ...given }: Question): Generator<undefined, Answer> {
  const { now } = given;
  let options: Reader;
  try {
    options = withKnown(readerOptions(reader), given);
  } catch (error) {
    if (error instanceof ReaderFault) return { kind: "fault", field: error.field, message: error.message };
    throw error;
  }
  yield;
  const read = textOf(input);
  if (typeof read !== "string") return judged(read, null, now);
  yield;
  const document = read.length > MAX_DOCUMENT_LENGTH ? null : orElse(() => openDocument(read).value, null);
  yield;
  const verification = verifyDocument(read, options);
  yield;
  return judged(verification, document, now);
}

/** All at once. */
export function judge(question: Question): Answer {
  const parts = judging(question);
  for (;;) {
    const part = parts.next();
    if (part.done) return part.value;
  }
}

const judged = (verification: Verification, document: unknown, now: number): Answer => ({
  kind: "judged",
  view: viewOf(verification, document, now),
  named: namedIn(document),
});

/** What cannot be text comes to what `assay verify` says of it. */
function textOf(input: Input): string | Verification {
  if (typeof input === "string") return input;
  if ("tooLarge" in input) return unreadable(`${input.tooLarge} is longer than 4 MiB.`);
  return (
    decodeText(new Uint8Array(input)) ??
    unreadable("The file is not UTF-8 text, nor UTF-16 with a byte order mark.")
  );
}

/** null for what is no document: the verification says what is wrong with it. */
const parsed = (text: string): unknown =>
  text.length > MAX_DOCUMENT_LENGTH ? null : orElse(() => parseDocument(text), null);

function withKnown(
  options: Reader,
  { known, policies, serviceRegistry, samples }: Omit<Question, "input" | "reader" | "now">,
): Reader {
  return {
    ...options,
    serviceRegistry: registryOr(serviceRegistry),
    known: known.map(knownGuard),
    servicePolicies: policies.flatMap(policyIn),
    ...(options.samples === undefined && samples !== null ? { samples: parsed(samples) ?? undefined } : {}),
  };
}

function knownGuard({ logKeys = [], registry, ...known }: KnownText): KnownGuard {
  const keys = logKeys.flatMap((text) => orElse(() => [parseVkey(text)], []));
  return { ...known, logKeys: keys.length === 0 ? undefined : keys, registry: registryOr(registry ?? null) };
}

/** What a record or a service says and cannot be read is not known. */
const registryOr = (text: string | null) =>
  text === null ? undefined : orElse(() => registryIn(parseDocument(text)), undefined);

/** An unreadable policy is none: the step `policy` then says that it is missing. */
function policyIn(text: string): Policy[] {
  return orElse(() => parsePolicies([parseDocument(text)]), []);
}

function namedIn(document: unknown): Named {
  const envelope = asRecord(document);
  const evidence = asRecord((asRecord(envelope?.report) ?? envelope)?.evidence);
  const hash = (value: unknown) => (typeof value === "string" && HASH.test(value) ? value : null);
  return {
    registry: hash(asRecord(evidence?.registry)?.hash),
    policy: hash(asRecord(evidence?.policy)?.definitionHash),
    samples: hash(asRecord(evidence?.liquidity)?.samplesRoot),
  };
}
