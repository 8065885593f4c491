/** What a host can read without calling a tool: whole reports, assets, policies, the OpenAPI file and the guide. */
import type {
  ReadResourceResult,
  Resource,
  ResourceLink,
  ResourceTemplateType,
} from "@modelcontextprotocol/server";
import type { Report } from "../../attestor/report.ts";
import type { Caller } from "../http/route.ts";
import { assetsAnswer, policiesAnswer, sellReport } from "../jobs/operations.ts";
import { GUIDE } from "./guide.ts";
import { type Context, holderIn } from "./tool.ts";

const JSON_TYPE = "application/json";

export interface ReadingContext extends Context {
  /** @throws Problem for a token that opens nothing */
  callerOf(jobToken: string): Promise<Caller>;
  /** The OpenAPI document of the HTTP API, as JSON text. */
  openapi(): string;
  /** Told of a job whose report is read and was paid for. */
  onSold?(jobId: string): void;
}

interface Readable extends Resource {
  read(context: ReadingContext): string;
}

const POLICIES = "assay://policies";

const READABLE: readonly Readable[] = [
  {
    uri: "assay://guide",
    name: "guide",
    title: "Guide",
    description: "The tools in their order, and where the user's wallet must sign",
    mimeType: "text/markdown",
    read: () => GUIDE,
  },
  {
    uri: POLICIES,
    name: "policies",
    title: "Policies",
    description: "The policies that a trade can be judged by, with definition hashes",
    mimeType: JSON_TYPE,
    read: () => JSON.stringify(policiesAnswer()),
  },
  {
    uri: "assay://assets",
    name: "assets",
    title: "Assets",
    description: "The registry: every asset with addresses and price sources",
    mimeType: JSON_TYPE,
    read: ({ service }) => JSON.stringify(assetsAnswer(service.deployment.registry)),
  },
  {
    uri: "assay://openapi.json",
    name: "openapi",
    title: "OpenAPI file",
    description: "The HTTP API that the tools wrap",
    mimeType: JSON_TYPE,
    read: ({ openapi }) => openapi(),
  },
];

export const LISTED_RESOURCES: Resource[] = READABLE.map(({ read: _, ...listed }) => listed);

export const LISTED_TEMPLATES: ResourceTemplateType[] = [
  {
    uriTemplate: "assay://jobs/{jobId}/reports/{version}",
    name: "report",
    title: "Report",
    description:
      "A version of a job's report, whole, with what was prepared and signed for it; it verifies as it is",
    mimeType: JSON_TYPE,
  },
  {
    uriTemplate: "assay://tokens/{jobToken}/jobs/{jobId}/reports/{version}",
    name: "report-by-token",
    title: "Report, by the job's token",
    description: "The same for a job that was made without a key",
    mimeType: JSON_TYPE,
  },
  {
    uriTemplate: "assay://policies/{policyId}",
    name: "policy",
    title: "Policy",
    description: "One policy with its whole definition",
    mimeType: JSON_TYPE,
  },
  {
    uriTemplate: "assay://assets/{symbol}",
    name: "asset",
    title: "Asset",
    description: "The assets of a symbol with addresses and price sources",
    mimeType: JSON_TYPE,
  },
];

export const POLICIES_LINK: ResourceLink = { type: "resource_link", uri: POLICIES, name: "policies" };

/** To a job's report with all that verifies it; nothing where there is none. @param jobToken of a job without a key */
export function documentLink(
  jobId: string,
  report: Pick<Report, "version"> | undefined,
  jobToken?: string,
): ResourceLink[] {
  if (report === undefined) return [];
  const holder = jobToken === undefined ? "" : `tokens/${jobToken}/`;
  const uri = `assay://${holder}jobs/${jobId}/reports/${report.version}`;
  return [{ type: "resource_link", uri, name: "report", mimeType: JSON_TYPE }];
}

const DOCUMENT =
  /^assay:\/\/(?:tokens\/(jt_[A-Za-z0-9_-]{43})\/)?jobs\/([A-Za-z0-9_-]{1,64})\/reports\/([1-9][0-9]{0,8})$/;
const NAMED = /^assay:\/\/(policies|assets)\/(\S{1,64})$/;

/**
 * @returns null where there is no such resource
 * @throws Problem, ToolFailure; `payment_required` with the terms for a report that is not paid for
 */
export async function readResource(context: ReadingContext, uri: string): Promise<ReadResourceResult | null> {
  const listed = READABLE.find((each) => each.uri === uri);
  const text = listed === undefined ? await readNamed(context, uri) : listed.read(context);
  if (text === null) return null;
  return { contents: [{ uri, mimeType: listed?.mimeType ?? JSON_TYPE, text }] };
}

async function readNamed(context: ReadingContext, uri: string): Promise<string | null> {
  const [, jobToken, jobId, version] = DOCUMENT.exec(uri) ?? [];
  if (jobId !== undefined) {
    const caller = jobToken === undefined ? holderIn(context) : await context.callerOf(jobToken);
    return readReport(context, caller, jobId, Number(version));
  }
  const [, kind, name = ""] = NAMED.exec(uri) ?? [];
  if (kind === undefined) return null;
  const { assets } = context.service.deployment.registry;
  const found =
    kind === "policies"
      ? policiesAnswer().policies.filter(({ policyId }) => policyId === name)
      : assets.filter(({ symbol }) => symbol === name);
  return found.length === 0 ? null : JSON.stringify(found);
}

/** A version of a job's report with what was prepared and signed for it: what every verifier takes as it is. */
async function readReport(
  { service, onSold }: ReadingContext,
  caller: Caller,
  jobId: string,
  version: number,
): Promise<string> {
  const { content, receipt } = await sellReport(service, caller, jobId, version, undefined);
  if (receipt !== null) onSold?.(jobId);
  const { execution = null, hints: _, ...report } = content;
  return JSON.stringify({ jobId, reportVersion: report.version, report, execution });
}
