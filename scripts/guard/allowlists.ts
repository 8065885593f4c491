/** What may be on the guard's lists, and whether it is. */
import { Contract, type JsonRpcProvider, ZeroAddress } from "ethers";
import { guardAt } from "../../chain/abis.ts";
import { describeSelector, knownFunction } from "../../chain/dex/selectors.ts";
import type { RouteKey } from "../../chain/guard/allowlists.ts";
import { orNull, upstream } from "../../chain/rpc.ts";
import type { Session } from "../admin/session.ts";
import { Refused } from "../errors.ts";
import { nameOfContract, tokenAt } from "./known.ts";

const PERMIT2 = "0x000000000022D473030F116dDEE9F6B43aC78BA3";
const TOKEN_ABI = [
  "function totalSupply() view returns (uint256)",
  "function balanceOf(address) view returns (uint256)",
];

/** Of a session, what is looked at. */
export interface RouteContext extends Pick<Session, "registry"> {
  readonly connection: Pick<Session["connection"], "provider" | "chainId">;
  readonly place: Pick<Session["place"], "guard">;
}

/**
 * @returns what it is called and how that is known (null: not known here), and what an admin should look at once more
 * @throws Refused for what is no contract, a token, one of our own contracts or Permit2, and for
 * a function that moves tokens on somebody's word; UpstreamUnavailable
 */
export async function checkRoute(
  { connection, place: { guard }, registry }: RouteContext,
  executor: string,
  { route, selector }: RouteKey,
) {
  const { provider, chainId } = connection;
  const refuse = (why: string): never => {
    throw new Refused(`${route} cannot be a route: ${why}.`);
  };
  if (route === ZeroAddress) refuse("it is the zero address");
  if (route === guard) refuse("it is the guard");
  if (route === executor) refuse("it is the guard's executor");
  if (route === PERMIT2) refuse("it is Permit2, which holds everybody's allowances");
  const token = tokenAt(chainId, registry, route);
  if (token !== null) refuse(`it is ${token}`);
  const known = knownFunction(selector);
  if (known?.of === null) refuse(`${describeSelector(selector)} is not a trade`);
  if (selector === "0x00000000") refuse("the zero selector is not a function");

  const code = await upstream("code", () => provider.getCode(route));
  if (code === "0x") refuse("there is no contract at this address");
  if (code.startsWith("0xef0100"))
    refuse("it is an account that delegates to code (EIP-7702), not a contract");
  if (await looksLikeToken(provider, route))
    refuse("it reports balances and a total supply, so it is a token");

  const label = nameOfContract(chainId, registry, route, code);
  const warnings: string[] = [];
  if (label === null) warnings.push("this contract is not known here: read its source before you list it");
  if (known === null)
    warnings.push(`${selector} is a function not known here: decode it from the contract's ABI`);
  if (!code.toLowerCase().includes(selector.slice(2)))
    warnings.push(`the contract's code does not contain ${selector}: a proxy, or the wrong function`);
  if (await isProxy(provider, route))
    warnings.push("it is a proxy (EIP-1967): its upgrader can turn it into anything, even a token thief");
  if (registry === null) warnings.push("there is no registry here to tell which addresses are tokens");
  return { label, warnings };
}

/** Where EIP-1967 keeps the implementation, and the beacon that names one. */
const PROXY_SLOTS = [
  "0x360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc",
  "0xa3f0ad74e5423aebfd80d3ef4346578335a9a72aeaee59ff6cb3582b35133d50",
];

async function isProxy(provider: JsonRpcProvider, address: string): Promise<boolean> {
  const values = await upstream("proxy slots", () =>
    Promise.all(PROXY_SLOTS.map((slot) => provider.getStorage(address, slot))),
  );
  return values.some((value) => BigInt(value) !== 0n);
}

async function looksLikeToken(provider: JsonRpcProvider, address: string): Promise<boolean> {
  const token = new Contract(address, TOKEN_ABI, provider);
  const answers = await upstream("token views", () =>
    orNull(() =>
      Promise.all([
        token.getFunction("totalSupply").staticCall(),
        token.getFunction("balanceOf").staticCall(ZeroAddress),
      ]),
    ),
  );
  return answers !== null;
}

/** @throws UpstreamUnavailable */
export async function isListed(
  { connection: { provider }, place }: Session,
  view: "isRouteAllowed" | "isRecipientAllowed",
  args: readonly string[],
): Promise<boolean> {
  const guard = guardAt(place.guard, provider);
  return Boolean(await upstream("guard allowlists", () => guard.getFunction(view).staticCall(...args)));
}
