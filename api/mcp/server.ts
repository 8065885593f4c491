/**
 * Read this first: the MCP server of one request or one connection. Over which transport it speaks, and whether the tools
 * work in this process or through a remote service, others decide (`http.ts`, `local.ts`).
 *
 * The SDK's plain `Server` is used and not its `McpServer`, which makes all JSON Schemas anew for every request and shows
 * the caller every error's message.
 */
import {
  type Notification,
  type ProgressToken,
  ProtocolError,
  ProtocolErrorCode,
  ResourceNotFoundError,
  Server,
} from "@modelcontextprotocol/server";
import { z } from "zod";
import { Text } from "../../attestor/values/primitives.ts";
import { type CallDeps, callTool, refuseSecrets, toolNamed } from "./call.ts";
import { failureOf, failureText } from "./failure.ts";
import { CompleteParams, completionsOf, INSTRUCTIONS, PROMPT, PromptArguments, promptFor } from "./guide.ts";
import { listedTools } from "./listing.ts";
import { LISTED_RESOURCES, LISTED_TEMPLATES, readResource } from "./resources.ts";
import { askedToSign, signingOf } from "./signing.ts";

export interface McpServerDeps extends CallDeps {
  /** Of the program. */
  readonly version: string;
}

/** Nobody asks for structured input here, so nothing is validated by it; the SDK would make a validator for every server. */
const noValidator = {
  getValidator() {
    throw new Error("this server asks clients for no data");
  },
};

// The SDK's own reading of these parameters makes an internal error of a wrong type.
const ReadParams = z.looseObject({ uri: Text });
const PromptParams = z.looseObject({ name: Text, arguments: z.unknown() });

/** Tools, resources and the prompt over a backend. Connect it to one transport; it is not to be used twice. */
export function createMcpServer(deps: McpServerDeps): Server {
  const server = new Server(
    {
      name: "assay",
      title: "Assay",
      version: deps.version,
      description: "Data and trade verification for tokenized US stocks",
    },
    {
      capabilities: { tools: {}, resources: {}, prompts: {}, completions: {} },
      instructions: INSTRUCTIONS,
      jsonSchemaValidator: noValidator,
    },
  );

  server.setRequestHandler("tools/list", () => ({
    tools: listedTools(deps.isOpen === true, deps.backend.charges),
  }));
  server.setRequestHandler("tools/call", ({ params }, { mcpReq }) => {
    const { name, arguments: args, _meta: meta } = params;
    const call = async () =>
      askedToSign(server, mcpReq, await callTool(deps, name, args, meta, signingOf(mcpReq)));
    return toolNamed(deps, name).isLong ? whileAtWork(mcpReq.notify, meta?.progressToken, call) : call();
  });

  server.setRequestHandler("resources/list", () => ({ resources: LISTED_RESOURCES }));
  server.setRequestHandler("resources/templates/list", () => ({ resourceTemplates: LISTED_TEMPLATES }));
  server.setRequestHandler("resources/read", { params: ReadParams }, ({ uri }) =>
    guarded(deps, "resources/read", { uri }, async () => {
      const contents = await readResource(deps, uri);
      if (contents === null) throw new ResourceNotFoundError(uri);
      return contents;
    }),
  );

  server.setRequestHandler("completion/complete", { params: CompleteParams }, (asked) =>
    guarded(deps, "completion/complete", asked, async () => {
      const values = await completionsOf(deps.backend, asked);
      return { completion: { values: values.slice(0, 100), total: values.length } };
    }),
  );

  server.setRequestHandler("prompts/list", () => ({ prompts: [PROMPT] }));
  server.setRequestHandler("prompts/get", { params: PromptParams }, ({ name, arguments: args }) => {
    if (name !== PROMPT.name)
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, "There is no such prompt; see prompts/list.");
    return guarded(deps, "prompts/get", args, async () => {
      const parsed = PromptArguments.safeParse(args ?? {});
      if (!parsed.success)
        throw new ProtocolError(ProtocolErrorCode.InvalidParams, "The prompt's arguments are not valid.");
      return promptFor(parsed.data);
    });
  });
  return server;
}

/** As for tools: secrets refused first, and nothing of an unknown error for the caller. */
async function guarded<T>(
  deps: McpServerDeps,
  method: string,
  input: unknown,
  work: () => Promise<T>,
): Promise<T> {
  try {
    refuseSecrets(input);
    return await work();
  } catch (error) {
    if (error instanceof ProtocolError) throw error;
    const failure = failureOf(error);
    const { code, detail } = failure;
    deps.onOutcome?.(method, code, code === "internal" ? error : undefined);
    const rpcCode = RPC_CODES[code] ?? ProtocolErrorCode.InternalError;
    throw new ProtocolError(rpcCode, detail, JSON.parse(failureText(failure, deps.requestId)));
  }
}

/** What is the caller's doing. 402 is x402's. */
const RPC_CODES: Readonly<Record<string, number>> = {
  secret_refused: ProtocolErrorCode.InvalidParams,
  not_found: ProtocolErrorCode.InvalidParams,
  missing_api_key: ProtocolErrorCode.InvalidParams,
  payment_required: 402,
};

const EVERY_MS = 2_000;

/** @param token of the host that wants progress; undefined: it does not */
async function whileAtWork<T>(
  notify: (notification: Notification) => Promise<void>,
  progressToken: ProgressToken | undefined,
  work: () => Promise<T>,
): Promise<T> {
  if (progressToken === undefined) return work();
  let progress = 0;
  const tell = () => {
    const params = { progressToken, progress: progress++, message: "Reading chain and prices, and judging" };
    // A host that cannot be reached gets no answer either.
    notify({ method: "notifications/progress", params }).catch(() => undefined);
  };
  tell();
  const timer = setInterval(tell, EVERY_MS);
  try {
    return await work();
  } finally {
    clearInterval(timer);
  }
}
