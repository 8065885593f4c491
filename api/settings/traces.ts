/** Where traces go, and which: the names that OpenTelemetry gives its settings. */
import { z } from "zod";
import { Secret } from "./secret.ts";
import { oneOf, url } from "./texts.ts";

export const SAMPLERS = [
  "always_on",
  "always_off",
  "traceidratio",
  "parentbased_always_on",
  "parentbased_always_off",
  "parentbased_traceidratio",
] as const;
export type SamplerName = (typeof SAMPLERS)[number];

/** The services that receive a request's trace headers. */
export const CALLEES = ["rpc", "facilitator", "providers"] as const;
export type Callee = (typeof CALLEES)[number];

/** `name=value` with commas between, values percent-encoded: as OTEL_EXPORTER_OTLP_HEADERS is written. */
const Headers = z
  .string()
  .transform((text) => text.split(",").filter((part) => part.trim() !== ""))
  .refine((parts) => parts.every((part) => headerOf(part) !== null), {
    error: "must be name=value with commas between, values percent-encoded",
  })
  .transform((parts) => Object.fromEntries(parts.map((part) => headerOf(part) ?? ["", ""])));

function headerOf(part: string): readonly [string, string] | null {
  const [, name = "", value = ""] = /^\s*([!#$%&'*+.^_`|~0-9A-Za-z-]+)\s*=\s*(.*?)\s*$/.exec(part) ?? [];
  if (name === "") return null;
  try {
    const decoded = decodeURIComponent(value);
    return /^[\t\x20-\x7e]*$/.test(decoded) ? [name, decoded] : null;
  } catch {
    return null;
  }
}

const Callees = z
  .string()
  .transform((text) => text.split(",").map((part) => part.trim()))
  .refine((parts) => parts.every((part) => part === "none" || CALLEES.some((name) => name === part)), {
    error: `must be none, or of ${CALLEES.join(", ")} with commas between`,
  })
  .transform((parts) => CALLEES.filter((name) => parts.includes(name)));

/** Members of the settings' schema. */
export const TRACE_SETTINGS = {
  OTEL_EXPORTER_OTLP_ENDPOINT: url(/^https?:\/\//i, "http://127.0.0.1:4318").optional(),
  OTEL_EXPORTER_OTLP_HEADERS: Headers.optional(),
  OTEL_SERVICE_NAME: z.string().max(100, "must have 100 characters at most").default("assay"),
  OTEL_TRACES_SAMPLER: oneOf(SAMPLERS).default("parentbased_always_on"),
  OTEL_TRACES_SAMPLER_ARG: z
    .string()
    .refine((text) => /^(0(\.[0-9]{1,9})?|1(\.0{1,9})?)$/.test(text), "must be a share from 0 to 1")
    .transform(Number)
    .default(1),
  TRACE_CONTEXT_TO: Callees.default(["rpc", "facilitator"]),
};

/** Their values are never shown. */
export const SECRET_TRACE_SETTINGS = ["OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_HEADERS"] as const;

const Given = z.object(TRACE_SETTINGS);
type Given = z.output<typeof Given>;

export type TraceSettings = NonNullable<ReturnType<typeof traceSettingsOf>>;

/** null: no endpoint is named, and nothing is traced. */
export function traceSettingsOf(given: Given) {
  const endpoint = given.OTEL_EXPORTER_OTLP_ENDPOINT;
  if (endpoint === undefined) return null;
  const place = new URL(endpoint);
  place.pathname = `${place.pathname.replace(/\/+$/, "")}/v1/traces`;
  return {
    /** `…/v1/traces`. May carry a key. */
    url: new Secret(place.href),
    /** With every export, as JSON. May be keys. */
    headers: new Secret(JSON.stringify(given.OTEL_EXPORTER_OTLP_HEADERS ?? {})),
    serviceName: given.OTEL_SERVICE_NAME,
    sampler: given.OTEL_TRACES_SAMPLER,
    /** From 0 to 1, of the samplers that take one. */
    ratio: given.OTEL_TRACES_SAMPLER_ARG,
    callees: given.TRACE_CONTEXT_TO,
  };
}
