/**
 * Read this first: the MCP server of one request. Over which transport it speaks `http.ts` decides, and `local.ts` what the
 * tools call.
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
import { INSTRUCTIONS } from "./guide.ts";
import { listedTools } from "./listing.ts";
import { LISTED_RESOURCES, LISTED_TEMPLATES, readResource } from "./resources.ts";

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

// The SDK's own reading of the parameter makes an internal error of a wrong type.
const ReadParams = z.looseObject({ uri: Text });

/** Tools and resources over a backend. Connect it to one transport; it is not to be used twice. */
export function createMcpServer(deps: McpServerDeps): Server {
  const server = new Server(
    {
      name: "assay",
      title: "Assay",
      version: deps.version,
      description: "Data and trade verification for tokenized US stocks",
    },
    {
      capabilities: { tools: {}, resources: {} },
      instructions: INSTRUCTIONS,
      jsonSchemaValidator: noValidator,
    },
  );

  server.setRequestHandler("tools/list", () => ({
    tools: listedTools(deps.isOpen === true, deps.backend.charges),
  }));
  server.setRequestHandler("tools/call", ({ params }, { mcpReq }) => {
    const { name, arguments: args, _meta: meta } = params;
    const call = () => callTool(deps, name, args, meta);
    return toolNamed(deps, name).isLong ? whileAtWork(mcpReq.notify, meta?.progressToken, call) : call();
  });

  server.setRequestHandler("resources/list", () => ({ resources: LISTED_RESOURCES }));
  server.setRequestHandler("resources/templates/list", () => ({ resourceTemplates: LISTED_TEMPLATES }));
  server.setRequestHandler("resources/read", { params: ReadParams }, ({ uri }) =>
    guarded(deps, uri, async () => {
      const contents = await readResource(deps, uri);
      if (contents === null) throw new ResourceNotFoundError(uri);
      return contents;
    }),
  );
  return server;
}

/** As for tools: secrets refused first, and nothing of an unknown error for the caller. */
async function guarded<T>(deps: McpServerDeps, uri: string, work: () => Promise<T>): Promise<T> {
  try {
    refuseSecrets({ uri });
    return await work();
  } catch (error) {
    if (error instanceof ProtocolError) throw error;
    const failure = failureOf(error);
    const { code, detail } = failure;
    deps.onOutcome?.("resources/read", code, code === "internal" ? error : undefined);
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
