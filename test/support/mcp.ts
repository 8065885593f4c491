/** Hosts of the tools: the official clients of both generations, each behind the same few calls. */
import {
  type Client,
  Client as ModernClient,
  StreamableHTTPClientTransport as ModernTransport,
} from "@modelcontextprotocol/client";
import { AjvJsonSchemaValidator as ModernValidator } from "@modelcontextprotocol/client/validators/ajv";
import { Client as OldClient } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as OldTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { AjvJsonSchemaValidator as OldValidator } from "@modelcontextprotocol/sdk/validation/ajv";
import { Ajv2020 } from "ajv/dist/2020.js";
import { expect } from "chai";
import { listedTools } from "../../api/mcp/listing.ts";
import { json } from "./http.ts";

const INFO = { name: "assay-test", version: "1.0.0" };
type ToolAnswer = { isError?: boolean; structuredContent?: any; content: any[]; _meta?: any };

/** One of a test's own is ended by `await using`. */
export interface Host extends AsyncDisposable {
  listTools(): Promise<any[]>;
  /** The whole answer; the client and we have checked structured content by the tool's output schema. */
  call(name: string, args?: Record<string, unknown>, meta?: Record<string, unknown>): Promise<ToolAnswer>;
  /** The whole document of a report that an answer links to: what its reader verifies. */
  document(answer: Pick<ToolAnswer, "content">): Promise<any>;
  /** Calls, and reads what the answer links to. */
  documentAfter(name: string, args?: Record<string, unknown>): Promise<any>;
  /** The structured content of a call that must not fail. */
  use(name: string, args?: Record<string, unknown>): Promise<any>;
  /** What a call that must fail says, terms of payment aside. */
  failure(name: string, args?: Record<string, unknown>): Promise<any>;
  /** What a call says that must be paid for: the terms as x402 has them, and the text. */
  due(name: string, args?: Record<string, unknown>): Promise<{ required: any; said: any }>;
  readonly client: Pick<Client, "listResources" | "listResourceTemplates" | "readResource" | "callTool">;
  close(): Promise<void>;
}

/** `2026`: pinned to the revision of 2026; `2025`: the same client, as it speaks by default; `v1`: the older package. */
export const GENERATIONS = ["2026", "2025", "v1"] as const;
export type Generation = (typeof GENERATIONS)[number];

/** A client's own validator, which compiles each schema once for all hosts of the process. */
function remembering<V extends { getValidator(schema: any): any }>(own: V): V {
  const made = new Map<string, unknown>();
  const getValidator = (schema: unknown) => {
    const text = JSON.stringify(schema);
    if (!made.has(text)) made.set(text, own.getValidator(schema));
    return made.get(text);
  };
  return { getValidator } as V;
}
const MODERN = remembering(new ModernValidator());
const OLD = remembering(new OldValidator());

/** @param key null: a host that was given the URL alone */
export async function connectHost(generation: Generation, url: string, key: string | null): Promise<Host> {
  const address = new URL("/mcp", url);
  const requestInit = key === null ? {} : { headers: { Authorization: `Bearer ${key}` } };
  if (generation === "v1") {
    const client = new OldClient(INFO, { jsonSchemaValidator: OLD });
    await client.connect(new OldTransport(address, { requestInit }));
    // It checks the output of tools that it has listed.
    await client.listTools();
    return hostOf(client as unknown as Client, key === null);
  }
  const client = new ModernClient(INFO, {
    jsonSchemaValidator: MODERN,
    versionNegotiation: { mode: generation === "2026" ? { pin: "2026-07-28" } : "legacy" },
  });
  await client.connect(new ModernTransport(address, { requestInit }));
  await client.listTools();
  return hostOf(client, key === null);
}

const ajv = new Ajv2020({ strict: true, validateFormats: false });

