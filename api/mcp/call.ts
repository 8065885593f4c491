/** One call of a tool: secrets refused, input parsed, the work done, output held against its schema. */
import type { CallToolResult } from "@modelcontextprotocol/server";
import type { z } from "zod";
import { REPORT_PROOFS, type Report } from "../../attestor/report.ts";
import { Problem, problemOfZod } from "../http/problems.ts";
import { withoutItsProofs } from "../jobs/omitProofs.ts";
import type { Backend } from "./backend.ts";
import { failureOf, failureText, ToolFailure } from "./failure.ts";
import { OPEN_TOOLS } from "./openTools.ts";
import { paymentDue, paymentIn, receiptMeta } from "./payment.ts";
import { type FoundSecret, findSecret } from "./secrets.ts";
import { TOOLS, type Tool } from "./tools.ts";

const byName = (tools: readonly Tool[]): ReadonlyMap<string, Tool> =>
  new Map(tools.map((tool) => [tool.name, tool]));
const BY_NAME = byName(TOOLS);
const OPEN_BY_NAME = byName(OPEN_TOOLS);

export interface CallDeps {
  readonly backend: Backend;
  /** The host has sent no API key. */
  readonly isOpen?: boolean;
  /** For who holds the token of a job. @throws Problem, ToolFailure */
  backendOf(jobToken: string): Promise<Backend>;
  /** Name of the request in the service's log, for those who ask its operator. */
  readonly requestId?: string | undefined;
  /** Told how each call ended: `ok` or the failure's code; with the error where that is not the caller's doing. */
  onOutcome?(tool: string, code: string, error?: unknown): void;
  /** Told of a job whose report is in the answer and was paid for. */
  onSold?(jobId: string): void;
}

export function isTool(name: string): boolean {
  return BY_NAME.has(name);
}

/**
 * @param name of a tool that there is
 * @param meta what the host sent along with the arguments: looked through, and its payment taken by a tool that sells
 */
export async function callTool(
  deps: CallDeps,
  name: string,
  args: unknown,
  meta?: unknown,
): Promise<CallToolResult> {
  const tool = (deps.isOpen ? OPEN_BY_NAME : BY_NAME).get(name);
  if (tool === undefined) throw new Error("there is no such tool");
  try {
    refuseSecrets(args);
    refuseSecrets({ _meta: meta });
    return await answered(deps, tool, args, meta);
  } catch (error) {
    const failure = failureOf(error);
    deps.onOutcome?.(name, failure.code, failure.code === "internal" ? error : undefined);
    const due = tool.due && paymentDue(name, tool.due, failure, deps.requestId);
    return (
      due || {
        isError: true,
        content: [{ type: "text", text: failureText(failure, deps.requestId) }],
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

async function answered(deps: CallDeps, tool: Tool, args: unknown, meta: unknown): Promise<CallToolResult> {
  const input = accept(tool.input, args ?? {}) as CommonInput;
  const backend = input.jobToken === undefined ? deps.backend : await deps.backendOf(input.jobToken);
  const payment = tool.due ? paymentOf(input, meta) : undefined;
  const { content, settlement = null, replayed } = await tool.run(backend, input, payment);
  const whole: Answer = exact(tool.output, content);
  const output = withoutItsProofs(whole);
  deps.onOutcome?.(tool.name, "ok");
  if (settlement !== null && "report" in output) deps.onSold?.(String(output.jobId));
  const next = `${replayed ? REPLAYED : ""}${tool.next(whole)}`;
  return {
    content: [
      { type: "text", text: JSON.stringify(output) },
      { type: "text", text: next },
    ],
    structuredContent: output,
    ...metaOf({ ...receiptMeta(settlement), ...proofsMeta(whole) }),
  };
}

type Answer = Readonly<Record<string, unknown>> & { readonly report?: Report };

const metaOf = (meta: Record<string, unknown>) => (Object.keys(meta).length === 0 ? {} : { _meta: meta });

/** Proofs are for whoever judges the report again, and not for the model: most of an answer would be these. */
function proofsMeta({ report }: Answer): Record<string, unknown> {
  return report?.proofs === undefined
    ? {}
    : { [REPORT_PROOFS]: { proofs: report.proofs, facts: report.facts } };
}

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

function accept(schema: z.ZodType, value: unknown): unknown {
  const parsed = schema.safeParse(value);
  if (!parsed.success) throw problemOfZod(parsed.error);
  return parsed.data;
}

/** Clients refuse members that the schema does not name: what is parsed has none. */
function exact(schema: z.ZodType, value: unknown): Record<string, unknown> {
  const parsed = schema.safeParse(value);
  if (!parsed.success)
    throw new Error("the answer does not match the tool's output schema", { cause: parsed.error });
  return parsed.data as Record<string, unknown>;
}
