/** `assay log check`: follows a decision log. */
import type { LogTrust } from "../../attestor/log/checkpoint.ts";
import { command, flag, text } from "../command.ts";
import type { World } from "../console.ts";
import { EXIT, PlainError, UsageError } from "../errors.ts";
import { readText, writeJson, writeText } from "../files.ts";
import { JSON_OPTION, jsonText } from "../json.ts";
import { progressOf } from "../progress.ts";
import { filesOf } from "./files.ts";
import { type Followed, FollowState, followLog, LogLied, NOTHING_SEEN } from "./follow.ts";
import { asPlain, LOG_OPTIONS, trustFrom } from "./trust.ts";

const OWNER_ONLY = 0o600;

export const checkLog = command({
  summary:
    "Follow a decision log: every entry is hashed again, every tile compared, and what was added is told",
  positionals: { url: { words: "the log, such as https://assay.example.com/log" } },
  options: {
    ...LOG_OPTIONS,
    state: text("FILE", "keeps what was seen last: the tree must continue from there"),
    newOnly: flag("with --state: hash the new entries alone; a rewritten old entry or tile goes unnoticed"),
    ...JSON_OPTION,
  },
  notes: [
    "Exit code 1: the log contradicts what it signed; the checkpoints that prove it are kept beside the state.",
  ],
  run: ({ url, state, newOnly, json, ...given }, world) => {
    const trust = trustFrom(given);
    if (newOnly && state === undefined) throw new UsageError("--new-only goes with --state");
    return asPlain(() => check({ url, statePath: state, isNewOnly: newOnly, isJson: json, trust }, world));
  },
});

async function stateIn(path: string | undefined): Promise<FollowState> {
  const text = path === undefined ? null : await readText(path);
  if (text === null) return NOTHING_SEEN;
  try {
    return FollowState.parse(JSON.parse(text));
  } catch {
    throw new PlainError(`${path} is not a state file written by assay log check`);
  }
}

interface Wish {
  readonly url: string;
  readonly statePath: string | undefined;
  readonly isNewOnly: boolean;
  readonly isJson: boolean;
  readonly trust: LogTrust;
}

async function check({ url, statePath, isNewOnly, isJson, trust }: Wish, world: World): Promise<number> {
  const state = await stateIn(statePath);
  try {
    const onProgress = progressOf(world, "Hashing,", "entries");
    const followed = await followLog(filesOf(url, world.fetch), trust, state, { isNewOnly, onProgress });
    const { origin } = followed.checkpoint;
    const lacking = (trust.witnesses ?? []).filter(({ name }) => !followed.witnesses.includes(name));
    if (statePath !== undefined) {
      const logs = { ...state.logs, [origin]: followed.seen };
      await writeJson(statePath, { ...state, logs }, OWNER_ONLY);
    }
    if (isJson) world.out(jsonText(jsonOf(followed, lacking)));
    else {
      world.out(summary(followed, isNewOnly));
      for (const { name } of lacking) world.out(`Not cosigned by ${name}.`);
    }
    return lacking.length === 0 ? EXIT.ok : EXIT.failed;
  } catch (error) {
    if (!(error instanceof LogLied)) throw error;
    world.out(`The log contradicts what it signed: ${error.message}.`);
    const evidence = error.checkpoints.join("\n");
    if (statePath === undefined) world.out(evidence);
    else {
      const path = `${statePath}.contradiction`;
      await writeText(path, evidence, OWNER_ONLY);
      world.out(`The checkpoints that prove it are in ${path}.`);
    }
    return EXIT.failed;
  }
}

function jsonOf(
  { checkpoint: { origin, size }, entries, denials, unknown, witnesses }: Followed,
  lacking: readonly { readonly name: string }[],
) {
  const notCosignedBy = lacking.map(({ name }) => name);
  return { origin, size, entries, denials, unknown: Object.fromEntries(unknown), witnesses, notCosignedBy };
}

function summary({ checkpoint, entries, denials, unknown }: Followed, isNewOnly: boolean): string {
  const { origin, size } = checkpoint;
  const kinds = [...unknown].map(([kind, count]) => `, ${count} of the unknown kind ${kind}`).join("");
  const what = isNewOnly
    ? `only these hashed: ${size - entries} older entries and the tiles were not checked.`
    : "each hashed again, every tile compared.";
  return `${origin}: ${size} entries, ${entries} new (${denials} denials${kinds}), ${what}`;
}
