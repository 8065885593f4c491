/** `assay log check`: follows a decision log. */
import { argument, command, flag, text } from "../command.ts";
import type { World } from "../console.ts";
import { EXIT, Unusable, UsageError } from "../errors.ts";
import { readText, writeJson, writeText } from "../files.ts";
import { JSON_OPTION, show } from "../json.ts";
import { progressOf } from "../progress.ts";
import { filesOf } from "./files.ts";
import { type Followed, FollowState, followLog, LogLied, NOTHING_SEEN } from "./follow.ts";
import { LOG_OPTIONS, trustFrom } from "./trust.ts";

const OWNER_ONLY = 0o600;

export const checkLog = command({
  summary:
    "Follow a decision log: every entry is hashed again, every tile compared, and what was added is told",
  positionals: { url: argument("the log, such as https://assay.example.com/log") },
  options: {
    ...LOG_OPTIONS,
    state: text("FILE", "keeps what was seen last: the tree must continue from there"),
    newOnly: flag("with --state: hash the new entries alone; a rewritten old entry or tile goes unnoticed"),
    ...JSON_OPTION,
  },
  notes: [
    "Exit code 1: the log contradicts what it signed; the checkpoints that prove it are kept beside the state.",
  ],
  run: async ({ url, state: statePath, newOnly: isNewOnly, json, ...given }, world) => {
    const trust = trustFrom(given);
    if (isNewOnly && statePath === undefined) throw new UsageError("--new-only goes with --state");
    const state = await stateIn(statePath);
    const onProgress = progressOf(world, "Hashing,", "entries");
    try {
      const followed = await followLog(filesOf(url, world.fetch), trust, state, { isNewOnly, onProgress });
      const { origin } = followed.checkpoint;
      const lacking = (trust.witnesses ?? []).filter(({ name }) => !followed.witnesses.includes(name));
      if (statePath !== undefined) {
        const logs = { ...state.logs, [origin]: followed.seen };
        await writeJson(statePath, { ...state, logs }, OWNER_ONLY);
      }
      const missing = lacking.map(({ name }) => `Not cosigned by ${name}.`);
      show(world, json, jsonOf(followed, lacking), [summary(followed, isNewOnly), ...missing]);
      return lacking.length === 0 ? EXIT.ok : EXIT.failed;
    } catch (error) {
      if (!(error instanceof LogLied)) throw error;
      await tellLie(error, statePath, world);
      return EXIT.failed;
    }
  },
});

async function stateIn(path: string | undefined): Promise<FollowState> {
  const text = path === undefined ? null : await readText(path);
  if (text === null) return NOTHING_SEEN;
  try {
    return FollowState.parse(JSON.parse(text));
  } catch {
    throw new Unusable(`${path} is not a state file written by assay log check`);
  }
}

async function tellLie(lie: LogLied, statePath: string | undefined, world: World): Promise<void> {
  world.out(`The log contradicts what it signed: ${lie.message}.`);
  const evidence = lie.checkpoints.join("\n");
  if (statePath === undefined) return world.out(evidence);
  const path = `${statePath}.contradiction`;
  await writeText(path, evidence, OWNER_ONLY);
  world.out(`The checkpoints that prove it are in ${path}.`);
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
