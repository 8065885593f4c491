/** The prover behind `npm run formal`: it proves what holds, and refutes what a change of the guard breaks. */
import { expect } from "chai";
import { failureOf } from "../../test/support/failure.ts";
import { ofSuite } from "../../test/support/suite.ts";
import { compile, sourceOf, withRealCode } from "../formal/harness.ts";
import { prove, type Verdict } from "../formal/prove.ts";
import { checkAsserts } from "../formal/smtChecker.ts";
import { createSolver } from "../formal/solver.ts";
import BROKEN from "./formal.json" with { type: "json" };

/** A harness with the guard as it is, or with one change of it. */
function harness(
  name: string,
  change?: readonly [original: string, broken: string],
  folder = "properties",
): string {
  return withRealCode(sourceOf(`workshop/formal/${folder}/${name}.sol`), (path) => {
    const source = sourceOf(path);
    if (change === undefined) return source;
    expect(source, change[0]).to.include(change[0]);
    return source.replace(change[0], change[1]);
  });
}

describe("the prover of the guard's pure parts", function () {
  this.timeout(300_000);
  const solver = ofSuite(() => createSolver(120_000));

  /** Of all properties, or of the one with a name. */
  async function verdicts(name: string, source: string, only?: string): Promise<Verdict[]> {
    const compiled = compile(name, source);
    const all: Verdict[] = [];
    for (const property of compiled.properties)
      if (property.name === (only ?? property.name)) all.push(await prove(compiled, property, solver));
    return all;
  }

  for (const [name, count] of Object.entries({ Amounts: 3, Hashes: 5, Nonces: 2, Windows: 5 }))
    it(`proves the ${count} properties of ${name.toLowerCase()}`, async () => {
      const all = await verdicts(name, harness(name));
      expect(all.filter((verdict) => verdict.outcome === "proved")).to.have.length(count);
      expect(all).to.have.length(count);
    });

  // By the harness that has a property, each change of the guard that refutes it.
  for (const [name, properties] of Object.entries(BROKEN))
    for (const [property, changes] of Object.entries<Record<string, string>>(properties))
      for (const change of Object.entries(changes))
        it(`refutes "${property}" for a guard with ${change[1]}`, async () => {
          const [verdict] = await verdicts(name, harness(name, change), property);
          expect(verdict?.outcome).to.equal("refuted");
          expect(verdict?.counterexample).to.include(" -> ");
        });

  it("the prover of the guard's pure parts does not take a property for proved that no call gets through to", async () => {
    const source =
      "pragma solidity 0.8.35; contract Empty { function holds_anything(uint256 x) external pure { require(x < 1 && x > 1); assert(false); } }";
    const all = await verdicts("Empty", source);
    expect(all.map((verdict) => verdict.outcome)).to.deep.equal(["vacuous"]);
  });

  it("refuses code that it does not understand, rather than to prove something else", async () => {
    const source =
      "pragma solidity 0.8.35; contract Calls { function holds_a_call(address to) external { to.call(''); } }";
    expect((await failureOf(verdicts("Calls", source))).message).to.match(/^Unknown to the machine: /);
  });
});

describe("the compiler's SMTChecker", function () {
  this.timeout(300_000);
  const solver = ofSuite(() => createSolver(30_000));
  /** For what no time is enough; a proof takes about two seconds. */
  const hasty = ofSuite(() => createSolver(5_000));

  async function outcomes(name: string, change?: readonly [string, string], by = solver) {
    const checked = await checkAsserts(name, harness(name, change, "asserts"), by);
    return Object.fromEntries(checked.map(({ property, outcome }) => [property, outcome])) as Record<
      string,
      string
    >;
  }

  it("proves that a nonce trades once and a rotation counts at once, of the guard as it is", async () => {
    expect(await outcomes("Nonces")).to.deep.equal({
      "a nonce that trades was unused and is used": "proved",
      "a nonce never trades twice": "proved",
      "a nonce that was invalidated never trades": "proved",
    });
    expect(await outcomes("Rotation")).to.deep.equal({
      "the signer after a rotation is the new one and not zero": "proved",
      "a previous key counts until its last second": "proved",
    });
  });

  it("proves nothing of a guard whose nonces can be spent again", async () => {
    const spent = "_usedNonces[owner][nonce >> 8] ^= bit";
    const again = await outcomes("Nonces", [spent, spent.replace("^=", "|=")], hasty);
    expect(again["a nonce never trades twice"]).to.not.equal("proved");
  });

  it("refutes that a previous key counts until its last second for a guard where it ends before", async () => {
    const key = "block.timestamp <= _previousSignerValidUntil";
    expect(await outcomes("Rotation", [key, key.replace("<=", "<")])).to.deep.include({
      "a previous key counts until its last second": "refuted",
    });
  });
});

describe("the harness of a property", () => {
  it("puts the guard's own code into the harness of a property", () => {
    const source = harness("Nonces");
    expect(source).to.include("uint256 flipped = _usedNonces[owner][nonce >> 8] ^= bit;");
    expect(source).not.to.match(/^ *\/\/\/ real:/m);
  });

  it("makes no harness when the guard no longer has what it names", () => {
    const read = () => "contract TradeGuard {}";
    expect(() => withRealCode("    /// real: contracts/TradeGuard.sol _spendNonce", read)).to.throw(
      "contracts/TradeGuard.sol has no function _spendNonce.",
    );
    const empty = () => "contract TradeGuard {\n    function _check() private {\n    }\n}";
    expect(() => withRealCode("    /// real: a.sol _check, lines with block.timestamp", empty)).to.throw(
      "_check of a.sol has no line with block.timestamp.",
    );
  });
});
