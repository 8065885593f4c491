/** What no seller can do without: the x402 library's own HTTP server, which asks for money, verifies, settles and answers. */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import {
  type HTTPAdapter,
  type HTTPResponseInstructions,
  x402HTTPResourceServer,
  x402ResourceServer,
} from "@x402/core/server";
import { ExactEvmScheme } from "@x402/evm/exact/server";
import type { FacilitatorClient } from "../../api/payments/facilitator.ts";
import type { Requirements } from "../../api/payments/payload.ts";
import { listening } from "../../test/support/ports.ts";

const PATH = "/sold";
/** What is sold: nothing that takes time. */
const GOODS = JSON.stringify({ sold: true });

export async function startLibraryAlone(
  facilitator: FacilitatorClient,
  terms: Requirements,
): Promise<{ readonly url: string; stop(): Promise<void> }> {
  const network = terms.network as `${string}:${string}`;
  const resources = new x402ResourceServer(
    facilitator as ConstructorParameters<typeof x402ResourceServer>[0],
  );
  resources.register(network, new ExactEvmScheme());
  const { asset, amount, extra, payTo, maxTimeoutSeconds } = terms;
  const accepts = { scheme: "exact", network, payTo, maxTimeoutSeconds, price: { asset, amount, extra } };
  const paid = new x402HTTPResourceServer(resources, { [`POST ${PATH}`]: { accepts } });
  await paid.initialize();
  const server = createServer((request, response) => {
    sell(paid, request, response).catch((error: unknown) => response.writeHead(500).end(String(error)));
  });
  const { url, close } = await listening(server);
  return { url: url + PATH, stop: close };
}

async function sell(paid: x402HTTPResourceServer, request: IncomingMessage, response: ServerResponse) {
  for await (const _ of request);
  const adapter = adapterOf(request);
  const signature = adapter.getHeader("payment-signature");
  const context = {
    ...{ adapter, path: PATH, method: "POST" },
    ...(signature === undefined ? {} : { paymentHeader: signature }),
  };
  const result = await paid.processHTTPRequest(context);
  if (result.type === "payment-error") return send(response, result.response);
  if (result.type === "no-payment-required") throw new Error("it asked for no payment");
  const settled = await paid.processSettlement(
    result.paymentPayload,
    result.paymentRequirements,
    result.declaredExtensions,
    { request: context },
  );
  if (!settled.success) return send(response, settled.response);
  response.writeHead(200, { "content-type": "application/json", ...settled.headers }).end(GOODS);
}

function adapterOf({ headers, url = "/" }: IncomingMessage): HTTPAdapter {
  const header = (name: string) => headers[name.toLowerCase()]?.toString();
  return {
    getHeader: header,
    getMethod: () => "POST",
    getPath: () => PATH,
    getUrl: () => `http://${headers.host}${url}`,
    getAcceptHeader: () => header("accept") ?? "",
    getUserAgent: () => header("user-agent") ?? "",
  };
}

function send(response: ServerResponse, { status, headers, body }: HTTPResponseInstructions): void {
  response
    .writeHead(status, { "content-type": "application/json", ...headers })
    .end(JSON.stringify(body ?? {}));
}
