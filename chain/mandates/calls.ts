/** Call data by which an owner grants and revokes mandates: of the module, and of the owner's Safe (1.4.1). */
import * as z from "zod";
import { checksumAddress } from "../../attestor/evm/address.ts";
import { concat, fromHex, id, keccak256, keccakOf } from "../../attestor/evm/hash.ts";
import type { PlainCall } from "../../attestor/evm/reads.ts";
import type { Parameter } from "../../attestor/evm/safeFile.ts";
import {
  type Argument,
  addressWord,
  bytesTail,
  encodeArguments,
  encodeCall,
  listTail,
  uintWord,
} from "../../attestor/evm/words.ts";
import { Address } from "../../attestor/values/primitives.ts";
import type { Mandate } from "./mandate.ts";
import SAFE from "./safe.json" with { type: "json" };

/** Safe 1.4.1, which has the same addresses on every chain. `proxyInitCodeHash`: of a proxy of `singleton`. */
export { SAFE };

export const ZERO_ADDRESS = `0x${"0".repeat(40)}`;

export interface SafeCall extends PlainCall {
  /** 1: delegated. */
  readonly operation: 0 | 1;
}

/** Where a guard's module stands, and what makes a new Safe enable it. */
export const MandateContracts = z.strictObject({ module: Address, setup: Address });
export type MandateContracts = z.infer<typeof MandateContracts>;

const member = (name: string, type: string): Parameter => ({ name, type });

/** The struct `Mandate` as the ABI's JSON has it. */
export const MANDATE_MEMBERS: readonly Parameter[] = [
  member("settlementToken", "address"),
  member("expiresAt", "uint64"),
  member("revoker", "address"),
  ...["perTrade", "perDay", "budget"].map((name) => member(name, "uint128")),
  { ...member("stocks", "tuple[]"), components: [member("token", "address"), member("sellable", "uint96")] },
  member("policies", "bytes32[]"),
];

const typeOf = ({ type, components }: Parameter): string =>
  components ? type.replace("tuple", `(${components.map(typeOf).join(",")})`) : type;
const MANDATE_TYPE = typeOf({ ...member("mandate", "tuple"), components: MANDATE_MEMBERS });
const selectorOf = (signature: string) => id(signature).slice(0, 10);
const SELECTORS = {
  grant: selectorOf(`grant(address,${MANDATE_TYPE})`),
  revoke: selectorOf("revoke(address,address)"),
  enableAndGrant: selectorOf(`enableAndGrant(address,address,${MANDATE_TYPE})`),
  enableModule: selectorOf("enableModule(address)"),
  setup: selectorOf("setup(address[],uint256,address,bytes,address,address,uint256,address)"),
  createProxyWithNonce: selectorOf("createProxyWithNonce(address,bytes,uint256)"),
  multiSend: selectorOf("multiSend(bytes)"),
  execTransaction: selectorOf(
    "execTransaction(address,uint256,bytes,uint8,uint256,uint256,uint256,address,address,bytes)",
  ),
};

const callOf = (selector: string, parts: readonly Argument[]) => concat([selector, encodeArguments(parts)]);

function mandateTail(mandate: Mandate): Argument {
  return {
    tail: encodeArguments([
      addressWord(mandate.settlementToken),
      uintWord(mandate.expiresAt),
      addressWord(mandate.revoker),
      ...[mandate.perTrade, mandate.perDay, mandate.budget].map(uintWord),
      listTail(mandate.stocks.map(({ token, sellable }) => concat([addressWord(token), uintWord(sellable)]))),
      listTail(mandate.policies),
    ]),
  };
}

/** The Safe's call that grants, in place of the mandate before it. */
export function grantCall(module: string, agent: string, mandate: Mandate): PlainCall {
  return { to: module, data: callOf(SELECTORS.grant, [addressWord(agent), mandateTail(mandate)]) };
}

/** The call of the Safe or of the mandate's revoker that ends it. */
export function revokeCall(module: string, safe: string, agent: string): PlainCall {
  return { to: module, data: encodeCall(SELECTORS.revoke, [addressWord(safe), addressWord(agent)]) };
}

