/**
 * Judges a document like `assay verify` without a node: by the same functions, so with the same verdict and words. It uses
 * no network and keeps nothing.
 */
import "./plain.ts";
import { parseVkey } from "../../attestor/log/note.ts";
import { type Policy, parsePolicies } from "../../attestor/policies/policy.ts";
import { orElse } from "../../attestor/values/orElse.ts";
import {
  decodeText,
  MAX_DOCUMENT_LENGTH,
  openDocument,
  parseDocument,
} from "../../attestor/verify/document.ts";
import { ReaderFault, type ReaderTexts, readerOptions, registryIn } from "../../attestor/verify/reader.ts";
import type { KnownGuard, Reader } from "../../attestor/verify/trust.ts";
import type { Verification } from "../../attestor/verify/verification.ts";
import { unreadable, verifyDocument } from "../../attestor/verify/verify.ts";
import { type ReportView, viewOf } from "../../attestor/view/reportView.ts";

/** What is to be judged: text, the bytes of a file, or a file that is too large to be read at all. */
export type Input = string | ArrayBuffer | { readonly tooLarge: string };

/** A record of a guard, as text and plain values. */
export type KnownText = Omit<KnownGuard, "logKeys" | "registry" | "codeHash" | "deployedAtBlock"> & {
  /** Verifier keys. */
  readonly logKeys?: readonly string[];
  /** JSON. */
  readonly registry?: string;
};

/** Plain values, which go to a worker. */
export interface Question {
  readonly input: Input;
  readonly reader: ReaderTexts;
  readonly known: readonly KnownText[];
  /** Unix seconds, by the reader's clock. */
  readonly now: number;
  /** Policies that the service gave, as JSON, each a definition. */
  readonly servicePolicies: readonly string[];
  /** The registry that the service gave, as JSON. */
  readonly serviceRegistry: string | null;
  /** The batch of samples that the service gave, as JSON; the reader's own comes first. */
  readonly serviceSamples: string | null;
}

export type Answer =
  | { readonly kind: "judged"; readonly view: ReportView }
  /** What the reader gave cannot be read. */
  | { readonly kind: "fault"; readonly field: keyof ReaderTexts; readonly message: string }
  /** It took too long, or the worker was lost. */
  | { readonly kind: "lost"; readonly why: "slow" | "failed" };

export function judge({ input, reader, now, ...given }: Question): Answer {
  let options: Reader;
  try {
    options = withKnown(readerOptions(reader), given);
  } catch (error) {
    if (error instanceof ReaderFault) return { kind: "fault", field: error.field, message: error.message };
    throw error;
  }
  const text = textOf(input);
  if (typeof text !== "string") return { kind: "judged", view: viewOf(text, null, now) };
  const document = text.length > MAX_DOCUMENT_LENGTH ? null : orElse(() => openDocument(text).value, null);
  return { kind: "judged", view: viewOf(verifyDocument(text, options), document, now) };
}

/** What cannot be text comes to what `assay verify` says of it. */
function textOf(input: Input): string | Verification {
  if (typeof input === "string") return input;
  if ("tooLarge" in input) return unreadable(`${input.tooLarge} is longer than 4 MiB.`);
  return (
    decodeText(new Uint8Array(input)) ??
    unreadable("The file is not UTF-8 text, nor UTF-16 with a byte order mark.")
  );
}

type Given = Pick<Question, "known" | "servicePolicies" | "serviceRegistry" | "serviceSamples">;

/** What a service or a record says and cannot be read is not known: its step then says that it is missing. */
function withKnown(
  reader: Reader,
  { known, servicePolicies, serviceRegistry, serviceSamples }: Given,
): Reader {
  const samples =
    serviceSamples === null ? undefined : orElse(() => parseDocument(serviceSamples), undefined);
  return {
    ...reader,
    samples: reader.samples === undefined ? samples : reader.samples,
    serviceRegistry: registryOr(serviceRegistry),
    servicePolicies: servicePolicies.flatMap(policiesIn),
    known: known.map(knownGuard),
  };
}

function knownGuard({ logKeys = [], registry, ...known }: KnownText): KnownGuard {
  const keys = logKeys.flatMap((text) => orElse(() => [parseVkey(text)], []));
  return { ...known, logKeys: keys.length === 0 ? undefined : keys, registry: registryOr(registry ?? null) };
}

const registryOr = (text: string | null) =>
  text === null ? undefined : orElse(() => registryIn(parseDocument(text)), undefined);

const policiesIn = (text: string): Policy[] => orElse(() => parsePolicies([parseDocument(text)]), []);

interface WorkerScope {
  postMessage(message: Answer | "ready"): void;
  addEventListener(type: "message", listener: (event: { data: Question }) => void): void;
}

/** The worker's side: one question at a time, each with its answer. */
export function serveJudge(scope: WorkerScope): void {
  scope.addEventListener("message", ({ data }) => {
    try {
      scope.postMessage(judge(data));
    } catch {
      // A fault of ours: the page must not wait forever.
      scope.postMessage({ kind: "lost", why: "failed" });
    }
  });
  scope.postMessage("ready");
}
