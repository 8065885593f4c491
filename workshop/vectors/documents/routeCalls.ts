/**
 * Step `certificate` again: what the route is called for, certified by the true key. A service that errs could sign
 * such a call.
 */
import { AbiCoder } from "ethers";
import { addressFor, copy, DOLLAR, NOW, prepared, STOCK } from "../../../test/attestor/fixtures.ts";
import { type ByReader, type Expected, type Made, type Row, rowsByReader } from "./rows.ts";
import { answerOf } from "./service.ts";

const ATTACKER = addressFor("an attacker");

async function calling(report: any, data: string): Promise<unknown> {
  return { ...copy(await prepared(report, undefined, undefined, data)), report };
}

function v2Call(change: (call: unknown[]) => unknown[], cut = 0): Made {
  return async () => {
    const { report } = await answerOf();
    const { quote, figures, guard } = report.evidence;
    const { amountInRaw, path } = quote;
    const call = change([amountInRaw, figures.minAmountOutRaw, path, guard.executor, NOW + 300]);
    const types = ["uint256", "uint256", "address[]", "address", "uint256"];
    const data = `0x38ed1739${AbiCoder.defaultAbiCoder().encode(types, call).slice(2)}`;
    return calling(report, data.slice(0, data.length - cut));
  };
}

async function unknownCall(): Promise<unknown> {
  const selector = "0x12345678";
  const { report } = await answerOf({
    knows: "observed",
    evidence: ({ quote }) => (quote.selector = selector),
  });
  return calling(report, `${selector}aa`);
}

/** What `exactInputSingle` of both V3 routers takes: one has a deadline. */
const V3_CALLS = {
  "0x414bf389":
    "tuple(address from, address into, uint24 fee, address to, uint256 deadline, uint256 amount, uint256 least, uint160 limit)",
  "0x04e45aaf":
    "tuple(address from, address into, uint24 fee, address to, uint256 amount, uint256 least, uint160 limit)",
};
function v3Call(
  selector: keyof typeof V3_CALLS,
  change: object = {},
  bend: (data: string) => string = (data) => data,
): Made {
  return async () => {
    const quoted = { selector, fees: [500] };
    const { report } = await answerOf({
      knows: "observed",
      evidence: ({ quote }) => Object.assign(quote, quoted),
    });
    const { quote, guard } = report.evidence;
    const call = {
      from: DOLLAR,
      into: STOCK,
      fee: 500,
      to: guard.executor,
      deadline: NOW + 300,
      amount: quote.amountInRaw,
      least: 1,
      limit: 0,
      ...change,
    };
    const encoded = AbiCoder.defaultAbiCoder().encode([V3_CALLS[selector]], [call]);
    return calling(report, bend(`${selector}${encoded.slice(2)}`));
  };
}

const OTHER = "INVALID certificate route_call_other";

/** The registry's V3 route has another function, so these are for a reader without one. */
function v3Calls(selector: keyof typeof V3_CALLS): ByReader {
  const read = (expected: Expected) => ({ "no registry": expected }) as const;
  const sound = read("VALID, strictly UNVERIFIABLE registry registry_missing");
  const name = `a V3 call ${selector}`;
  return {
    [`${name} of the trade`]: [v3Call(selector), sound],
    [`${name} with bytes behind it`]: [v3Call(selector, {}, (data) => `${data}${"00".repeat(32)}`), sound],
    [`${name} of another amount`]: [v3Call(selector, { amount: 1 }), read(OTHER)],
    [`${name} by another fee tier`]: [v3Call(selector, { fee: 3_000 }), read(OTHER)],
    [`${name} out of another token`]: [v3Call(selector, { into: ATTACKER }), read(OTHER)],
    [`${name} to an attacker`]: [v3Call(selector, { to: ATTACKER }), read(OTHER)],
    [`${name} that ends too early`]: [v3Call(selector, {}, (data) => data.slice(0, -64)), read(OTHER)],
  };
}

export const ROUTE_CALL_ROWS: readonly Row[] = rowsByReader({
  "a route's call of the trade": [v2Call((call) => call), "VALID"],
  "a route's call of another amount": [v2Call((call) => call.with(0, "1")), OTHER],
  "a route's call through another token": [v2Call((call) => call.with(2, [DOLLAR, ATTACKER, STOCK])), OTHER],
  "a route's call to an attacker": [v2Call((call) => call.with(3, ATTACKER)), OTHER],
  "a route's call that cannot be read": [v2Call((call) => call, 64), OTHER],
  "a route's call of unknown function": [
    unknownCall,
    { "no registry": "VALID, strictly UNVERIFIABLE certificate route_call_unread" },
  ],
  ...v3Calls("0x414bf389"),
  ...v3Calls("0x04e45aaf"),
});
