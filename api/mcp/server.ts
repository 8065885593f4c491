/**
 * Read this first: the MCP server of one request. Over which transport it speaks `http.ts` decides. A tool is one object of
 * `tools.ts`: name, words, schemas and handler.
 */
import {
  McpServer,
  type Notification,
  type ProgressToken,
  ProtocolError,
  ProtocolErrorCode,
  ResourceNotFoundError,
  type StandardSchemaWithJSON,
} from "@modelcontextprotocol/server";
import { z } from "zod";
import { Text } from "../../attestor/values/primitives.ts";
import { type CallContext, callTool, refuseSecrets } from "./call.ts";
import { failureOf, failureText } from "./failure.ts";
import { INSTRUCTIONS } from "./guide.ts";
import { listedTools, type ObjectSchema } from "./listing.ts";
import { LISTED_RESOURCES, LISTED_TEMPLATES, readResource } from "./resources.ts";
import type { Tool } from "./tool.ts";
import { OPEN_TOOLS, TOOLS } from "./tools.ts";

/** Nobody asks for structured input here, so nothing is validated by it; the SDK would make a validator for every server. */
const noValidator = {
  getValidator() {
    throw new Error("this server asks clients for no data");
  },
};

// The SDK's own reading of the parameter makes an internal error of a wrong type.
const ReadParams = z.looseObject({ uri: Text });

/** Tools and resources for one caller. Connect it to one transport; it is not to be used twice. */
export function createMcpServer(context: CallContext): McpServer {
  const server = new McpServer(
    {
      name: "assay",
      title: "Assay",
      version: context.service.version,
      description: "Data and trade verification for tokenized US stocks",
    },
    {
      capabilities: { tools: { listChanged: false }, resources: { listChanged: false } },
      instructions: INSTRUCTIONS,
      jsonSchemaValidator: noValidator,
    },
  );
  registerTools(server, context);
  registerResources(server, context);
  return server;
}

function registerTools(server: McpServer, context: CallContext): void {
  const isOpen = context.caller.kind === "public";
  const tools = new Map((isOpen ? OPEN_TOOLS : TOOLS).map((tool) => [tool.name, tool]));
  for (const { name, inputSchema, outputSchema, ...description } of listedTools(
    isOpen,
    context.service.payments !== null,
  )) {
    const tool = tools.get(name) as Tool;
    const schemas = { inputSchema: asIs(inputSchema), outputSchema: asIs(outputSchema) };
    server.registerTool(name, { ...description, ...schemas }, (args, { mcpReq }) => {
      const { _meta: meta, notify } = mcpReq;
      const call = () => callTool(context, tool, args, meta);
      return tool.isLong ? whileAtWork(notify, meta?.progressToken, call) : call();
    });
  }
}

/** A schema that is listed and lets everything through: `call.ts` refuses secrets before it validates, and says more. */
const asIs = (json: ObjectSchema): StandardSchemaWithJSON => ({
  "~standard": {
    version: 1,
    vendor: "assay",
    validate: (value) => ({ value }),
    jsonSchema: { input: () => json, output: () => json },
  },
});

/** Their handlers are our own: the SDK's would repeat an address, and so a secret in it, in an error. */
function registerResources({ server }: McpServer, context: CallContext): void {
  server.setRequestHandler("resources/list", () => ({ resources: LISTED_RESOURCES }));
  server.setRequestHandler("resources/templates/list", () => ({ resourceTemplates: LISTED_TEMPLATES }));
  server.setRequestHandler("resources/read", { params: ReadParams }, ({ uri }) =>
    guarded(context, uri, async () => {
      const contents = await readResource(context, uri);
      if (contents === null) throw new ResourceNotFoundError(uri);
      return contents;
    }),
  );
}

/** As for tools: secrets refused first, and nothing of an unknown error for the caller. */
async function guarded<T>(context: CallContext, uri: string, work: () => Promise<T>): Promise<T> {
  try {
    refuseSecrets({ uri });
    return await work();
  } catch (error) {
    if (error instanceof ProtocolError) throw error;
    const failure = failureOf(error);
    const { code, detail } = failure;
    context.onOutcome?.("resources/read", code, code === "internal" ? error : undefined);
    const rpcCode = RPC_CODES[code] ?? ProtocolErrorCode.InternalError;
    throw new ProtocolError(rpcCode, detail, JSON.parse(failureText(failure, context.requestId)));
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
