/**
 * Checks the decision log from its served files. Did the key sign what the page shows? Does the tree extend that, and
 * what this browser saw before? Does it contain the entries that are shown?
 */
import { type LogTrust, openCheckpoint } from "../../attestor/log/checkpoint.ts";
import { HASHER } from "../../attestor/log/hasher.ts";
import { isIncluded } from "../../attestor/log/merkle.ts";
import { parseVkey } from "../../attestor/log/note.ts";
import { inclusionProof } from "../../attestor/log/proving.ts";
import { askServed, type LogSource } from "../../attestor/log/served.ts";
import { entriesOf, nodesFromTiles, TILE_WIDTH, tileIn, tileName } from "../../attestor/log/tiles.ts";
import { orElse } from "../../attestor/values/orElse.ts";

export interface ShownEntry {
  readonly index: number;
  readonly evidenceHash: string;
  readonly decision: string;
}

export type CheckName = "signature" | "consistency" | "memory" | "entries";

export interface LogCheck {
  readonly name: CheckName;
  /** `absent`: there was nothing to check yet. */
  readonly outcome: "ok" | "wrong" | "unknown" | "absent";
  /** In the method's own words, where something is not right. */
  readonly detail: string;
}

export interface Shown {
  readonly vkey: string;
  /** The checkpoint that the page shows, a signed note. */
  readonly note: string;
  readonly entries: readonly ShownEntry[];
  /** The checkpoint that this browser saw last; null: none. */
  readonly seen: string | null;
}

/** Never throws: what cannot be checked says so. */
export async function checkLog({ vkey, note, entries, seen }: Shown, source: LogSource): Promise<LogCheck[]> {
  const trust = orElse((): LogTrust => ({ logs: [parseVkey(vkey)] }), { logs: [] });
  const opened = orElse(() => openCheckpoint(note, trust), null);
  if (opened === null) return [{ name: "signature", outcome: "wrong", detail: "" }];
  const continued = async (name: CheckName, before: string): Promise<LogCheck> => {
    const served = await askServed(before, trust, source);
    // A checkpoint of another key is of another log: it proves nothing.
    return { name, outcome: served?.outcome ?? "absent", detail: served?.detail ?? "" };
  };
  return [
    { name: "signature", outcome: "ok", detail: "" },
    await continued("consistency", note),
    seen === null ? { name: "memory", outcome: "absent", detail: "" } : await continued("memory", seen),
    await includedEntries(opened, entries, source),
  ];
}

async function includedEntries(
  { size, root }: { readonly size: number; readonly root: Uint8Array },
  entries: readonly ShownEntry[],
  { file }: LogSource,
): Promise<LogCheck> {
  const nodes = nodesFromTiles(size, (tile) => file(`tile/${tile.level}/${tileName(tile)}`));
  const bundles = new Map<number, Promise<Uint8Array[]>>();
  const bundleAt = (index: number) => {
    const tile = tileIn(0, Math.floor(index / TILE_WIDTH), size);
    if (tile === null) return Promise.resolve([]);
    const reading = bundles.get(tile.index) ?? file(`tile/entries/${tileName(tile)}`).then(entriesOf);
    bundles.set(tile.index, reading);
    return reading;
  };
  const isThere = async ({ index, evidenceHash, decision }: ShownEntry): Promise<boolean> => {
    const entry = (await bundleAt(index))[index % TILE_WIDTH];
    if (entry === undefined) return false;
    const text = new TextDecoder().decode(entry);
    const isShown =
      text.includes(`"evidenceHash":"${evidenceHash}"`) && text.includes(`"decision":"${decision}"`);
    const proof = await inclusionProof(index, size, nodes);
    return isShown && isIncluded({ index, size, leafHash: HASHER.leaf(entry), proof, root });
  };
  try {
    const found = await Promise.all(entries.map(isThere));
    const missing = entries.filter((_, at) => !found[at]).map(({ index }) => index + 1);
    return {
      name: "entries",
      outcome: missing.length > 0 ? "wrong" : entries.length === 0 ? "absent" : "ok",
      detail: missing.join(", "),
    };
  } catch (error) {
    return { name: "entries", outcome: "unknown", detail: String((error as Error).message) };
  }
}