/** The Safe's call of itself that lets the module act. */
export function enableModuleCall(module: string, safe: string): PlainCall {
  return { to: safe, data: encodeCall(SELECTORS.enableModule, [addressWord(module)]) };
}

/** What a new Safe's `setup` delegates, so that it is made with the mandate. */
export function enableAndGrantCall(
  { module, setup }: MandateContracts,
  agent: string,
  mandate: Mandate,
): PlainCall {
  const parts = [addressWord(module), addressWord(agent), mandateTail(mandate)];
  return { to: setup, data: callOf(SELECTORS.enableAndGrant, parts) };
}

export interface NewSafe {
  readonly contracts: MandateContracts;
  readonly owners: readonly string[];
  readonly threshold: number;
  readonly agent: string;
  readonly mandate: Mandate;
  /** Tells Safes of the same owners and mandate apart; decimal. */
  readonly saltNonce: string;
}

/**
 * The transaction that makes a Safe with a mandate. Anybody can send it.
 * @returns the call, and the Safe's address, EIP-55, which follows from the call
 */
export function newSafeOf(made: NewSafe): { readonly safe: string; readonly call: PlainCall } {
  const delegated = enableAndGrantCall(made.contracts, made.agent, made.mandate);
  const initializer = callOf(SELECTORS.setup, [
    listTail(made.owners.map(addressWord)),
    uintWord(made.threshold),
    addressWord(delegated.to),
    bytesTail(delegated.data),
    addressWord(SAFE.fallbackHandler),
    // Nobody is paid for making it.
    ...[ZERO_ADDRESS, "0x0", ZERO_ADDRESS].map(uintWord),
  ]);
  const data = callOf(SELECTORS.createProxyWithNonce, [
    addressWord(SAFE.singleton),
    bytesTail(initializer),
    uintWord(made.saltNonce),
  ]);
  const salt = keccakOf([keccak256(initializer), uintWord(made.saltNonce)]);
  const hash = keccakOf(["0xff", SAFE.factory, salt, SAFE.proxyInitCodeHash]);
  return { safe: checksumAddress(`0x${hash.slice(26)}`), call: { to: SAFE.factory, data } };
}

/** Several calls of a Safe in one transaction, all or none: the Safe delegates to the contract that makes them. */
function batchOf(calls: readonly PlainCall[]): SafeCall {
  const packed = calls.flatMap(({ to, data }) => [
    "0x00",
    to,
    uintWord(0),
    uintWord(fromHex(data).length),
    data,
  ]);
  return {
    to: SAFE.multiSendCallOnly,
    data: callOf(SELECTORS.multiSend, [bytesTail(concat(packed))]),
    operation: 1,
  };
}

export interface GrantOfSafe {
  readonly safe: string;
  readonly agent: string;
  readonly mandate: Mandate;
  /** Whether the Safe has enabled the module. */
  readonly enabled: boolean;
}

/** What a Safe sends to grant: alone, or with the enabling of the module before it. */
export function safeGrant(module: string, { safe, agent, mandate, enabled }: GrantOfSafe): SafeCall {
  const grant = grantCall(module, agent, mandate);
  return enabled ? { ...grant, operation: 0 } : batchOf([enableModuleCall(module, safe), grant]);
}

/**
 * A Safe's transaction as its only owner sends it. The sender needs no signature: `v` 1 says that the owner in `r` is
 * the sender.
 */
export function ownerCall(safe: string, owner: string, { to, data, operation }: SafeCall): PlainCall {
  const signature = concat([addressWord(owner), uintWord(0), "0x01"]);
  return {
    to: safe,
    data: callOf(SELECTORS.execTransaction, [
      addressWord(to),
      uintWord(0),
      bytesTail(data),
      uintWord(operation),
      // No gas is reserved and nothing is refunded: two amounts, a price, a token and a receiver of zero.
      ...Array.from({ length: 5 }, () => uintWord(0)),
      bytesTail(signature),
    ]),
  };
}
