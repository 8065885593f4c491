import { readFile } from "node:fs/promises";
import { expect } from "chai";
import type { GuardView } from "../../../chain/guard/reading.ts";
import { Desired, driftOf, planOf } from "../../../scripts/guard/desired.ts";

const at = (digit: string) => `0x${digit.repeat(40)}`;
const route = (digit: string, selector = "0x38ed1739") => ({ route: at(digit), selector });

const VIEW: GuardView = {
  guard: at("1"),
  executor: at("2"),
  paused: false,
  signer: at("3"),
  manager: at("0"),
  holders: {
    admin: [{ account: at("4"), delay: 3_600 }],
    operator: [{ account: at("4"), delay: 7_200 }],
    pauser: [
      { account: at("4"), delay: 0 },
      { account: at("5"), delay: 0 },
    ],
  },
  scheduled: [],
  block: 10,
  blockTime: 1_000,
  routes: [route("6"), route("7")],
  recipients: [at("8")],
};
const names = (desired: Desired) =>
  planOf(VIEW, desired, () => null).calls.map(({ name, args }) => [name, ...args]);

describe("The desired state", () => {
  it("a desired state is accepted as in the example", async () => {
    const text = await readFile(
      new URL("../../../deployments/example.desired.json", import.meta.url),
      "utf8",
    );
    expect(Desired.safeParse(JSON.parse(text)).success).to.equal(true);
  });

  it("a desired state is refused with unknown members, wrong addresses and entries that are there twice", () => {
    for (const wrong of [
      { pausd: true },
      { signer: "0x12" },
      { routes: [{ route: at("a"), selector: "0x38ED1739" }] },
      { recipients: [at("a"), at("a").toUpperCase().replace("0X", "0x")] },
      { routes: [route("a"), { ...route("a"), name: "again" }] },
      null,
      [],
    ])
      expect(Desired.safeParse(wrong).success, JSON.stringify(wrong)).to.equal(false);
  });

  it("a desired state that says nothing asks for nothing", () => {
    expect(planOf(VIEW, {}, () => null)).to.deep.equal({ calls: [], left: [] });
    expect(driftOf(VIEW, {}, VIEW.signer)).to.deep.equal([]);
  });

  it("a desired state is reached by removals first, and by nothing that is already so", () => {
    expect(
      names({
        paused: true,
        pauser: null,
        admin: at("9"),
        routes: [route("7"), route("a", "0x414bf389")],
        recipients: [at("b")],
      }),
    ).to.deep.equal([
      ["pause"],
      ["disallowRoute", at("6"), "0x38ed1739"],
      ["disallowRecipient", at("8")],
      ["revokeRole", "2", at("5")],
      ["allowRoute", at("a"), "0x414bf389"],
      ["allowRecipient", at("b")],
    ]);
    expect(names({ pauser: at("9") })).to.deep.equal([
      ["grantRole", "2", at("9"), "0"],
      ["revokeRole", "2", at("5")],
    ]);
    expect(names({ routes: [route("7"), route("6")], recipients: [at("8")], pauser: at("5") })).to.deep.equal(
      [],
    );
    expect(names({ routes: [], recipients: [] })).to.have.length(3);
  });

  it("a plan leaves unpausing, the attestation key, the admins and their delay to a person", () => {
    const paused = { ...VIEW, paused: true };
    const desired = { paused: false, signer: at("c"), admin: at("9"), delay: 1 };
    const { calls, left } = planOf(paused, desired, () => null);
    expect(calls).to.deep.equal([]);
    expect(left.join("\n")).to.match(
      /unpause\n.*rotate-signer\n.*grant-role admin.*\ndelay of the admin is 3600.*: no command changes it, the admin calls/,
    );
  });

  it("a desired state is compared with every member of the chain's state", () => {
    const drift = driftOf(
      VIEW,
      {
        paused: true,
        signer: at("c"),
        admin: at("c"),
        pauser: null,
        delay: 86_400,
        routes: [route("7"), route("a")],
        recipients: [],
      },
      at("d"),
    );
    expect(drift.map(({ what, isNow, shouldBe }) => `${what}: ${isNow} / ${shouldBe}`)).to.deep.equal([
      "trading: on / paused",
      `attestation key: ${at("3")} / ${at("c")}`,
      `admin: ${at("4")} / ${at("c")}`,
      `pauser: ${at("5")} / nobody`,
      "delay of the admin: 3600 / 86400",
      `route ${at("6")} 0x38ed1739: allowed / not allowed`,
      `route ${at("a")} 0x38ed1739: not allowed / allowed`,
      `recipient ${at("8")}: allowed / not allowed`,
      `key that the service here signs with: ${at("d")} / ${at("3")}`,
    ]);
  });
});
