/** Vectors of what is to be executed: the route's call in each form that is read, and calls that a wallet would send. */
import { AbiCoder } from "ethers";
import { DOMAIN_TYPES, TRADE_INTENT_TYPES } from "../../attestor/certificate/certificate.ts";
import type { QuoteFacts } from "../../attestor/evidence/facts.ts";
import {
  addressFor,
  facts,
  judgement,
  NOW,
  prepared,
  quote,
  reportOn,
  routeCallData,
  SWAP,
  soundReport,
} from "../../test/attestor/fixtures.ts";
import { type Candidate, candidateOf } from "./candidate.ts";

type Trade = Awaited<ReturnType<typeof prepared>>;
type Members = Record<string, unknown>;

const documentOf = (name: string, trade: object) => candidateOf(`calls: ${name}`, trade);

export async function callDocuments(): Promise<Candidate[]> {
  const trade = await prepared(soundReport());
  const { report, execution } = trade;
  return [
    ...variants(trade).map(([name, other]) => documentOf(name, { ...trade, execution: other })),
    ...(await routeCalls()),
    documentOf("an execution that is null", { ...trade, execution: null }),
    documentOf("an execution that is empty", { ...trade, execution: {} }),
    documentOf("an execution without the names beside it", { report, execution }),
  ];
}

/** The same trade with parts of its execution left out, added or bent. */
function variants({ execution }: Trade): [string, Members][] {
  const { tradeIntent, certificate, guardCall, relayedCall, approval } = execution;
  const signed = { tradeIntent, certificate };
  const own = { ...signed, guardCall };
  const call = (changes: Members) => ({ ...execution, guardCall: { ...guardCall, ...changes } });
  const relayed = (changes: Members) => ({ ...signed, relayedCall: { ...relayedCall, ...changes } });
  const approved = (changes: Members) => ({ ...signed, approval: { ...approval, ...changes } });
  const certified = (changes: Members) => ({ ...execution, certificate: { ...certificate, ...changes } });
  const otherPlace = { ...relayedCall.ownerSignature, offset: relayedCall.ownerSignature.offset - 32 };
  const types = (changes: Members) => certified({ types: { ...certificate.types, ...changes } });
  return [
    ["none at all", signed],
    ["the own call alone", own],
    ["the relayed call alone", relayed({})],
    ["the approval alone", approved({})],
    ["calls that are null", { ...own, relayedCall: null, approval: null }],
    ["a part that nobody reads", { ...execution, permit: {} }],
    ["an own call of another function", call({ functionName: "executeFor" })],
    [
      "an own call with a signature of the owner",
      call({ args: { ...guardCall.args, ownerSignature: certificate.signature } }),
    ],
    ["an own call with value", call({ value: "1" })],
    ["an own call to somebody else", call({ to: addressFor("somebody else") })],
    ["an own call on another chain", call({ chainId: 56 })],
    ["an own call with a limit of gas", call({ gas: "1" })],
    ["an own call whose data lacks a byte", call({ data: guardCall.data.slice(0, -2) })],
    ["an own call whose data is in upper case", call({ data: `0x${guardCall.data.slice(2).toUpperCase()}` })],
    ["a relayed call without data", relayed({ data: undefined })],
    ["a relayed call with the own call's data", relayed({ data: guardCall.data })],
    ["a relayed call that says nothing of the signature's place", relayed({ ownerSignature: undefined })],
    ["a relayed call with another place for the signature", relayed({ ownerSignature: otherPlace })],
    ["an approval of more", approved({ amount: `${approval.amount}0` })],
    ["an approval of somebody else", approved({ spender: addressFor("somebody else") })],
    ["an approval with an allowance that is no amount", approved({ currentAllowance: "-1" })],
    ["an approval without an allowance", approved({ currentAllowance: undefined })],
    ["an approval without its call", approved({ calls: [] })],
    ["an approval that takes nothing back first", approved({ currentAllowance: "1" })],
    ["no approval where the allowance suffices", approved({ currentAllowance: approval.amount, calls: [] })],
    [
      "no domain's type in the intent",
      { ...execution, tradeIntent: { ...tradeIntent, types: TRADE_INTENT_TYPES } },
    ],
    ["the domain's type", types({ EIP712Domain: DOMAIN_TYPE })],
    ["the domain's type in another order", types({ EIP712Domain: DOMAIN_TYPE.toReversed() })],
    ["a type more", types({ Permit: [] })],
    ["no name of the signer", certified({ signer: undefined })],
    ["another signer named", certified({ signer: addressFor("another") })],
    ["the signature's other half", certified({ signature: highS(certificate.signature) })],
  ];
}

