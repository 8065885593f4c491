/** Where on the chain everything stands: what a deployment leaves behind and this service starts from. */
import { z } from "zod";
import { Vkey } from "../attestor/log/vkey.ts";
import { Registry, ROUTE_SELECTORS } from "../attestor/registry.ts";
import { Address } from "../attestor/values/primitives.ts";

export const Deployment = z
  .strictObject({
    chainId: z.int().min(1),
    /** Where the market's numbers come from; part of every piece of evidence. */
    source: z.enum(["simulated", "live"]),
    guard: Address,
    executor: Address,
    /** The attestation key that the guard was deployed with, for those who verify what it signed. */
    signer: Address.optional(),
    deployedAtBlock: z.int().min(0),
    /** Verifier keys of the service's decision log, for those who verify what it logged. */
    logKeys: z.array(Vkey).optional(),
    registry: Registry,
  })
  .refine((deployment) => deployment.registry.chainId === deployment.chainId, "registry is on another chain")
  .superRefine(({ registry }, context) => {
    for (const [index, { kind, selector }] of registry.routes.entries())
      if (selector !== ROUTE_SELECTORS[kind])
        context.addIssue({
          code: "custom",
          path: ["registry", "routes", index, "selector"],
          message: `must be ${ROUTE_SELECTORS[kind]}, the function that ${kind} calls`,
        });
  });
export type Deployment = z.infer<typeof Deployment>;
