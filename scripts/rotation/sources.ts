/** What is known of the service beside the chain: its database and its own word. Each may be out of reach from here. */
import { existsSync } from "node:fs";
import { z } from "zod";
import { parseDatabaseUrl } from "../../api/settings/config.ts";
import type { Environment } from "../../api/settings/environment.ts";
import { Address } from "../../attestor/values/primitives.ts";
import { openDatabase } from "../../database/open.ts";
import { type PreparedCertificate, preparedCertificates } from "./certificates.ts";

export interface RotationSources {
  /** @returns null when the database cannot be reached from here */
  certificates(of: { chainId: number; guard: string; now: number }): Promise<PreparedCertificate[] | null>;
  /** @returns null when the service cannot be reached from here, or is no such service */
  service(baseUrl: string): Promise<ServiceKeys | null>;
}

const ServiceKeys = z.object({ signer: Address, waiting: Address.nullable() });
export type ServiceKeys = z.infer<typeof ServiceKeys>;
const Ready = z.object({ attestation: ServiceKeys });

const SERVICE_TIMEOUT_MS = 5_000;

export function rotationSources(env: Environment): RotationSources {
  return {
    async certificates(of) {
      try {
        const url = parseDatabaseUrl(env).reveal();
        const file = /^sqlite:(?:\/\/(?=\/))?(.*)$/.exec(url)?.[1];
        // Opening would make an empty one.
        if (file !== undefined && file !== ":memory:" && !existsSync(file)) return null;
        const db = openDatabase(url);
        try {
          return await preparedCertificates(db, of);
        } finally {
          await db.destroy();
        }
      } catch {
        // Away, of another version, or not set up here: the admin is told that nothing is known.
        return null;
      }
    },
    async service(baseUrl) {
      try {
        const answer = await fetch(new URL("/readyz", baseUrl), {
          signal: AbortSignal.timeout(SERVICE_TIMEOUT_MS),
        });
        return Ready.parse(await answer.json()).attestation;
      } catch {
        return null;
      }
    },
  };
}
