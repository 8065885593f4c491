/** What a host can read without calling a tool: whole reports, assets, policies, the OpenAPI file and the guide. */
import type {
  ReadResourceResult,
  Resource,
  ResourceLink,
  ResourceTemplateType,
} from "@modelcontextprotocol/server";
import type { Report } from "../../attestor/report.ts";
import type { Backend } from "./backend.ts";
import { GUIDE } from "./guide.ts";
import RESOURCES from "./resources.json" with { type: "json" };

const { listed: LISTED, templates: TEMPLATES } = RESOURCES;
const JSON_TYPE = "application/json";

interface Readable extends Resource {
  read(backend: Backend): Promise<string>;
}

const READABLE: readonly Readable[] = [
  { ...LISTED.guide, read: async () => GUIDE },
  { ...LISTED.policies, read: async (backend) => JSON.stringify(await backend.listPolicies()) },
  { ...LISTED.assets, read: async (backend) => JSON.stringify(await backend.listSupportedAssets()) },
  { ...LISTED.openapi, read: (backend) => backend.openapi() },
];

export const LISTED_RESOURCES: Resource[] = READABLE.map(({ read: _, ...listed }) => listed);
export const LISTED_TEMPLATES: ResourceTemplateType[] = TEMPLATES;

export const POLICIES_LINK: ResourceLink = {
  type: "resource_link",
  uri: LISTED.policies.uri,
  name: LISTED.policies.name,
};

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

export interface ResourceDeps {
  readonly backend: Backend;
  /** @throws Problem, ToolFailure */
  backendOf(jobToken: string): Promise<Backend>;
  /** Told of a job whose report is read and was paid for. */
  onSold?(jobId: string): void;
}

const DOCUMENT =
  /^assay:\/\/(?:tokens\/(jt_[A-Za-z0-9_-]{43})\/)?jobs\/([A-Za-z0-9_-]{1,64})\/reports\/([1-9][0-9]{0,8})$/;
const NAMED = /^assay:\/\/(policies|assets)\/(\S{1,64})$/;

/**
 * @returns null where there is no such resource
 * @throws Problem, ToolFailure; `payment_required` with the terms for a report that is not paid for
 */
export async function readResource(deps: ResourceDeps, uri: string): Promise<ReadResourceResult | null> {
  const listed = READABLE.find((each) => each.uri === uri);
  const text = await (listed === undefined ? readNamed(deps, uri) : listed.read(deps.backend));
  if (text === null) return null;
  return { contents: [{ uri, mimeType: listed?.mimeType ?? JSON_TYPE, text }] };
}

async function readNamed(deps: ResourceDeps, uri: string): Promise<string | null> {
  const [, jobToken, jobId, version] = DOCUMENT.exec(uri) ?? [];
  if (jobId !== undefined) {
    const backend = jobToken === undefined ? deps.backend : await deps.backendOf(jobToken);
    const { content, settlement } = await backend.readDocument(jobId, Number(version));
    if (settlement !== null) deps.onSold?.(jobId);
    return JSON.stringify(content);
  }
  const [, kind, name = ""] = NAMED.exec(uri) ?? [];
  const { backend } = deps;
  const found =
    kind === "policies"
      ? (await backend.listPolicies()).policies.filter(({ policyId }) => policyId === name)
      : kind === "assets"
        ? (await backend.listSupportedAssets()).assets.filter(({ symbol }) => symbol === name)
        : [];
  return found.length === 0 ? null : JSON.stringify(found);
}