/** A host by a client that is connected and has listed its tools. @param isOpen without a key */
export function hostOf(client: Client, isOpen: boolean): Host {
  const call: Host["call"] = async (name, args = {}, meta) => {
    const asked = { name, arguments: args, ...(meta === undefined ? {} : { _meta: meta }) };
    const answer = (await client.callTool(asked)) as ToolAnswer;
    if (answer.structuredContent !== undefined) {
      const listed = listedTools(isOpen, true).find((tool) => tool.name === name);
      if (!listed) throw new Error(`${name} is not listed`);
      // Compiled once: it is known by its schema.
      const validate = ajv.compile(listed.outputSchema);
      expect(validate(answer.structuredContent), JSON.stringify(validate.errors)).to.equal(true);
      const said = JSON.parse(answer.content[0].text);
      if (answer.isError === true) expect(said).to.deep.include(answer.structuredContent);
      else expect(said).to.deep.equal(answer.structuredContent);
    }
    return answer;
  };
  const document: Host["document"] = async ({ content }) => {
    const { contents } = await client.readResource({ uri: linkIn(content) });
    return JSON.parse((contents[0] as { text: string }).text);
  };
  return {
    client,
    document,
    documentAfter: async (name, args) => document(await call(name, args)),
    listTools: async () => (await client.listTools()).tools,
    call,
    async use(name, args) {
      const answer = await call(name, args);
      expect(answer.isError, answer.content[0]?.text).to.not.equal(true);
      return answer.structuredContent;
    },
    async failure(name, args) {
      const answer = await call(name, args);
      expect(answer.isError, JSON.stringify(answer)).to.equal(true);
      expect(answer.structuredContent).to.equal(undefined);
      return JSON.parse(answer.content[0].text);
    },
    async due(name, args) {
      const { isError, structuredContent, content } = await call(name, args);
      expect(isError, JSON.stringify(content)).to.equal(true);
      expect(structuredContent).to.include({ x402Version: 2 });
      expect(structuredContent.resource.url).to.equal(`mcp://tool/${name}`);
      return { required: structuredContent, said: JSON.parse(content[0].text) };
    },
    close: () => client.close(),
    [Symbol.asyncDispose]: () => client.close(),
  };
}

/** Where the whole report of an answer is. */
export function linkIn(content: readonly any[]): string {
  const link = content.find(({ type, name }) => type === "resource_link" && name === "report");
  expect(link, JSON.stringify(content)).to.not.equal(undefined);
  return link.uri;
}

/** A message as a client of 2025 sends it, without the client: for what no client would send. */
export function rpc(method: string, params: unknown = {}, id: unknown = 1): Record<string, unknown> {
  return { jsonrpc: "2.0", id, method, params };
}

/** What a client of 2026 sends with each message. */
export const envelope = (version: string) => ({
  _meta: {
    "io.modelcontextprotocol/protocolVersion": version,
    "io.modelcontextprotocol/clientInfo": { name: "test", version: "1" },
    "io.modelcontextprotocol/clientCapabilities": {},
  },
});

/**
 * The result of one call of a tool, by a client that does what the specification says and no more.
 * @param given `payment` as x402 has it; without a key as a host that was given the URL alone
 */
export async function toolResult(
  url: string,
  name: string,
  args: object,
  given: { readonly key?: string | null; readonly payment?: unknown } = {},
): Promise<any> {
  const meta = given.payment === undefined ? {} : { _meta: { "x402/payment": given.payment } };
  const headers: Record<string, string> = given.key ? { authorization: `Bearer ${given.key}` } : {};
  const message = rpc("tools/call", { name, arguments: args, ...meta });
  const answer: any = await (await fetch(`${url}/mcp`, mcpRequest(message, headers))).json();
  return answer.result;
}

/** @param body text goes out as it is */
export function mcpRequest(body: unknown, headers: Record<string, string> = {}): RequestInit {
  const types = { accept: "application/json, text/event-stream", "content-type": "application/json" };
  return { ...json(body), headers: { ...types, ...headers } };
}
