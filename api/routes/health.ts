/** /healthz: the process lives. /readyz: it can do its work. */
import { z } from "zod";
import { Address } from "../../attestor/primitives.ts";
import type { AttestationState } from "../attestation/keys.ts";
import { withinTime } from "../http/deadline.ts";
import { Problem } from "../http/problems.ts";
import { defineRoute, type Route } from "../http/route.ts";

/** Each resolves when the part answers and rejects when it does not. */
export type Probes = Readonly<Record<"database" | "chain", () => Promise<unknown>>>;

const PROBE_TIMEOUT_MS = 2_000;
/** An answer counts so long for all who ask: a probe costs a write and a call of the node. */
const PROBES_LAST_MS = 1_000;

const Live = z.object({ status: z.literal("live") }).meta({ id: "Live" });
const Checks = z.object({ database: z.enum(["up", "down"]), chain: z.enum(["up", "down"]) });
const Attestation = z.object({
  signer: Address.meta({ description: "Signs certificates at the moment" }),
  waiting: Address.nullable().meta({ description: "Signs as soon as the guard names it" }),
  keystore: z.enum(["ok", "refused", "none"]).meta({
    description:
      "Whether the keystore file, as last seen, gave a key; refused: the signer is still the one before, and the log says why; none: the key is not from a file",
  }),
});
const Ready = z
  .object({ status: z.literal("ready"), checks: Checks, attestation: Attestation })
  .meta({ id: "Ready" });

export interface HealthDeps {
  readonly probes: Probes;
  /** Milliseconds on a clock that never goes back. */
  monotonic(): number;
  readonly attestation: () => AttestationState;
}

export function healthRoutes({ probes, attestation, monotonic }: HealthDeps): Route[] {
  let latest: Promise<z.infer<typeof Checks>> | undefined;
  let probedAt = Number.NEGATIVE_INFINITY;

  /** The same for all who ask within a second, or while it is being found out. */
  function checksNow(): Promise<z.infer<typeof Checks>> {
    if (latest === undefined || monotonic() - probedAt >= PROBES_LAST_MS) {
      probedAt = Number.POSITIVE_INFINITY;
      latest = Promise.all([check(probes.database), check(probes.chain)]).then(([database, chain]) => {
        probedAt = monotonic();
        return { database, chain };
      });
    }
    return latest;
  }

  return [
    defineRoute({
      method: "get",
      path: "/healthz",
      operationId: "healthz",
      summary: "Whether the process lives",
      tags: ["Operations"],
      auth: "public",
      responses: { 200: { description: "It lives", schema: Live } },
      errors: [],
      handle: async () => ({ status: 200, body: { status: "live" } }),
    }),
    defineRoute({
      method: "get",
      path: "/readyz",
      operationId: "readyz",
      summary: "Whether the database takes writes and the chain can be reached, and which key signs",
      description:
        "When not, the problem carries `checks` with each part `up` or `down`. The parts are asked once a second at most.",
      tags: ["Operations"],
      auth: "public",
      responses: { 200: { description: "Both can be reached", schema: Ready } },
      errors: ["unavailable"],
      async handle() {
        const checks = await checksNow();
        if (checks.database === "down" || checks.chain === "down")
          throw new Problem("unavailable", "the service cannot do its work at the moment", {
            members: { checks },
            retryAfterSeconds: 5,
          });
        return { status: 200, body: { status: "ready", checks, attestation: attestation() } };
      },
    }),
  ];
}

function check(probe: () => Promise<unknown>): Promise<"up" | "down"> {
  const answer = Promise.resolve()
    .then(probe)
    .then(
      () => "up" as const,
      () => "down" as const,
    );
  return withinTime(answer, PROBE_TIMEOUT_MS, () => "down" as const);
}
