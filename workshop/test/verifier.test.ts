/** verify.html as it is built: small, the same each time, and closed. */
import { createHash } from "node:crypto";
import { brotliCompressSync } from "node:zlib";
import { expect } from "chai";
import { singleFile } from "../../build/singleFile.ts";

const MOST_BYTES = 150_000;

describe("verify.html", () => {
  let text: string;
  before(async () => {
    text = await singleFile();
  });

  it("verify.html has at most 150 kB by brotli, and nothing of ethers", () => {
    expect(brotliCompressSync(text).length).to.be.at.most(MOST_BYTES);
    expect(text).not.to.match(/ethers/i);
  });

  it("comes to the same bytes each time", async () => {
    expect(await singleFile()).to.equal(text);
  });

  it("names nothing to load, and lets in its own script and style by their hashes alone", () => {
    const [, policy = ""] = /<meta http-equiv="Content-Security-Policy" content="([^"]+)">/.exec(text) ?? [];
    const markup = text.replace(/<script[^>]*>[\s\S]*?<\/script>|<style[^>]*>[\s\S]*?<\/style>/g, "");
    expect(markup).not.to.match(/ (?:src|href)=/);
    expect(policy).to.match(
      /^default-src 'none'; script-src 'sha256-[^ ]+'; style-src 'sha256-[^ ]+'; worker-src blob:; connect-src 'none';/,
    );
    for (const [, tag, content] of text.matchAll(/<(script|style)[^>]*>([\s\S]*?)<\/\1>/g)) {
      const hash = createHash("sha256").update(content!).digest("base64");
      expect(policy, tag).to.include(`'sha256-${hash}'`);
    }
    expect(text.indexOf("Content-Security-Policy")).to.be.below(text.indexOf("<script"));
  });
});
