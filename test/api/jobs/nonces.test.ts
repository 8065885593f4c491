import { expect } from "chai";
import { nextNonce } from "../../../api/jobs/nonces.ts";
import { UpstreamUnavailable } from "../../../chain/chainErrors.ts";
import { changeRows, forEachEngine } from "../../support/database.ts";

const address = (digit: string) => `0x${digit.repeat(40)}`;
const [OWNER, OTHER, KEY, OTHER_KEY] = ["1", "2", "a", "b"].map(address) as [string, string, string, string];
const unused = { isNonceUsed: async () => false };

describe("the nonces of prepared trades", () => {
  forEachEngine((engine) => {
    const db = engine.database();

    it("the nonces of prepared trades are counted up in 96 bits, so that a word of 256 is used up before the next", async () => {
      const first = await nextNonce(db, unused, OWNER, KEY);
      const second = await nextNonce(db, unused, OWNER, KEY);
      expect(second).to.equal(first + 1n);
      expect(first >> 96n).to.equal(0n);
      expect(first >> 88n, "a range that begins with zeros would be a rare chance").not.to.equal(0n);
      expect(first & 0xffffffffn).to.equal(0n);
    });

    it("the nonces of prepared trades lie in a range of 64 bits that owner and key give, apart from those of any other", async () => {
      const ranges = new Set<bigint>();
      for (const owner of [OWNER, OTHER])
        for (const key of [KEY, OTHER_KEY]) ranges.add((await nextNonce(db, unused, owner, key)) >> 32n);
      expect(ranges.size).to.equal(4);
    });

    it("the nonces of prepared trades pass over what is used on the chain", async () => {
      const used = new Set<bigint>();
      const before = await nextNonce(db, unused, OWNER, KEY);
      used.add(before + 1n).add(before + 2n);
      const chain = { isNonceUsed: async (_owner: string, nonce: bigint) => used.has(nonce) };
      expect(await nextNonce(db, chain, OWNER, KEY)).to.equal(before + 3n);
    });

    it("the nonces of prepared trades end with their range, and do not run into another's", async () => {
      await changeRows(db, "owner_nonces", { next: 2 ** 32 - 1 }, { owner: OTHER });
      const last = await nextNonce(db, unused, OTHER, KEY);
      expect(last & 0xffffffffn).to.equal(0xffffffffn);
      const thrown = await nextNonce(db, unused, OTHER, KEY).catch((error: unknown) => error);
      expect(thrown).to.be.instanceOf(UpstreamUnavailable);
    });
  });
});
