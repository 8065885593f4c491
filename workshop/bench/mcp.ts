import { type LoadOrder, startLoad } from "./load.ts";
import { startOn, tradeOf, withLocalChain } from "./localChain.ts";
import { printRates, sideBySide } from "./measure.ts";
import { type Parts, partsOf } from "./parts/profile.ts";
import { printParts, printTargets, type Target } from "./print.ts";

const ROUNDS = 9;
const REQUESTS_A_ROUND = 800;
const CONNECTIONS = 8;
const REVISION = "2026-07-28";

export async function bench(): Promise<void> {
  await withLocalChain(async (folder, url) => {
    const { server, local } = await startOn(folder, url);
    await measure(server.url, local.apiKey, { clientRequestId: "bench", ...tradeOf(local, 0) });
    await server.stop();
  });
}

async function measure(url: string, key: string, job: Record<string, unknown>): Promise<void> {
  const headers = { "x-api-key": key, Accept: "application/json, text/event-stream" };
  const made = await fetch(`${url}/v1/jobs`, {
    method: "POST",
    headers: { ...headers, "content-type": "application/json" },
    body: JSON.stringify(job),
  });
  const { jobId } = (await made.json()) as { jobId: string };

  const load = startLoad();
  const contestant = (name: string, order: Omit<LoadOrder, "connections" | "requests">) =>
    load.contestant(name, { ...order, connections: CONNECTIONS, requests: REQUESTS_A_ROUND });
  const routes = [
    { route: "GET /v1/assets", path: "/v1/assets", tool: "list_supported_assets", args: {} },
    { route: "GET /v1/jobs/:id", path: `/v1/jobs/${jobId}`, tool: "get_verification", args: { jobId } },
    {
      route: "POST /v1/jobs, the same again",
      path: "/v1/jobs",
      body: JSON.stringify(job),
      tool: "prepare_verification",
      args: job,
    },
  ];
  const targets: Target[] = [];
  const parts: Record<string, Parts> = {};
  for (const { route, path, body, tool, args } of routes) {
    const ours = contestant(`${tool}, host of 2026`, {
      url: `${url}/mcp`,
      headers: {
        ...headers,
        "MCP-Protocol-Version": REVISION,
        "MCP-Method": "tools/call",
        "MCP-Name": tool,
      },
      body: callOf(tool, args, envelope),
    });
    const measured = printRates(
      `${tool}, ${CONNECTIONS} connections`,
      await sideBySide(
        [
          ours,
          contestant(`${tool}, host of 2025`, {
            url: `${url}/mcp`,
            headers: { ...headers, "MCP-Protocol-Version": "2025-11-25" },
            body: callOf(tool, args, {}),
          }),
          contestant(route, { url: `${url}${path}`, headers, ...(body === undefined ? {} : { body }) }),
        ],
        ROUNDS,
      ),
    );
    parts[`MCP, ${tool}`] = await partsOf(ours.round);
    targets.push({ name: `MCP: ${tool}`, measured, wanted: { atLeast: 0.7 } });
  }
  printParts(parts);
  printTargets(targets);
  await load.stop();
}

const envelope = {
  _meta: {
    "io.modelcontextprotocol/protocolVersion": REVISION,
    "io.modelcontextprotocol/clientInfo": { name: "bench", version: "1" },
    "io.modelcontextprotocol/clientCapabilities": {},
  },
};

function callOf(name: string, args: object, extra: object): string {
  return JSON.stringify({
    jsonrpc: "2.0",
    id: 1,
    method: "tools/call",
    params: { name, arguments: args, ...extra },
  });
}
