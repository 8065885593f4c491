/** /log over HTTP, as tlog-tiles has it: no key, caches that hold, and nothing that is not signed. */
import { expect } from "chai";
import { developmentLogSigner } from "../../../api/log/key.ts";
import { openCheckpoint } from "../../../attestor/log/checkpoint.ts";
import { parseVkey } from "../../../attestor/log/note.ts";
import { rootAt } from "../../../attestor/log/proving.ts";
import { entriesOf, nodesFromTiles, tileName } from "../../../attestor/log/tiles.ts";
import { testApp } from "../../support/http.ts";
import { addJudgements, openLog, TEST_ORIGIN, wordsFolder } from "../../support/log.ts";
import UNSERVED from "./unserved.json" with { type: "json" };

const SIZE = 300;
const FEW_SECONDS = "public, max-age=2";
const IMMUTABLE = "public, max-age=31536000, immutable";

describe("/log", () => {
  const words = wordsFolder();
  const app = testApp();
  before(async () => {
    const { db } = app;
    await addJudgements(db, SIZE);
    await openLog(db, words).stop();
    await addJudgements(db, 1);
  });

  const get = (path: string, headers: Record<string, string> = {}) =>
    fetch(`${app.url}/log/${path}`, { headers });
  const bytes = async (path: string) => new Uint8Array(await (await get(path)).arrayBuffer());

  it("/log serves checkpoint and key to everybody, for a short time", async () => {
    const checkpoint = await get("checkpoint");
    expect(checkpoint.headers.get("cache-control")).to.equal(FEW_SECONDS);
    expect(checkpoint.headers.get("content-type")).to.equal("text/plain; charset=utf-8");
    const vkey = await get("vkey");
    const key = parseVkey((await vkey.text()).trim());
    expect(key.publicKey).to.deep.equal(developmentLogSigner().publicKey);
    const opened = openCheckpoint(await checkpoint.text(), { logs: [key] });
    expect(opened).to.include({ origin: TEST_ORIGIN, size: SIZE });
  });

  it("/log serves tiles and entries permanently, which give the signed root", async () => {
    const note = await (await get("checkpoint")).text();
    const { root } = openCheckpoint(note, { logs: [developmentLogSigner().keyOf(TEST_ORIGIN)] });
    const read = (tile: { level: number; index: number; width: number }) =>
      bytes(`tile/${tile.level}/${tileName(tile)}`);
    expect(Buffer.from(await rootAt(SIZE, nodesFromTiles(SIZE, read))).equals(root)).to.equal(true);
    for (const path of ["tile/0/000", "tile/0/001.p/44", "tile/1/000.p/1", "tile/entries/000"]) {
      const answer = await get(path);
      expect([answer.status, answer.headers.get("cache-control")], path).to.deep.equal([200, IMMUTABLE]);
      expect(answer.headers.get("content-type")).to.equal("application/octet-stream");
    }
    expect(entriesOf(await bytes("tile/entries/001.p/44")).length).to.equal(44);
    // A partial tile stays what it was, for who has an older checkpoint.
    expect(await bytes("tile/0/000.p/3")).to.have.length(96);
  });

  it("/log serves nothing that is not signed, and no path in any other form", async () => {
    for (const path of UNSERVED) {
      const { status, body } = await app.call(`/log/${path}`, { key: null });
      expect([status, body.code], path).to.deep.equal([404, "not_found"]);
    }
  });

  it("/log sends no entries twice to who has them", async () => {
    const etag = (await get("tile/entries/000")).headers.get("etag")!;
    const again = await get("tile/entries/000", { "if-none-match": etag });
    expect([again.status, (await again.arrayBuffer()).byteLength]).to.deep.equal([304, 0]);
  });
});
