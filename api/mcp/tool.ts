/** A tool in one piece: name, words, schemas and handler. Over HTTP and in tests it is called by `call.ts`. */
import type { ResourceLink } from "@modelcontextprotocol/server";
import type { z } from "zod";
import { Problem } from "../http/problems.ts";
import type { Caller } from "../http/route.ts";
import type { Receipt } from "../payments/receipt.ts";
import type { Service } from "../service.ts";

/** Who calls, and what answers. */
export interface Context {
  readonly service: Service;
  readonly caller: Caller;
  /** Of the client, behind trusted proxies the one that they saw. */
  readonly address: string;
}

/** A key, or the token of a job. @throws Problem `missing_api_key`: without either there is no job */
export function holderIn({ caller }: Context): Caller {
  if (caller.kind === "public")
    throw new Problem("missing_api_key", "This needs the jobToken of the job, or an API key of the host.");
  return caller;
}

interface Hints {
  readonly readOnlyHint: boolean;
  readonly destructiveHint: boolean;
  readonly idempotentHint: boolean;
  readonly openWorldHint: boolean;
}

export const READING: Hints = {
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: false,
};
/** Of what reaches beyond the service: the chain, and with payments on somebody's money. */
export const RECORDING: Hints = { ...READING, readOnlyHint: false, openWorldHint: true };
export const PAYING: Hints = { ...RECORDING, destructiveHint: true };
/** With payments on, and off, where that makes no difference. */
export const always = (hints: Hints) => ({ paid: hints, free: hints });
/** Of a call that does its work anew each time, and with payments on may charge for it. */
export const WORKING = {
  paid: { ...PAYING, idempotentHint: false },
  free: { ...RECORDING, idempotentHint: false },
};

/** What a tool answers. */
export interface Answer<O> {
  readonly content: O;
  /** Of the payment for it; null or none where nothing was paid for this answer. */
  readonly receipt?: Receipt | null;
  /** Answered from an earlier payment: the one that came now is not settled. */
  readonly replayed?: boolean;
  readonly links?: readonly ResourceLink[];
}

interface ToolSpec<I, O> {
  readonly name: string;
  readonly title: string;
  /** When to use it and what comes next, for a model. */
  readonly description: string;
  /** With payments on, and off. */
  readonly hints: { readonly paid: Hints; readonly free: Hints };
  /** It sells a report: without payment the caller receives the terms. */
  readonly sells?: true;
  /** It answers the same as long as the service runs. */
  readonly isConstant?: true;
  /** Hosts that ask for it receive progress. */
  readonly isLong?: true;
  readonly input: z.ZodType<I>;
  /** Members that it does not name are left out of the answer. */
  readonly output: z.ZodType<O>;
  /**
   * @param payment the text of the header PAYMENT-SIGNATURE, as the host's wallet made it, for a tool that sells
   * @throws Problem, ToolFailure, which the caller sees; any other error becomes `internal` and reveals nothing
   */
  run(input: I, context: Context, payment?: string): Promise<Answer<O>>;
}

/** A tool whose types have done their work. */
export type Tool = ToolSpec<unknown, unknown>;

export function defineTool<I, O>(spec: ToolSpec<I, O>): Tool {
  // Sound, since call.ts hands over only what the schemas of this very spec have parsed.
  return spec as unknown as Tool;
}
