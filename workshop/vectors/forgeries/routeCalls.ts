/** Trades whose route is called for them, or for something else. */
import { AbiCoder } from "ethers";
import { addressFor, copy, DOLLAR, NOW, prepared, STOCK } from "../../../test/attestor/fixtures.ts";
import { answerOf, type Maker } from "./service.ts";

const ATTACKER = addressFor("an attacker");

/** Certified by the true key, which a service that errs could do: the route is called for something else. */
async function calling(report: any, data: string): Promise<unknown> {
  return { ...copy(await prepared(report, undefined, undefined, data)), report };
}
function routeCall(change: (call: unknown[]) => unknown[], cut = 0): Maker {
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
): Maker {
  return async () => {
    const quoted = { selector, fees: [500] };
    const { report } = await answerOf({
      observed: true,
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

const v3Calls = (selector: keyof typeof V3_CALLS): Readonly<Record<string, Maker>> => ({
  [`a V3 call ${selector} of the trade`]: v3Call(selector),
  [`a V3 call ${selector} of another amount`]: v3Call(selector, { amount: 1 }),
  [`a V3 call ${selector} by another fee tier`]: v3Call(selector, { fee: 3_000 }),
  [`a V3 call ${selector} out of another token`]: v3Call(selector, { into: ATTACKER }),
  [`a V3 call ${selector} to an attacker`]: v3Call(selector, { to: ATTACKER }),
  [`a V3 call ${selector} that ends too early`]: v3Call(selector, {}, (data) => data.slice(0, -64)),
  [`a V3 call ${selector} with bytes behind it`]: v3Call(selector, {}, (data) => `${data}${"00".repeat(32)}`),
});

export const ROUTE_CALLS: Readonly<Record<string, Maker>> = {
  "a route's call of the trade": routeCall((call) => call),
  "a route's call of another amount": routeCall((call) => call.with(0, "1")),
  "a route's call through another token": routeCall((call) => call.with(2, [DOLLAR, ATTACKER, STOCK])),
  "a route's call to an attacker": routeCall((call) => call.with(3, ATTACKER)),
  "a route's call that cannot be read": routeCall((call) => call, 64),
  "a route's call of unknown function": async () => {
    const selector = "0x12345678";
    const { report } = await answerOf({
      observed: true,
      evidence: ({ quote }) => (quote.selector = selector),
    });
    return calling(report, `${selector}aa`);
  },
  ...v3Calls("0x414bf389"),
  ...v3Calls("0x04e45aaf"),
};
