/** One call of a tool: secrets refused, input parsed, the work done, output held against its schema. */
import type { CallToolResult } from "@modelcontextprotocol/server";
import type { z } from "zod";
import { problemOfZod } from "../http/problems.ts";
import type { Backend } from "./backend.ts";
import { failureOf, failureText, ToolFailure } from "./failure.ts";
import { type FoundSecret, findSecret } from "./secrets.ts";
import { TOOLS, type Tool } from "./tools.ts";

const BY_NAME: ReadonlyMap<string, Tool> = new Map(TOOLS.map((tool) => [tool.name, tool]));

export interface CallDeps {
  readonly backend: Backend;
  /** Name of the request in the service's log, for those who ask its operator. */
  readonly requestId?: string | undefined;
  /** Told how each call ended: `ok` or the failure's code; with the error where that is not the caller's doing. */
  onOutcome?(tool: string, code: string, error?: unknown): void;
}

export function isTool(name: string): boolean {
  return BY_NAME.has(name);
}

/**
 * @param name of a tool that there is
 * @param meta what the host sent along with the arguments; not used, but looked through
 */
export async function callTool(
  deps: CallDeps,
  name: string,
  args: unknown,
  meta?: unknown,
): Promise<CallToolResult> {
  const tool = BY_NAME.get(name);
  if (tool === undefined) throw new Error("there is no such tool");
  try {
    refuseSecrets(args);
    refuseSecrets({ _meta: meta });
    const output = exact(tool.output, await tool.run(deps.backend, accept(tool.input, args ?? {})));
    deps.onOutcome?.(name, "ok");
    return {
      content: [
        { type: "text", text: JSON.stringify(output) },
        { type: "text", text: tool.next(output) },
      ],
      structuredContent: output,
    };
  } catch (error) {
    const failure = failureOf(error);
    deps.onOutcome?.(name, failure.code, failure.code === "internal" ? error : undefined);
    return { isError: true, content: [{ type: "text", text: failureText(failure, deps.requestId) }] };
  }
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
    throw new Error("the answer does not fit the tool's output schema", { cause: parsed.error });
  return parsed.data as Record<string, unknown>;
}
