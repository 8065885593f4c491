import { expect } from "chai";
import fc from "fast-check";
import { createLagMeter, positionOf } from "../../../database/replica/lag.ts";

describe("how far a replica is behind", () => {
  it("a position in the write-ahead log is read as PostgreSQL writes it, and nothing else is", () => {
    expect(positionOf("0/0")).to.equal(0n);
    expect(positionOf("16/B374D848")).to.equal((0x16n << 32n) + 0xb374d848n);
    expect(positionOf("FFFFFFFF/FFFFFFFF")).to.equal(2n ** 64n - 1n);
    for (const odd of ["", "1", "1/", "/1", "1/G", "1/123456789", " 1/1"])
      expect(() => positionOf(odd), odd).to.throw(SyntaxError);
  });

  it("a replica that has replayed a position is as new as the moment before that position was asked for", () => {
    const meter = createLagMeter();
    expect(meter.upToDateAt()).to.equal(null);
    meter.replicaIsAt(100n);
    expect(meter.upToDateAt()).to.equal(null);
    meter.primaryWasAt(100n, 1_000);
    meter.primaryWasAt(200n, 2_000);
    meter.replicaIsAt(199n);
    expect(meter.upToDateAt()).to.equal(1_000);
    meter.replicaIsAt(200n);
    expect(meter.upToDateAt()).to.equal(2_000);
    // An idle primary: nothing to replay, and the replica is as new as ever.
    meter.primaryWasAt(200n, 60_000);
    meter.replicaIsAt(200n);
    expect(meter.upToDateAt()).to.equal(60_000);
    meter.forget();
    expect(meter.upToDateAt()).to.equal(null);
  });

  it("a replica is never said to be newer than what it has replayed, in any order of queries", () => {
    const step = fc.record({
      written: fc.nat(5),
      replayed: fc.nat(5),
      look: fc.constantFrom("primary", "replica"),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
        const meter = createLagMeter();
        let [written, replayed] = [0n, 0n];
        // By moment the last position that was committed by then.
        const committed: bigint[] = [];
        steps.forEach((each, at) => {
          written += BigInt(each.written);
          committed.push(written);
          replayed = replayed + BigInt(each.replayed) > written ? written : replayed + BigInt(each.replayed);
          if (each.look === "primary") meter.primaryWasAt(written, at);
          else meter.replicaIsAt(replayed);
          const known = meter.upToDateAt();
          if (known !== null) expect(replayed >= (committed[known] as bigint)).to.equal(true);
        });
      }),
    );
  });
});
