/** What the page asks the judging worker, and what that answers: plain values, which go from one to the other. */
import type { ReaderTexts } from "../../attestor/verify/reader.ts";
import type { KnownGuard } from "../../attestor/verify/trust.ts";
import type { ReportView } from "../../attestor/view/reportView.ts";

/** A record of a guard, as text and plain values. */
export type KnownText = Omit<KnownGuard, "logKeys" | "registry" | "codeHash" | "deployedAtBlock"> & {
  /** Verifier keys. */
  readonly logKeys?: readonly string[];
  /** JSON. */
  readonly registry?: string;
};

/** What is to be judged: text, the bytes of a file, or a file that is too large to be read at all. */
export type Input = string | ArrayBuffer | { readonly tooLarge: string };

export interface Question {
  readonly input: Input;
  readonly reader: ReaderTexts;
  readonly known: readonly KnownText[];
  /** Unix seconds, by the reader's clock. */
  readonly now: number;
  /** Policies that the service gave, as JSON, each a definition. */
  readonly policies: readonly string[];
  /** The registry that the service gave, as JSON. */
  readonly serviceRegistry: string | null;
  /** The batch of samples, as JSON, where the reader gave none. */
  readonly samples: string | null;
}

/** Hashes by which a service could give what the document names; null where it names none. */
export interface Named {
  readonly registry: string | null;
  readonly policy: string | null;
  readonly samples: string | null;
}

export type Answer =
  | { readonly kind: "judged"; readonly view: ReportView; readonly named: Named }
  | { readonly kind: "fault"; readonly field: keyof ReaderTexts; readonly message: string }
  /** It took too long, or the worker was lost. */
  | { readonly kind: "lost"; readonly why: "slow" | "failed" };
