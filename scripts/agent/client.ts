/** The calls that the agent makes of the service. Answers are parsed: the agent believes nothing unseen. */
import { z } from "zod";
import { Execution, Job, Prepared } from "../../api/jobs/schemas.ts";
import { Asset } from "../../attestor/registry.ts";
import { Report } from "../../attestor/report.ts";

export interface ServiceAddress {
  readonly baseUrl: string;
  readonly apiKey: string;
}

const Assets = z.looseObject({ assets: z.array(Asset) });
const ProblemAnswer = z.looseObject({ code: z.string(), detail: z.string() });

/** What the service refused, in its own words. */
export class ServiceRefusal extends Error {
  readonly status: number;
  readonly code: string;

  constructor(status: number, code: string, detail: string) {
    super(`${code} (${status}): ${detail}`);
    this.name = "ServiceRefusal";
    this.status = status;
    this.code = code;
  }
}

const TIMEOUT_MS = 30_000;

/** @throws ServiceRefusal for a problem answer, Error when the service cannot be reached or answers otherwise */
export function createAgentClient({ baseUrl, apiKey }: ServiceAddress) {
  async function request<T>(schema: z.ZodType<T>, method: string, path: string, body?: unknown): Promise<T> {
    let response: Response;
    try {
      response = await fetch(new URL(path, baseUrl), {
        method,
        headers: {
          "x-api-key": apiKey,
          ...(body === undefined ? {} : { "content-type": "application/json" }),
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        signal: AbortSignal.timeout(TIMEOUT_MS),
      });
    } catch (cause) {
      throw new Error(`No service answers at ${baseUrl}. Is \`npm start\` running?`, { cause });
    }
    const answer: unknown = await response.json().catch(() => null);
    if (response.ok) return schema.parse(answer);
    const problem = ProblemAnswer.safeParse(answer);
    if (problem.success) throw new ServiceRefusal(response.status, problem.data.code, problem.data.detail);
    throw new Error(`${method} ${path} answered ${response.status}.`);
  }

  const jobPath = (jobId: string) => `/v1/jobs/${encodeURIComponent(jobId)}`;
  return {
    assets: async () => (await request(Assets, "GET", "/v1/assets")).assets,
    createJob: (body: unknown) => request(Job, "POST", "/v1/jobs", body),
    job: (jobId: string) => request(Job, "GET", jobPath(jobId)),
    report: (jobId: string, version: number) =>
      request(Report, "GET", `${jobPath(jobId)}/report?version=${version}`),
    prepare: (jobId: string) => request(Prepared, "POST", `${jobPath(jobId)}/prepare-execution`, {}),
    submit: (jobId: string, transactionHash: string) =>
      request(Execution, "POST", `${jobPath(jobId)}/submissions`, { transactionHash }),
  };
}

export type AgentClient = ReturnType<typeof createAgentClient>;
