import { expect } from "chai";
import { Interface } from "ethers";
import { isSafeFileWhole, safeChecksum, safeFileOf } from "../../../attestor/evm/safeFile.ts";
import { GUARD_ABI } from "../../../chain/abis.ts";
import { rotateSignerCall, setRouteCall, unpauseCall } from "../../../chain/guard/adminCalls.ts";
import { safeTransactionOf } from "../../../scripts/plan/byRole.ts";

import PUBLISHED from "./published.json" with { type: "json" };

/**
 * The example of the Transaction Builder's own test, with the checksum that it expects: safe-global/safe-react-apps,
 * apps/tx-builder/src/lib/checksum.test.js at 81f2251a9b7c56719bf942d1a6fb8e2d029612f8.
 */
const ADDRESS = "0x49d4450977E2c95362C13D3a31a09311E0Ea26A6";
const PUBLISHED_CHECKSUM = "0x4ecbfd364aa6759983915644e73f8bd411e85a2dc306f252a387c2728c4db64c";

const GUARD = "0x1429859428C0aBc9C2C47C8Ee9FBaf82cFA0F20f";
const ROUTE = { route: ADDRESS, selector: "0x38ed1739" };

describe("A Safe file", () => {
  const calls = [
    setRouteCall(ROUTE, false),
    rotateSignerCall({ signer: ADDRESS }, GUARD),
    unpauseCall({ paused: true }),
  ];
  const place = { guard: GUARD, manager: ROUTE.route };
  const file = safeFileOf({
    chainId: 56,
    safe: ADDRESS,
    name: "guard apply",
    description: "",
    transactions: calls.map((call) => safeTransactionOf(call, place)),
    now: 1_700_000_000_000,
  });

  it("A Safe file has the checksum that the builder's own test publishes", () => {
    expect(safeChecksum(PUBLISHED)).to.equal(PUBLISHED_CHECKSUM);
    const { meta, ...rest } = PUBLISHED;
    expect(safeChecksum({ meta: Object.fromEntries(Object.entries(meta).reverse()), ...rest })).to.equal(
      PUBLISHED_CHECKSUM,
    );
  });

  it("A Safe file is whole as written, under any name, and not after a change", () => {
    const written = JSON.parse(JSON.stringify(file));
    expect(isSafeFileWhole(written)).to.equal(true);
    expect(isSafeFileWhole({ ...written, meta: { ...written.meta, name: "renamed" } })).to.equal(true);
    expect(isSafeFileWhole({ ...written, chainId: "1" })).to.equal(false);
    expect(isSafeFileWhole({ ...written, transactions: [...written.transactions].reverse() })).to.equal(
      false,
    );
    written.transactions[0].contractInputsValues.selector = "0x414bf389";
    expect(isSafeFileWhole(written)).to.equal(false);
  });

  it("shows signers each method with its values, which encode to the very calls", () => {
    expect(file).to.deep.include({ version: "1.0", chainId: "56", createdAt: 1_700_000_000_000 });
    expect(file.meta.createdFromSafeAddress).to.equal(ADDRESS);
    for (const [
      index,
      { contractMethod, contractInputsValues, data, to, value },
    ] of file.transactions.entries()) {
      expect({ data, to, value }).to.deep.equal({ data: null, to: GUARD, value: "0" });
      const abi = new Interface([{ type: "function", ...contractMethod }]);
      const values = contractMethod.inputs.map(({ name, type }) =>
        type === "bool" ? contractInputsValues[name] === "true" : contractInputsValues[name],
      );
      const { name, args } = calls[index]!;
      expect(abi.encodeFunctionData(contractMethod.name, values)).to.equal(
        GUARD_ABI.encodeFunctionData(name, [...args]),
      );
    }
  });
});
