/**
 * A host that opens links for its user (URL elicitation) receives the link to the signing page directly, so that no model
 * sees it. It then repeats the call with what the user did. That round reads the version that the first one prepared, so
 * no state is kept and nothing that comes back is trusted.
 */
import {
  type CallToolResult,
  CLIENT_CAPABILITIES_META_KEY,
  type ClientCapabilities,
  type InputRequiredResult,
  inputRequired,
  type Server,
  type ServerContext,
} from "@modelcontextprotocol/server";
import type { PreparedVerdict } from "./schemas.ts";

type Asked = ServerContext["mcpReq"];

/** The second round: which version the first one prepared, and whether the user was led to the page. */
export interface Signing {
  readonly version: number;
  readonly isOpened: boolean;
}

/** @returns undefined in the first round, and for what no first round gave */
export function signingOf({ requestState, inputResponses }: Asked): Signing | undefined {
  const state = requestState();
  if (typeof state !== "string" || !/^[1-9][0-9]{0,8}$/.test(state)) return undefined;
  const response = inputResponses?.sign as { action?: unknown } | undefined;
  return { version: Number(state), isOpened: response?.action === "accept" };
}

/** An older host over HTTP does not say with a call what it can: it gets the link with the answer. */
function opensLinks(server: Server, { envelope }: Asked): boolean {
  const said = envelope as Record<string, ClientCapabilities | undefined> | undefined;
  const declared = said?.[CLIENT_CAPABILITIES_META_KEY];
  return (declared ?? server.getClientCapabilities())?.elicitation?.url !== undefined;
}

/** The answer, or the question that takes the place of its link. */
export function askedToSign(
  server: Server,
  asked: Asked,
  answer: CallToolResult,
): CallToolResult | InputRequiredResult {
  const { signUrl, guardCall, version, understood } = (answer.structuredContent ??
    {}) as Partial<PreparedVerdict>;
  // A host that requested `guardCall` has a wallet.
  if (signUrl === undefined || guardCall !== undefined || !opensLinks(server, asked)) return answer;
  const message = `Sign and send with your wallet: ${understood}`;
  return inputRequired({
    inputRequests: { sign: inputRequired.elicitUrl({ message, url: signUrl }) },
    requestState: String(version),
  });
}
