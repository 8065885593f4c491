/** What waits of a guard, by its manager's events, and the words for it. */
import { expect } from "chai";
import { type Interface, id } from "ethers";
import { GUARD_ABI, MANAGER_ABI } from "../../../chain/abis.ts";
import {
  describeOperation,
  type ManagerLog,
  NOTHING_SCHEDULED,
  operationId,
  pendingChanges,
  scheduleAfter,
  waitingAt,
} from "../../../chain/guard/schedule.ts";
import VIEWS from "../../../chain/views.json" with { type: "json" };
import { addressFor, GUARD } from "../../attestor/fixtures.ts";

const [OPERATOR, MANAGER, NEXT_SIGNER] = ["operator", "manager", "next signer"].map(addressFor) as [
  string,
  string,
  string,
];
const WEEK = 7 * 86_400;
const READY = 1_800_000_000;
const PLACE = { guard: GUARD, manager: MANAGER };

const operationOn = (target: string, data: string) => ({ caller: OPERATOR, target, data });
const ROTATION = operationOn(GUARD, GUARD_ABI.encodeFunctionData("rotateSigner", [NEXT_SIGNER]));
const GRANT = operationOn(MANAGER, MANAGER_ABI.encodeFunctionData("grantRole", [1, NEXT_SIGNER, 60]));

/** As the manager writes it. */
function log(name: string, operation: typeof ROTATION, blockNumber: number, readyAt = READY): ManagerLog {
  const { caller, target, data } = operation;
  const args = name === "OperationScheduled" ? [readyAt, caller, target, data] : [];
  return { ...MANAGER_ABI.encodeEventLog(name, [operationId(operation), 1, ...args]), blockNumber };
}
const scheduled = (operation: typeof ROTATION, block: number, readyAt?: number) =>
  log("OperationScheduled", operation, block, readyAt);
const waiting = (logs: readonly ManagerLog[], at = READY) =>
  waitingAt(scheduleAfter(NOTHING_SCHEDULED, logs), at).map((operation) => operation.id);

describe("what waits of a guard", () => {
  it("is what was scheduled and neither executed nor cancelled, the next to become ready first", () => {
    const [rotation, grant] = [operationId(ROTATION), operationId(GRANT)];
    const both = [scheduled(ROTATION, 1, READY + 9), scheduled(GRANT, 2)];
    expect(waiting(both)).to.deep.equal([grant, rotation]);
    for (const end of ["OperationExecuted", "OperationCanceled"])
      expect(waiting([...both, log(end, GRANT, 3)]), end).to.deep.equal([rotation]);
    // The same again, after it was cancelled.
    expect(waiting([...both, log("OperationCanceled", GRANT, 3), scheduled(GRANT, 4)])).to.deep.equal([
      grant,
      rotation,
    ]);
  });

  it("is the same however its events are divided among reads", () => {
    const logs = [scheduled(ROTATION, 1), scheduled(GRANT, 2), log("OperationCanceled", ROTATION, 3)];
    for (const cut of [0, 1, 2, 3]) {
      const before = scheduleAfter(NOTHING_SCHEDULED, logs.slice(0, cut));
      expect([...scheduleAfter(before, logs.slice(cut)).keys()]).to.deep.equal([operationId(GRANT)]);
    }
  });

  it("waits until a week after it was ready, the last second not included", () => {
    expect(waiting([scheduled(ROTATION, 1)], READY + WEEK - 1)).to.have.length(1);
    expect(waiting([scheduled(ROTATION, 1)], READY + WEEK)).to.deep.equal([]);
  });

  it("is named by what it does, whatever its event calls it, and other events name nothing", () => {
    const lie = MANAGER_ABI.encodeEventLog("OperationScheduled", [
      id("another operation"),
      1,
      READY,
      ROTATION.caller,
      ROTATION.target,
      ROTATION.data,
    ]);
    const role = MANAGER_ABI.encodeEventLog("RoleGranted", [1, NEXT_SIGNER, 0, 0, true]);
    expect(waiting([lie, role].map((one) => ({ ...one, blockNumber: 1 })))).to.deep.equal([
      operationId(ROTATION),
    ]);
  });

  it("is stated with its call in words, and as raw data where the function is not known", () => {
    const unknown = operationOn(GUARD, "0xdeadbeef");
    const elsewhere = operationOn(NEXT_SIGNER, ROTATION.data);
    const broken = operationOn(GUARD, ROTATION.data.slice(0, -2));
    const all = [ROTATION, GRANT, unknown, elsewhere, broken];
    const logs = all.map((operation, index) => scheduled(operation, 1, READY + index));
    const changes = pendingChanges(scheduleAfter(NOTHING_SCHEDULED, logs), { blockTimestamp: READY }, PLACE);
    expect(changes.map(({ call }) => call)).to.deep.equal([
      `rotateSigner(newSigner: ${NEXT_SIGNER})`,
      `grantRole(roleId: 1, account: ${NEXT_SIGNER}, executionDelay: 60)`,
      `${GUARD} 0xdeadbeef`,
      `${NEXT_SIGNER} ${ROTATION.data}`,
      `${GUARD} ${broken.data}`,
    ]);
    expect(changes[0]).to.deep.include({ operation: operationId(ROTATION), readyAt: READY });
  });

  it("fits into evidence, however much waits and however long a call is", () => {
    const long = operationOn(
      MANAGER,
      MANAGER_ABI.encodeFunctionData("labelRole", [1, `x${"😀".repeat(900)}`]),
    );
    const many = Array.from({ length: 70 }, (_, n) =>
      operationOn(GUARD, `0x${n.toString(16).padStart(8, "0")}`),
    );
    const logs = [long, ...many].map((operation, n) => scheduled(operation, 1, READY + n));
    const changes = pendingChanges(scheduleAfter(NOTHING_SCHEDULED, logs), { blockTimestamp: READY }, PLACE);
    expect(changes).to.have.length(64);
    expect(changes[0]?.call.isWellFormed()).to.equal(true);
    expect(changes[0]?.call.length).to.equal(1_000);
  });

  it("is described by the same functions that the contracts have, without their bytecode", () => {
    const callable = (abi: Interface, names: readonly string[]) =>
      abi.fragments
        .map((fragment) => fragment.format("full"))
        .filter((text) => /^function /.test(text) && !/ (view|pure)( |$)/.test(text))
        .filter((text) => !names.includes(text));
    // Nobody schedules a trade.
    expect(callable(GUARD_ABI, VIEWS.guardCalls).map((text) => text.split("(")[0])).to.deep.equal([
      "function execute",
    ]);
    expect(callable(MANAGER_ABI, VIEWS.managerCalls)).to.deep.equal([]);
    for (const event of VIEWS.schedule)
      expect(MANAGER_ABI.fragments.map((fragment) => fragment.format("full"))).to.include(event);
    expect(describeOperation(ROTATION, PLACE)).to.match(/^rotateSigner/);
  });
});
