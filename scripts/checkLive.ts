/** `assay check-live`: what a live service will need, asked for before it starts. */
import { withinTime } from "../api/http/deadline.ts";
import { readDeployment } from "../api/services/deploymentFile.ts";
import { type Config, ConfigError, parseConfig } from "../api/settings/config.ts";
import { BrokenProof } from "../attestor/proofs/trie.ts";
import { AttestorError } from "../attestor/values/attestorErrors.ts";
import { NoGuard, UpstreamUnavailable } from "../chain/chainErrors.ts";
import type { Deployment } from "../chain/deployment.ts";
import { codeOf, isDatabaseUnavailable, UnusableDatabase } from "../database/errors.ts";
import { ProviderFault } from "../market/providers/fault.ts";
import { parseTyped, type World } from "./console.ts";
import { type LiveCheck, Missing, type Outside, Wrong } from "./live/check.ts";
import { liveChecks } from "./live/checks.ts";

const LIMIT_MS = 10_000;

type State = "ok" | "missing" | "wrong";

interface Row {
  readonly thing: string;
  readonly state: State;
  readonly found: string;
  readonly fix: string;
}

export interface CheckLiveDeps extends Outside {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** For one check, in milliseconds. */
  readonly limitMs?: number;
}

/** @returns the exit code @throws UsageError */
export async function checkLiveCommand(args: string[], world: World, deps: CheckLiveDeps): Promise<number> {
  parseTyped({ args, options: {} });
  const { limitMs = LIMIT_MS } = deps;
  const { rows: before, checks } = subjectOf(deps);
  const show = ({ state, thing }: Row) => world.err(`${state.padEnd(STATE_WIDTH)}  ${thing}`);
  before.forEach(show);
  const found = await Promise.all(
    checks.map(async (check) => {
      const row = await rowOf(check, limitMs);
      show(row);
      return row;
    }),
  );
  const rows = [...before, ...found];
  for (const line of tableOf(rows)) world.out(line);
  return rows.every(({ state }) => state === "ok") ? 0 : 1;
}

/** What is known without asking anybody, and what is to be asked; nothing where the settings do not stand. */
function subjectOf(deps: CheckLiveDeps): { rows: Row[]; checks: LiveCheck[] } {
  const wrong = (thing: string, fix: string) => (found: string) =>
    ({ thing, state: "wrong", found, fix }) satisfies Row;
  const read = <T>(work: () => T, row: (found: string) => Row): T | Row[] => {
    try {
      return work();
    } catch (error) {
      if (error instanceof ConfigError) return error.faults.map(row);
      throw error;
    }
  };
  const config = read<Config>(
    () => parseConfig(deps.env),
    wrong("settings", "docs/run/settings.md; the rest is checked once these are right"),
  );
  if (Array.isArray(config)) return { rows: config, checks: [] };
  const deployment = read<Deployment>(
    () => readDeployment(config.deploymentFile),
    wrong("deployment file", "npx hardhat guard service-file --out …"),
  );
  if (Array.isArray(deployment)) return { rows: deployment, checks: [] };
  const isLive = config.profile === "live" && deployment.source === "live";
  const profile = isLive
    ? { thing: "settings", state: "ok" as const, found: "they stand, for the live profile", fix: "" }
    : wrong(
        "settings",
        "set ASSAY_PROFILE=live, and name a live DEPLOYMENT_FILE",
      )("they are of a local world");
  return { rows: [profile], checks: liveChecks({ config, deployment, outside: deps }) };
}

async function rowOf({ thing, fix, run }: LiveCheck, limitMs: number): Promise<Row> {
  try {
    const late = () => {
      throw new Wrong(`no answer within ${limitMs / 1_000} s`);
    };
    return {
      thing,
      state: "ok",
      found: await withinTime(run(AbortSignal.timeout(limitMs)), limitMs, late),
      fix: "",
    };
  } catch (error) {
    return { thing, state: error instanceof Missing ? "missing" : "wrong", found: wordsOf(error), fix };
  }
}

const OURS = [Missing, Wrong, AttestorError, UpstreamUnavailable, NoGuard, ProviderFault, UnusableDatabase];

/** Errors of others may contain a URL with a key: only their kind is shown. */
function wordsOf(error: unknown): string {
  if (error instanceof ConfigError) return error.faults.join("; ");
  if (error instanceof BrokenProof) return "its proofs do not hold";
  if (isDatabaseUnavailable(error)) return "it cannot be reached";
  if (OURS.some((kind) => error instanceof kind)) return (error as Error).message;
  return `it failed (${codeOf(error) ?? (error as Error).name})`;
}

const STATE_WIDTH = "missing".length;

function tableOf(rows: readonly Row[]): string[] {
  const width = Math.max(...rows.map(({ thing }) => thing.length));
  const line = ({ thing, state, found, fix }: Row) =>
    [
      thing.padEnd(width),
      state.padEnd(STATE_WIDTH),
      `${found.replace(/\s*\n\s*/g, " ")}${fix && `. To fix it: ${fix}`}`,
    ].join("  ");
  const faulty = rows.filter(({ state }) => state !== "ok").length;
  const sum = faulty === 0 ? "All is well." : `${faulty} of ${rows.length} are missing or wrong.`;
  return [...rows.map(line), "", sum];
}
