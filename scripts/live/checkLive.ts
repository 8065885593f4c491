/** `assay check-live`: what a live service will need, asked for before it starts. */
import { withinTime } from "../../api/http/deadline.ts";
import { readDeployment } from "../../api/opening/deploymentFile.ts";
import { ConfigError, parseConfig } from "../../api/settings/config.ts";
import { BrokenProof } from "../../attestor/proofs/trie.ts";
import { AttestorError } from "../../attestor/values/attestorErrors.ts";
import { NoGuard, UpstreamUnavailable } from "../../chain/chainErrors.ts";
import type { Deployment } from "../../chain/deployment.ts";
import { ZERO_ADDRESS } from "../../chain/mandates/calls.ts";
import { codeOf, isDatabaseUnavailable, UnusableDatabase } from "../../database/errors.ts";
import { ProviderFault } from "../../market/providers/fault.ts";
import { command } from "../command.ts";
import type { World } from "../console.ts";
import { EXIT } from "../errors.ts";
import { JSON_OPTION, show } from "../json.ts";
import { type LiveCheck, Missing, type Outside, tryFolder, Wrong } from "./check.ts";
import { deployedChecks, liveChecks, machineChecks } from "./checks.ts";

const LIMIT_MS = 10_000;

type State = "ok" | "missing" | "wrong" | "not asked";

interface Row {
  readonly thing: string;
  readonly state: State;
  readonly found: string;
  readonly fix: string;
}

export const checkLive = command({
  summary: "Check everything that a live service will need, with its settings and as its user",
  options: JSON_OPTION,
  notes: [
    "It asks the node for proofs, receipts and events, and checks the guard and its signer, the keys, the database and its",
    "clock, and what is sold. It asks each provider, with its key and clock, and checks folders and disk. The table says what",
    "is ok, missing or wrong, what could not be asked, and how to fix it. It writes only the probe that /readyz writes into",
    "the database. All checks run at once, ten seconds at most.",
    "",
    "Settings: those of the service. Exit code 1: something is missing or wrong.",
  ],
  run: (given, world) => checkAll(given, world, { ...world, tryFolder }),
});

/** @param limitMs for one check @returns the exit code */
export async function checkAll(
  { json }: { readonly json: boolean },
  world: World,
  outside: Outside,
  limitMs = LIMIT_MS,
): Promise<number> {
  const { rows: known, checks } = subjectOf(world.env, outside);
  const report = ({ state, thing }: Row) => world.err(`${state.padEnd(STATE_WIDTH)}  ${thing}`);
  known.forEach(report);
  const found = await Promise.all(
    checks.map(async (check) => {
      const row = await rowOf(check, limitMs);
      report(row);
      return row;
    }),
  );
  const rows = [...known, ...found];
  show(world, json, rows, tableOf(rows));
  return rows.every(({ state }) => state === "ok") ? EXIT.ok : EXIT.failed;
}

/** What is known without asking anybody, and what is to be asked. */
function subjectOf(env: World["env"], outside: Outside): { rows: Row[]; checks: LiveCheck[] } {
  const config = readOr(() => parseConfig(env), SETTINGS_FIX);
  if (Array.isArray(config)) {
    const unasked = liveChecks({ config: parseConfig({}), deployment: NOWHERE, outside });
    return { rows: [...config, ...unasked.map(({ thing }) => notAsked(thing, "the settings"))], checks: [] };
  }
  const deployment = readOr(() => readDeployment(config.deploymentFile), DEPLOYMENT_FIX);
  if (Array.isArray(deployment)) {
    const subject = { config, deployment: NOWHERE, outside };
    const unasked = deployedChecks(subject).map(({ thing }) => notAsked(thing, "the deployment file"));
    return { rows: [...deployment, ...unasked], checks: machineChecks(subject) };
  }
  const isLive = config.profile === "live" && deployment.source === "live";
  const settings: Row = isLive
    ? { thing: "settings", state: "ok", found: "they stand, for the live profile", fix: "" }
    : { ...SETTINGS_FIX, state: "wrong", found: "they are of a local world", fix: PROFILE_FIX };
  return { rows: [settings], checks: liveChecks({ config, deployment, outside }) };
}

const SETTINGS_FIX = {
  thing: "settings",
  fix: "docs/run/settings.md; the rest is checked once these are right",
};
const DEPLOYMENT_FIX = { thing: "deployment file", fix: "assay guard service-file --out …" };
const PROFILE_FIX = "set ASSAY_PROFILE=live, and name a live DEPLOYMENT_FILE";

/** In place of one that cannot be read: its checks are named and not run. */
const NOWHERE: Deployment = {
  chainId: 1,
  guard: ZERO_ADDRESS,
  executor: ZERO_ADDRESS,
  deployedAtBlock: 0,
  source: "live",
  registry: { version: "", chainId: 1, assets: [], routes: [] },
};

function readOr<T>(work: () => T, fault: Pick<Row, "thing" | "fix">): T | Row[] {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return error.faults.map((found) => ({ ...fault, state: "wrong", found }));
  }
}

const notAsked = (thing: string, first: string): Row => ({
  thing,
  state: "not asked",
  found: `it needs ${first} first`,
  fix: "",
});

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

const STATE_WIDTH = "not asked".length;

function tableOf(rows: readonly Row[]): string[] {
  const width = Math.max(...rows.map(({ thing }) => thing.length));
  const line = ({ thing, state, found, fix }: Row) => {
    const sentence = found.replace(/\s*\n\s*/g, " ").replace(/\.$/, "");
    const text = fix === "" ? sentence : `${sentence}. To fix it: ${fix}`;
    return [thing.padEnd(width), state.padEnd(STATE_WIDTH), text].join("  ");
  };
  const faulty = rows.filter(({ state }) => state !== "ok").length;
  const sum =
    faulty === 0 ? "All is well." : `${faulty} of ${rows.length} are missing, wrong or could not be asked.`;
  return [...rows.map(line), "", sum];
}
