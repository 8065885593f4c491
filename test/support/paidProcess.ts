/**
 * The service as a separate process, in the paid phase, to be killed at a chosen moment. It reaches the chain through a
 * gate of the test, its facilitator is the test's, and its database can be locked.
 */
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { localOptions } from "../../devnet/facilitator.ts";
import { flakyRpc } from "./flakyRpc.ts";
import type { TestFacilitator } from "./paymentFacilitator.ts";
import { type Program, start } from "./programs.ts";
import { ofSuite } from "./suite.ts";
import type { TestWorld } from "./world.ts";

export interface Gate {
  readonly url: string;
  /** Asked before each JSON-RPC call; what it returns is waited for. When it throws, the call gets a 503. */
  before: (method: string, params: unknown[]) => Promise<unknown> | undefined;
  /** Answers in the chain's place, where it returns something else than undefined. */
  instead: (method: string, params: unknown[]) => unknown;
  stop(): Promise<void>;
}

/** A gate of the suite's own; after each test it is open again. */
export function testGate(world: TestWorld): Gate {
  const gate = ofSuite(() => startGate(world));
  afterEach(() => {
    gate.before = gate.instead = () => undefined;
  });
  return gate;
}

/** Stands before the world's chain and lets calls through. */
export async function startGate(world: TestWorld): Promise<Gate> {
  const rpc = await flakyRpc(world.url, async (method, _transaction, params) => {
    try {
      await gate.before(method, params);
    } catch {
      return "busy";
    }
    const result = gate.instead(method, params);
    return result === undefined ? null : { result };
  });
  const gate: Gate = { url: rpc.url, before: () => undefined, instead: () => undefined, stop: rpc.close };
  return gate;
}

export type PaidProcess = { readonly url: string; readonly program: Program };

/** Starts `api/server.ts` on the world; resolves when it listens. */
export async function startPaidProcess(
  world: TestWorld,
  given: { gate: Gate; facilitator: TestFacilitator; databaseUrl: string; env?: Record<string, string> },
): Promise<PaidProcess> {
  const optionsFile = join(world.dataDir, "payment-options.json");
  await writeFile(optionsFile, JSON.stringify({ options: localOptions(world.deployment) }));
  const program = start("api/server.ts", [], {
    PORT: "0",
    DATA_DIR: world.dataDir,
    DATABASE_URL: given.databaseUrl,
    RPC_URL: given.gate.url,
    ATTESTOR_PRIVATE_KEY: world.accounts.attestation.privateKey,
    ADDRESS_LIMIT_PER_MINUTE: "100000",
    KEY_LIMIT_PER_MINUTE: "100000",
    PAYMENT_PHASE: "paid",
    PAYMENT_PAY_TO: world.accounts.payee.address,
    PAYMENT_OPTIONS_FILE: optionsFile,
    FACILITATOR_URL: given.facilitator.url,
    FACILITATOR_TIMEOUT_MS: "1000",
    LOG_LEVEL: "debug",
    // The one that was killed before has the log's lease for three seconds more.
    LOG_WAIT_MS: "20000",
    ...given.env,
  });
  await program.printed("Assay serves on ");
  const url = /Assay serves on (\S+)/.exec(program.output())?.[1];
  if (url === undefined) throw new Error(`no address in:\n${program.output()}`);
  return { url, program };
}
