/** What an owner sends for any mandate is what ethers makes of the contracts' interfaces. */

import HANDLER from "@safe-global/safe-contracts/build/artifacts/contracts/handler/CompatibilityFallbackHandler.sol/CompatibilityFallbackHandler.json" with {
  type: "json",
};
import MULTI_SEND from "@safe-global/safe-contracts/build/artifacts/contracts/libraries/MultiSendCallOnly.sol/MultiSendCallOnly.json" with {
  type: "json",
};
import PROXY from "@safe-global/safe-contracts/build/artifacts/contracts/proxies/SafeProxy.sol/SafeProxy.json" with {
  type: "json",
};
import FACTORY from "@safe-global/safe-contracts/build/artifacts/contracts/proxies/SafeProxyFactory.sol/SafeProxyFactory.json" with {
  type: "json",
};
import SAFE_L2 from "@safe-global/safe-contracts/build/artifacts/contracts/SafeL2.sol/SafeL2.json" with {
  type: "json",
};
import { expect } from "chai";
import {
  concat,
  getCreate2Address,
  Interface,
  keccak256,
  toBeHex,
  ZeroAddress,
  ZeroHash,
  zeroPadValue,
} from "ethers";
import fc from "fast-check";
import type { SafeTransaction } from "../../../attestor/evm/safeFile.ts";
import {
  enableAndGrantCall,
  enableModuleCall,
  grantCall,
  newSafeOf,
  ownerCall,
  revokeCall,
  SAFE,
  safeGrant,
} from "../../../chain/mandates/calls.ts";
import {
  isEnabled,
  mandateOf,
  ownersOf,
  spentWithinDay,
  thresholdOf,
} from "../../../chain/mandates/reads.ts";
import { grantTransactions, revokeTransaction } from "../../../chain/mandates/safeTransactions.ts";
import { MandateModule__factory } from "../../../types/contracts/factories/contracts/MandateModule__factory.ts";
import { MandateSetup__factory } from "../../../types/contracts/factories/contracts/MandateSetup__factory.ts";
import { address, bytes, uint } from "../../support/arbitraries.ts";

/** Deploys with salt 0 what every chain has of Safe. */
const SINGLETON_FACTORY = "0x914d7Fec6aaC8cd542e72Bca78B30650d45643d7";

const moduleAbi: Interface = MandateModule__factory.createInterface();
const setupAbi = MandateSetup__factory.createInterface();
const safeAbi = new Interface(SAFE_L2.abi);

const mandate = fc.record({
  settlementToken: address,
  expiresAt: fc.nat(),
  revoker: address,
  perTrade: uint(128),
  perDay: uint(128),
  budget: uint(128),
  stocks: fc.array(fc.record({ token: address, sellable: uint(96) }), { maxLength: 5 }),
  policies: fc.array(bytes(32), { maxLength: 3 }),
});
const granted = fc.record({
  safe: address,
  agent: address,
  contracts: fc.record({ module: address, setup: address }),
  mandate,
});
const call = fc.record({
  to: address,
  data: bytes(0, 100),
  operation: fc.constantFrom(0 as const, 1 as const),
});

const NO_MANDATE = {
  settlementToken: ZeroAddress,
  expiresAt: 0n,
  revoker: ZeroAddress,
  perTrade: 0,
  perDay: 0,
  budget: 0,
  stocks: [],
  policies: [],
};

