/** What a host can read without calling a tool: whole reports, assets, policies, the OpenAPI file, guide and view. */
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
  /** null: it is not there. */
  read(backend: Backend): Promise<string | null>;
}

/** The report view, by its MCP Apps address. Tools whose answer it shows name it. */
export const REPORT_VIEW = LISTED.reportView.uri;
/** It loads nothing and asks nobody, so it needs no origin let in. */
const VIEW_META = { ui: { csp: { connectDomains: [], resourceDomains: [] }, prefersBorder: true } };

const READABLE: readonly Readable[] = [
  { ...LISTED.guide, read: async () => GUIDE },
  { ...LISTED.policies, read: async (backend) => JSON.stringify(await backend.listPolicies()) },
  { ...LISTED.assets, read: async (backend) => JSON.stringify(await backend.listSupportedAssets()) },
  { ...LISTED.openapi, read: (backend) => backend.openapi() },
  { ...LISTED.reportView, _meta: VIEW_META, read: (backend) => backend.reportView() },
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

/** Where the whole of a series stands. */
export const SERIES_NAMES = { premium: "assay://premium/{symbol}", basis: "assay://basis/{underlying}" };

export const seriesLink = (kind: keyof typeof SERIES_NAMES, name: string): ResourceLink => ({
  type: "resource_link",
  uri: `assay://${kind}/${encodeURIComponent(name)}`,
  name: kind,
  mimeType: JSON_TYPE,
});

export interface ResourceDeps {
  readonly backend: Backend;
  /** @throws Problem, ToolFailure */
  backendOf(jobToken: string): Promise<Backend>;
  /** Told of a job whose report is read and was paid for. */
  onSold?(jobId: string): void;
}

const DOCUMENT =
  /^assay:\/\/(?:tokens\/(jt_[A-Za-z0-9_-]{43})\/)?jobs\/([A-Za-z0-9_-]{1,64})\/reports\/([1-9][0-9]{0,8})$/;
const NAMED = /^assay:\/\/(policies|assets|premium|basis)\/(\S{1,64})$/;

/**
 * @returns null where there is no such resource
 * @throws Problem, ToolFailure; `payment_required` with the terms for a report that is not paid for
 */
export async function readResource(deps: ResourceDeps, uri: string): Promise<ReadResourceResult | null> {
  const {
    mimeType,
    _meta,
    read = () => readNamed(deps, uri),
  } = READABLE.find((each) => each.uri === uri) ?? {
    mimeType: JSON_TYPE,
  };
  const text = await read(deps.backend);
  if (text === null) return null;
  return { contents: [{ uri, mimeType, text, ...(_meta === undefined ? {} : { _meta }) }] };
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
  if (kind === "premium") return wholeOf(await backend.data.premiums({ symbol: name, days: ALL_DAYS }));
  if (kind === "basis") return wholeOf(await backend.data.bases({ underlying: name, days: ALL_DAYS }));
  const found =
    kind === "policies"
      ? (await backend.listPolicies()).policies.filter(({ policyId }) => policyId === name)
      : kind === "assets"
        ? (await backend.listSupportedAssets()).assets.filter(({ symbol }) => symbol === name)
        : [];
  return found.length === 0 ? null : JSON.stringify(found);
}

/** As many as the public endpoints answer. */
const ALL_DAYS = 30;

const wholeOf = (answer: { readonly points: readonly unknown[] }): string | null =>
  answer.points.length === 0 ? null : JSON.stringify(answer);
