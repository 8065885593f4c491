/** What a set-up that fails says: the cause, and what to do. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import { assertFree, failureOf } from "../../build/failures.mjs";
import { outdated, sourceHashes } from "../../build/sources.mjs";

/** As npm printed each. */
const OUTPUTS: readonly [cause: RegExp, todo: RegExp, output: string][] = [
  [
    /^The package registry cannot be reached/,
    /HTTPS_PROXY/,
    "npm error code EAI_AGAIN\nnpm error syscall getaddrinfo\nnpm error request to https://registry.example/zod failed",
  ],
  [
    /^The package registry cannot be reached/,
    /npm config set registry/,
    "npm error code ECONNREFUSED\nnpm error FetchError: request to http://127.0.0.1:1/zod failed, reason: connect ECONNREFUSED 127.0.0.1:1",
  ],
  [
    /^The package registry cannot be reached/,
    /NODE_EXTRA_CA_CERTS/,
    "npm error code SELF_SIGNED_CERT_IN_CHAIN\nnpm error errno SELF_SIGNED_CERT_IN_CHAIN",
  ],
  [
    /^There is no permission to write: \w+ must be able to write into \/srv\/assay /,
    /chown/,
    "npm error code EACCES\nnpm error syscall mkdir\nnpm error path /srv/assay/node_modules/zod",
  ],
  [
    /^There is no permission to write/,
    /owner/,
    "EROFS: read-only file system, mkdir '/srv/assay/node_modules'",
  ],
  [
    /^The disk is full/,
    /250 MB/,
    "npm warn tar TAR_ENTRY_ERROR ENOSPC: no space left on device, write\nnpm error code ENOSPC",
  ],
  [
    /^A native module has no binary for this machine/,
    /apt-get install python3 make g\+\+/,
    "npm error code 1\nnpm error path /srv/assay/node_modules/better-sqlite3\nnpm error gyp ERR! build error\nnpm error gyp ERR! stack Error: not found: make",
  ],
  [
    /^The package registry has another content/,
    /npm cache clean/,
    "npm error code EINTEGRITY\nnpm error sha512-… integrity checksum failed",
  ],
];

describe("a set-up that fails", () => {
  for (const [cause, todo, output] of OUTPUTS)
    it(`names cause and remedy of: ${output.split("\n").at(-1)}`, () => {
      const text = failureOf(output, "/srv/assay");
      expect(text).to.match(cause).and.match(todo);
      expect(text, "npm's last line stands below").to.contain(`    ${output.split("\n").at(-1)}`);
    });

  it("shows the end of what npm said where it knows no cause", () => {
    const output = `${"npm error old\n".repeat(40)}npm error Exit handler never called!`;
    const lines = failureOf(output, "/srv/assay").split("\n");
    expect(lines[0]).to.equal("npm failed for a reason that its last lines may tell.");
    expect(lines.at(-1)).to.equal("    npm error Exit handler never called!");
    expect(lines).to.have.length(14);
  });

  it("is found before anything is installed where the disk has no room", () => {
    assertFree(tmpdir(), 1, "/srv/assay");
    expect(() => assertFree(tmpdir(), 1e12, "/srv/assay")).to.throw(
      /^The disk is full: \/srv\/assay needs 250 MB/,
    );
  });
});

describe("what is committed compiled and bundled", () => {
  const folder = mkdtempSync(join(tmpdir(), "assay-sources-"));
  const write = (path: string, text: string) => {
    mkdirSync(join(folder, path, ".."), { recursive: true });
    writeFileSync(join(folder, path), text);
  };
  after(() => rmSync(folder, { recursive: true, force: true }));

  it("is outdated where a source changed or went since, and says which and what to do", () => {
    write("contracts/A.sol", "contract A {}");
    write("web/style.css", "body {}");
    write("web/page.tsx", "export {};");
    const record = (...paths: string[]) => JSON.stringify({ sources: sourceHashes(folder, paths) });
    write("contracts/compiled/build.json", record("contracts/A.sol"));
    write("web/dist/build.json", record("web/page.tsx", "web/style.css"));
    expect(outdated(folder)).to.deep.equal({ contracts: null, pages: null });

    write("contracts/A.sol", "contract A { }");
    rmSync(join(folder, "web/page.tsx"));
    write("web/style.css", "body { }");
    expect(outdated(folder)).to.deep.equal({
      contracts:
        "contracts/A.sol changed since the contracts were compiled: npm run build brings them up to date.",
      pages:
        "web/page.tsx and 1 more changed since the pages were bundled: npm run build brings them up to date.",
    });

    rmSync(join(folder, "web/dist/build.json"));
    expect(outdated(folder).pages).to.equal(
      "web/dist/build.json is missing or broken: npm run build writes it.",
    );
  });
});
