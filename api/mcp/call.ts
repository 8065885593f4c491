/** One call of a tool: refuses secrets, parses the input, does the work, checks the output against its schema. */
import type { CallToolResult } from "@modelcontextprotocol/server";
import type { z } from "zod";
import { accept, Problem } from "../http/problems.ts";
import { failureOf, failureText, nextStepAfter, ToolFailure, type ToolFailureFields } from "./failure.ts";
import { paymentDue, paymentIn, receiptMeta, settlementOf } from "./payment.ts";
import type { ReadingContext } from "./resources.ts";
import { type FoundSecret, findSecret } from "./secrets.ts";
import type { Tool } from "./tool.ts";

export interface CallContext extends ReadingContext {
  /** Name of the request in the service's log, for those who ask its operator. */
  readonly requestId?: string | undefined;
  /** Told how each call ended: `ok` or the failure's code; with the error where that is not the caller's doing. */
  onOutcome?(tool: string, code: string, error?: unknown): void;
}

/** @param meta what the host sent along with the arguments: looked through, and its payment taken by a tool that sells */
export async function callTool(
  context: CallContext,
  tool: Tool,
  args: unknown,
  meta?: unknown,
): Promise<CallToolResult> {
  const { requestId } = context;
  try {
    refuseSecrets(args);
    refuseSecrets({ _meta: meta });
    return await answered(context, tool, args, meta);
  } catch (error) {
    const failure = failureOf(error);
    context.onOutcome?.(tool.name, failure.code, failure.code === "internal" ? error : undefined);
    const due = tool.sells ? paymentDue(tool.name, failure, requestId) : null;
    return (
      due ?? {
        isError: true,
        content: [{ type: "text", text: failureText(forHost(context, failure), requestId) }],
        ...metaOf(receiptMeta(failure.settlement)),
      }
    );
  }
}

/** What some or all tools take beside their own. */
interface CommonInput {
  readonly jobToken?: string | undefined;
  readonly paymentSignature?: string | undefined;
}

async function answered(
  context: CallContext,
  tool: Tool,
  args: unknown,
  meta: unknown,
): Promise<CallToolResult> {
  const input = accept(tool.input, args ?? {}) as CommonInput;
  const caller = input.jobToken === undefined ? context.caller : await context.callerOf(input.jobToken);
  const payment = tool.sells ? paymentOf(input, meta) : undefined;
  const { service, address } = context;
  const {
    content,
    receipt = null,
    replayed,
    links = [],
  } = await tool.run(input, { service, caller, address }, payment);
  const output = exact(tool.output, content);
  context.onOutcome?.(tool.name, "ok");
  if (receipt !== null && output.decision) context.onSold?.(String(output.jobId));
  const next = `${replayed ? REPLAYED : ""}${output.next}`;
  const structuredContent = { ...output, next: isOpen(context) ? withoutNames(next) : next };
  return {
    content: [{ type: "text", text: JSON.stringify(structuredContent) }, ...links],
    structuredContent,
    ...metaOf(receiptMeta(settlementOf(receipt))),
  };
}

/** Whether the host has sent no API key. */
const isOpen = ({ caller }: CallContext) => caller.kind === "public";

/** A host without a key has no names for its trades. */
const withoutNames = (next: string): string => next.replace(" with a new clientRequestId", "");

const forHost = (context: CallContext, { next, ...failure }: ToolFailureFields): ToolFailureFields => {
  const step = next ?? nextStepAfter(failure.code);
  return { ...failure, next: isOpen(context) ? withoutNames(step) : step };
};

const metaOf = (meta: Record<string, unknown>) => (Object.keys(meta).length === 0 ? {} : { _meta: meta });

const REPLAYED = "Bought by an earlier payment of the same payer; the one sent now is not settled. ";

/** @throws Problem when there are two: nobody could say which one is to be charged */
function paymentOf({ paymentSignature }: CommonInput, meta: unknown): string | undefined {
  const alongside = paymentIn(meta);
  if (paymentSignature === undefined || alongside === undefined) return paymentSignature ?? alongside;
  throw new Problem("invalid_request", "Send one payment: in paymentSignature, or in _meta.", {
    errors: [{ path: "paymentSignature", message: "comes beside another payment in _meta" }],
  });
}

/** @throws ToolFailure `secret_refused`, which names the field and not its value */
export function refuseSecrets(value: unknown): void {
  const secret = findSecret(value);
  if (secret !== null) throw refusal(secret);
}

function refusal({ path, kind }: FoundSecret): ToolFailure {
  return new ToolFailure({
    code: "secret_refused",
    detail: `${path === "" ? "The input" : path} looks like a ${kind}. It was not used, stored or logged.`,
    errors: [{ path, message: `looks like a ${kind}` }],
  });
}

/** Clients refuse members that the schema does not name: what is parsed has none. */
function exact(schema: z.ZodType, value: unknown): Record<string, unknown> {
  const parsed = schema.safeParse(value);
  if (!parsed.success)
    throw new Error("the answer does not match the tool's output schema", { cause: parsed.error });
  return parsed.data as Record<string, unknown>;
}