const { EIP712Domain: DOMAIN_TYPE } = DOMAIN_TYPES;

const ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;

/** Recovers to the same key, and is no signature of the one form that counts. */
function highS(signature: string): string {
  const s = ORDER - BigInt(`0x${signature.slice(66, 130)}`);
  const v = signature.slice(130) === "1b" ? "1c" : "1b";
  return `${signature.slice(0, 66)}${s.toString(16).padStart(64, "0")}${v}`;
}

const V3_TYPES = {
  "0x414bf389": "tuple(address,address,uint24,address,uint256,uint256,uint256,uint160)",
  "0x04e45aaf": "tuple(address,address,uint24,address,uint256,uint256,uint160)",
};

/** Certified as they are: whether the route is called for the trade, a reader must see from the call. */
async function routeCalls(): Promise<Candidate[]> {
  const executor = facts().guard.executor;
  const made = await Promise.all(
    (["0x414bf389", "0x04e45aaf"] as const).flatMap((selector) => {
      const given: QuoteFacts = { ...quote("buy"), selector, fees: [500] };
      const { path, amountInRaw } = given;
      const deadline = selector === "0x414bf389" ? [NOW + 300] : [];
      const sound = [path[0], path[1], 500, executor, ...deadline, amountInRaw, 1, 0];
      const changed = (at: number, value: unknown) =>
        sound.map((each, index) => (index === at ? value : each));
      const amountAt = sound.length - 3;
      const calls: [string, unknown[]][] = [
        ["as quoted", sound],
        ["by another fee tier", changed(2, 3_000)],
        ["for another amount", changed(amountAt, BigInt(amountInRaw) + 1n)],
        ["paying somebody else", changed(3, addressFor("somebody else"))],
        ["out of another token", changed(1, addressFor("another token"))],
      ];
      const encoded = (call: unknown[]) =>
        AbiCoder.defaultAbiCoder().encode([V3_TYPES[selector]], [call]).slice(2);
      const all: [string, string][] = [
        ...calls.map(([name, call]): [string, string] => [name, `${selector}${encoded(call)}`]),
        ["cut off", `${selector}${encoded(sound).slice(0, -64)}`],
        ["with bytes behind it", `${selector}${encoded(sound)}${"00".repeat(32)}`],
      ];
      return all.map(([name, data]) => routed(`${selector} ${name}`, given, data));
    }),
  );
  const given = quote("buy");
  const sound = routeCallData(soundReport());
  const pays = sound.replace(executor.slice(2).toLowerCase(), addressFor("somebody").slice(2).toLowerCase());
  const unknown: QuoteFacts = { ...given, selector: "0x12345678" };
  return [
    ...made,
    await routed(`${SWAP} paying somebody else`, given, pays),
    await routed(`${SWAP} cut off`, given, sound.slice(0, -64)),
    await routed(`${SWAP} and nothing else`, given, SWAP),
    await routed("another function of the route", unknown, `0x12345678${sound.slice(10)}`),
  ];
}

async function routed(name: string, given: QuoteFacts, data: string): Promise<Candidate> {
  const report = reportOn(judgement({ facts: facts({ quote: given }) }));
  return documentOf(`the route's call ${name}`, await prepared(report, undefined, undefined, data));
}