describe("the calls of a mandate's owner", () => {
  it("grant, enable and revoke as ethers encodes it", () => {
    fc.assert(
      fc.property(granted, ({ safe, agent, contracts, mandate: asked }) => {
        const { module, setup } = contracts;
        expect(grantCall(module, agent, asked)).to.deep.equal({
          to: module,
          data: moduleAbi.encodeFunctionData("grant", [agent, asked]),
        });
        expect(revokeCall(module, safe, agent).data).to.equal(
          moduleAbi.encodeFunctionData("revoke", [safe, agent]),
        );
        expect(enableAndGrantCall(contracts, agent, asked)).to.deep.equal({
          to: setup,
          data: setupAbi.encodeFunctionData("enableAndGrant", [module, agent, asked]),
        });
      }),
    );
  });

  it("make a Safe with its mandate, at the address that the factory gives it", () => {
    const whole = fc.record({
      made: granted,
      owners: fc.array(address, { minLength: 1, maxLength: 3 }),
      saltNonce: uint(256),
    });
    fc.assert(
      fc.property(whole, ({ made: { agent, contracts, mandate: asked }, owners, saltNonce }) => {
        const initializer = safeAbi.encodeFunctionData("setup", [
          owners,
          owners.length,
          contracts.setup,
          enableAndGrantCall(contracts, agent, asked).data,
          SAFE.fallbackHandler,
          ZeroAddress,
          0,
          ZeroAddress,
        ]);
        const arguments_ = [SAFE.singleton, initializer, saltNonce];
        const salt = keccak256(concat([keccak256(initializer), toBeHex(saltNonce, 32)]));
        const initCode = concat([PROXY.bytecode, zeroPadValue(SAFE.singleton, 32)]);
        const threshold = owners.length;
        expect(newSafeOf({ contracts, owners, threshold, agent, mandate: asked, saltNonce })).to.deep.equal({
          safe: getCreate2Address(SAFE.factory, salt, keccak256(initCode)),
          call: {
            to: SAFE.factory,
            data: new Interface(FACTORY.abi).encodeFunctionData("createProxyWithNonce", arguments_),
          },
        });
      }),
    );
  });

  it("have a Safe grant by itself, with the module enabled in the same transaction where it is not", () => {
    fc.assert(
      fc.property(granted, ({ safe, agent, contracts: { module }, mandate: asked }) => {
        const grant = grantCall(module, agent, asked);
        expect(safeGrant(module, { safe, agent, mandate: asked, enabled: true })).to.deep.equal({
          ...grant,
          operation: 0,
        });
        const enable = enableModuleCall(module, safe);
        expect(enable).to.deep.equal({
          to: safe,
          data: safeAbi.encodeFunctionData("enableModule", [module]),
        });
        const packed = [enable, grant].map(({ to, data }) =>
          concat(["0x00", to, ZeroHash, toBeHex((data.length - 2) / 2, 32), data]),
        );
        expect(safeGrant(module, { safe, agent, mandate: asked, enabled: false })).to.deep.equal({
          to: SAFE.multiSendCallOnly,
          data: new Interface(MULTI_SEND.abi).encodeFunctionData("multiSend", [concat(packed)]),
          operation: 1,
        });
      }),
    );
  });

  it("are shown to the owners of a Safe by the Transaction Builder, which encodes them as the Safe's own calls", () => {
    const encoded = ({ to, contractMethod, contractInputsValues }: SafeTransaction) => ({
      to,
      data: new Interface([{ type: "function", ...contractMethod }]).encodeFunctionData(
        contractMethod.name,
        contractMethod.inputs.map(({ name, type }) => {
          const text = contractInputsValues[name] ?? "";
          return type === "tuple" ? JSON.parse(text) : text;
        }),
      ),
    });
    fc.assert(
      fc.property(
        granted,
        fc.boolean(),
        ({ safe, agent, contracts: { module }, mandate: asked }, enabled) => {
          const calls = [grantCall(module, agent, asked)];
          if (!enabled) calls.unshift(enableModuleCall(module, safe));
          const shown = grantTransactions(module, { safe, agent, mandate: asked, enabled });
          expect(shown.map(encoded)).to.deep.equal(calls);
          expect(encoded(revokeTransaction(module, safe, agent))).to.deep.equal(
            revokeCall(module, safe, agent),
          );
        },
      ),
    );
  });

  it("are sent by the only owner without a signature to ask for", () => {
    fc.assert(
      fc.property(address, address, call, (safe, owner, { to, data, operation }) => {
        const signature = concat([zeroPadValue(owner, 32), ZeroHash, "0x01"]);
        const arguments_ = [to, 0, data, operation, 0, 0, 0, ZeroAddress, ZeroAddress, signature];
        expect(ownerCall(safe, owner, { to, data, operation })).to.deep.equal({
          to: safe,
          data: safeAbi.encodeFunctionData("execTransaction", arguments_),
        });
      }),
    );
  });

  it("are read back as the module and the Safe answer, and nothing else is taken for such an answer", () => {
    const answered = (name: string, ...values: unknown[]) => moduleAbi.encodeFunctionResult(name, values);
    fc.assert(
      fc.property(granted, ({ safe, agent, contracts: { module }, mandate: asked }) => {
        const reading = mandateOf(module, safe, agent);
        expect(reading.data).to.equal(moduleAbi.encodeFunctionData("mandateOf", [safe, agent]));
        const answer = answered("mandateOf", asked);
        expect(reading.read(answer)).to.deep.equal(asked.expiresAt === 0 ? null : asked);
        if (asked.expiresAt === 0) return;
        for (const cut of [2, 66, answer.length - 64])
          expect(() => reading.read(answer.slice(0, cut))).to.throw(RangeError);
      }),
    );
    const [one, other] = [SAFE.factory, SAFE.singleton];
    const last = { ...NO_MANDATE, expiresAt: 2n ** 64n - 1n };
    expect(mandateOf(one, one, one).read(answered("mandateOf", last))?.expiresAt).to.equal(253_402_300_799);
    const reads = [
      [spentWithinDay(one, other, one, other), moduleAbi, "spentWithinDay", [other, one, other], 7n, 7n],
      [ownersOf(one), safeAbi, "getOwners", [], [one, other], [one, other]],
      [thresholdOf(one), safeAbi, "getThreshold", [], 2n, 2n],
      [isEnabled(one, other), safeAbi, "isModuleEnabled", [other], true, true],
      [isEnabled(one, other), safeAbi, "isModuleEnabled", [other], false, false],
    ] as const;
    for (const [reading, abi, name, arguments_, answer, expected] of reads) {
      expect(reading).to.include({ to: one, data: abi.encodeFunctionData(name, arguments_) });
      expect(reading.read(abi.encodeFunctionResult(name, [answer]))).to.deep.equal(expected);
      expect(() => reading.read("0x")).to.throw(RangeError);
    }
  });

  it("go to Safe's contracts where every chain has them: their addresses follow from the published code", () => {
    const published = {
      factory: FACTORY,
      singleton: SAFE_L2,
      fallbackHandler: HANDLER,
      multiSendCallOnly: MULTI_SEND,
    };
    for (const [name, { bytecode }] of Object.entries(published))
      expect(SAFE[name as keyof typeof published], name).to.equal(
        getCreate2Address(SINGLETON_FACTORY, ZeroHash, keccak256(bytecode)),
      );
  });
});
