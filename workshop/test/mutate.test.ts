import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import { SOURCES, sourceOf, treesOf } from "../mutate/compiler.ts";
import { Ledger, stateOf, timeLeft } from "../mutate/ledger.ts";
import { applied, mutantsOf } from "../mutate/mutants.ts";

const EQUIVALENT = join(import.meta.dirname, "../mutate/equivalent.json");

describe("the mutants of the guard", () => {
  const trees = treesOf();
  const mutants = SOURCES.flatMap((file) => mutantsOf(file, sourceOf(file), trees[file]));

  it("the mutants of the guard have names of their own, by which they can be chosen and listed", () => {
    expect(new Set(mutants.map(({ id }) => id)).size).to.equal(mutants.length);
  });

  it("each change the source at one place, and there what they name", () => {
    for (const mutant of mutants) {
      const before = Buffer.from(sourceOf(mutant.file));
      const after = applied(sourceOf(mutant.file), mutant);
      expect(after, mutant.id).not.to.equal(before.toString());
      expect(before.subarray(mutant.start, mutant.end).toString().replace(/\s+/g, " "), mutant.id).to.equal(
        mutant.original,
      );
    }
  });

  it("drop every check and every call of a trade, among others", () => {
    for (const id of [
      "contracts/TradeGuard.sol _checkTrade: executorNumber = _checkCertificate(recovered, intentHash); -> nothing",
      "contracts/TradeGuard.sol executeFor: nonReentrant -> nothing",
      "contracts/TradeGuard.sol _executePacked: _checkRecipientAndSpend(msg.sender); -> nothing",
      "contracts/TradeGuard.sol _checkRecipientAndSpend: _spendNonce(owner, _at(NONCE)); -> nothing",
      "contracts/TradeGuard.sol _spendNonce: flipped & bit == 0 -> false",
      "contracts/RouteExecutor.sol run: msg.sender != GUARD -> false",
      "contracts/RouteExecutor.sol run: delivered < minAmountOut -> false",
    ])
      expect(mutants.map((mutant) => mutant.id)).to.include(id);
  });

  it("change order, conditions, types, neighbours, state and events, as a tired engineer would", () => {
    const ids = mutants.map(({ id }) => id.replace(/^contracts\//, ""));
    for (const id of [
      // Another order.
      "TradeGuard.sol executeFor: _checkRecipientAndSpend(owner); (address signed, bytes32 dig… and what follows, the other way round",
      "RouteExecutor.sol run: if (answer() != 0) _clearAllowance(inputToken, route); // Me… and what follows, the other way round",
      // A condition more.
      "TradeGuard.sol execute: msg.sender != owner -> (msg.sender != owner) && msg.sender != intent.recipient",
      "TradeGuard.sol _checkTerms: block.timestamp > _at(DEADLINE) -> (block.timestamp > _at(DEADLINE)) && _at(DEADLINE) != 0",
      "TradeGuard.sol _checkTerms: _at(AMOUNT_IN) == 0 -> (_at(AMOUNT_IN) == 0) && _at(RECIPIENT) == _at(OWNER)",
      "RouteExecutor.sol run: delivered < minAmountOut -> (delivered < minAmountOut) && intent.recipient == intent.owner",
      // A narrower type.
      "TradeGuard.sol _checkCertificate: _at(EXPIRES_AT) -> uint32(_at(EXPIRES_AT))",
      "RouteExecutor.sol run: minAmountOut -> uint128(minAmountOut)",
      "RouteExecutor.sol answer (assembly): mload(0x00) -> and(mload(0x00), 0xffffffffffffffffffffffffffffffff)",
      // A neighbour.
      "TradeGuard.sol onlyAdmin: admin -> pendingAdmin",
      "TradeGuard.sol _checkRecipientAndSpend: NONCE -> DEADLINE",
      "TradeGuard.sol _unpack (assembly): RECIPIENT -> OWNER",
      // State that is left behind, or taken along.
      "TradeGuard.sol _setSigner: _previousSignerValidUntil = validUntil -> if (validUntil != 0) _previousSignerValidUntil = validUntil",
      "TradeGuard.sol acceptAdmin: and beside it paused = false",
      // What an event says.
      "TradeGuard.sol _settle: amountSpent -> amountOut",
      "TradeGuard.sol invalidateNonces: mask -> word",
    ])
      expect(ids).to.include(id);
  });

  it("that are listed as equivalent exist, and have a reason", () => {
    const reasons: Record<string, string> = JSON.parse(readFileSync(EQUIVALENT, "utf8"));
    const ids = new Set(mutants.map(({ id }) => id));
    for (const [id, reason] of Object.entries(reasons)) {
      expect(ids.has(id), `there is no mutant ${id}`).to.equal(true);
      expect(reason.length, id).to.be.greaterThan(20);
    }
  });
});

describe("a run of the mutants that was stopped", () => {
  let folder: string;
  let path: string;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "assay-ledger-"));
    path = join(folder, "cache/mutants.json");
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  it("goes on with what it had found", () => {
    Ledger.open(path, "as now", false).record("a", "killed");
    const resumed = Ledger.open(path, "as now", true);
    expect(resumed.fateOf("a")).to.equal("killed");
    expect(resumed.fateOf("b")).to.equal(undefined);
    resumed.record("b", "survived");
    expect(Ledger.open(path, "as now", true).size).to.equal(2);
  });

  it("starts over when it is not asked to go on", () => {
    Ledger.open(path, "as now", false).record("a", "killed");
    expect(Ledger.open(path, "as now", false).size).to.equal(0);
  });

  it("starts over when contracts or tests are others by now", () => {
    Ledger.open(path, "as it was", false).record("a", "killed");
    expect(Ledger.open(path, "as now", true).size).to.equal(0);
  });

  it("starts over when it was stopped in the middle of a write", () => {
    Ledger.open(path, "as now", false).record("a", "killed");
    writeFileSync(path, readFileSync(path, "utf8").slice(0, -5));
    expect(Ledger.open(path, "as now", true).size).to.equal(0);
  });

  it("knows another state by any byte and any name of a file that decides", () => {
    mkdirSync(join(folder, "contracts"));
    const states = [
      ["a.sol", "one"],
      ["a.sol", "two"],
      ["b.sol", ""],
      ["b.sol.txt", "not asked for"],
    ].map(([name, content]) => {
      writeFileSync(join(folder, "contracts", name!), content!);
      return stateOf(folder, ["contracts/**/*.sol"]);
    });
    expect(new Set(states.slice(0, 3)).size).to.equal(3);
    expect(states[3]).to.equal(states[2]);
  });

  it("tells how long the rest will take", () => {
    expect(timeLeft(0, 10, 5_000)).to.equal("time left unknown");
    expect(timeLeft(2, 10, 10_000)).to.equal("50 s left");
    expect(timeLeft(2, 300, 10_000)).to.equal("25 min left");
    expect(timeLeft(5, 0, 10_000)).to.equal("done");
  });
});
