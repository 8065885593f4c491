/** Traces where the settings want them. */
import type { TracerDeps } from "./openTelemetry.ts";
import { NO_TRACES, type Tracer } from "./tracer.ts";

export async function openTracer({
  settings,
  ...deps
}: Omit<TracerDeps, "settings"> & { readonly settings: TracerDeps["settings"] | null }): Promise<Tracer> {
  if (settings === null) return NO_TRACES;
  // A service without traces does not load what makes them.
  const { createTracer } = await import("./openTelemetry.ts");
  return createTracer({ settings, ...deps });
}
