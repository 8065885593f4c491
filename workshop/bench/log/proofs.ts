/** Proofs of inclusion: from the database on a connection of its own, on one that is kept, and from tiles alone. */
import { createLogAnswers, type LogAnswers } from "../../../api/log/answers.ts";
import { FAST_HASHER } from "../../../api/log/hasher.ts";
import { developmentLogSigner } from "../../../api/log/key.ts";
import { createTreeReader, type TreeReader } from "../../../api/log/nodes.ts";
import { newestShard, type Shard } from "../../../api/log/shards.ts";
import { openCheckpoint } from "../../../attestor/log/checkpoint.ts";
import { HASHER } from "../../../attestor/log/hasher.ts";
import { isIncluded } from "../../../attestor/log/merkle.ts";
import { inclusionProof } from "../../../attestor/log/proving.ts";
import { entriesOf, nodesFromTiles, tileIn } from "../../../attestor/log/tiles.ts";
import { createCaches } from "../../../chain/caches.ts";
import { openDatabase } from "../../../database/open.ts";
import { milliseconds, quantile } from "../measure.ts";
import { inMs, printTable } from "../print.ts";
import { BASE } from "./deps.ts";

const PROOFS = 200;
/** Not counted: what compiles, compiles in them. */
const BEFORE = 20;
const TILE_BITS = 8;

/** Indices that jump over the tree, the same in each run. */
const scattered = (n: number, size: number) => (n * 7_919_017) % size;

/** @param work takes the n-th and returns how long it took, in milliseconds @returns a row of the table */
async function timed(name: string, work: (n: number) => Promise<number>): Promise<string[]> {
  const times: number[] = [];
  for (let n = 0; n < PROOFS + BEFORE; n++) times.push(await work(n));
  const counted = times.slice(BEFORE);
  return [name, inMs(quantile(counted, 0.5), 2), inMs(quantile(counted, 0.99), 2)];
}

/** @param hashes evidence hashes of entries */
export async function benchProofs(title: string, url: string, size: number, hashes: readonly string[]) {
  const kept = openDatabase(url);
  const shard = (await newestShard(kept)) as Shard;
  const proofFrom = (tree: TreeReader, n: number) =>
    milliseconds(() => inclusionProof(scattered(n, size), size, tree.nodes(shard.id, size), FAST_HASHER));
  const own = await timed("proof, new connection", async (n) => {
    const db = openDatabase(url);
    await newestShard(db);
    const ms = await proofFrom(createTreeReader(db), n);
    await db.destroy();
    return ms;
  });
  const tree = createTreeReader(kept);
  const connected = await timed("proof, connection that is kept", (n) => proofFrom(tree, n));
  const answers = createLogAnswers({
    db: kept,
    signer: developmentLogSigner(),
    base: BASE,
    caches: createCaches(() => performance.now()),
    now: Date.now,
  });
  const found = await timed("entry by its hash, with proof", (n) =>
    milliseconds(async () => {
      const { length } = await answers.find(hashes[n % hashes.length] as string);
      if (length !== 1) throw new Error("an entry is not found");
    }),
  );
  const tiles = await fromTiles(answers, size, shard);
  printTable([`${title}: proofs of inclusion`, "p50", "p99"], [own, connected, found, tiles]);
  await kept.destroy();
}

/** As a client does that has the checkpoint and the entry's index, and checks what it computed. */
async function fromTiles(answers: LogAnswers, size: number, shard: Shard): Promise<string[]> {
  const { root } = openCheckpoint(shard.checkpoint as string, {
    logs: [developmentLogSigner().keyOf(shard.origin)],
  });
  let [tiles, bytes] = [0, 0];
  const [name = "", ...times] = await timed("proof from tiles, by the client", async (n) => {
    const index = scattered(n, size);
    const bundle = tileIn(0, index >> TILE_BITS, size);
    const entries = entriesOf((await answers.entries(undefined, bundle!)) as Uint8Array);
    let reading = 0;
    const read = async (tile: Parameters<LogAnswers["tile"]>[1]) => {
      const from = performance.now();
      const content = (await answers.tile(undefined, tile)) as Uint8Array;
      reading = Math.max(reading, performance.now() - from);
      tiles++;
      bytes += content.length;
      return content;
    };
    const from = performance.now();
    const proof = await inclusionProof(index, size, nodesFromTiles(size, read), HASHER);
    const ms = performance.now() - from - reading;
    const leafHash = HASHER.leaf(entries[index % 2 ** TILE_BITS] as Uint8Array);
    if (!isIncluded({ index, size, leafHash, proof, root }))
      throw new Error("a proof from tiles does not hold");
    return ms;
  });
  const each = PROOFS + BEFORE;
  const fetched = `${(tiles / each).toFixed(1)} tiles of ${(bytes / each / 1024).toFixed(1)} KiB in all, whose fetching is not in it`;
  return [`${name}: ${fetched}`, ...times];
}
