/** The functions of routers by their selectors. From the published ABIs; the selector is computed, never copied. */
import { FunctionFragment } from "ethers";
import FUNCTIONS from "./functions.json" with { type: "json" };

export interface KnownFunction {
  /** `swapExactTokensForTokens(uint256,uint256,address[],address,uint256)` */
  readonly signature: string;
  /** Whose function it is; null for one of a token or a catch-all, which is never a trade. */
  readonly of: string | null;
}

/** Of routers with whose they are, and those that move tokens on somebody's word: none of these can be a trade. */
const KNOWN = new Map<string, KnownFunction>([
  ...Object.entries(FUNCTIONS.routers).map(([text, of]) => entry(text, of)),
  ...FUNCTIONS.tokens.map((text) => entry(text, null)),
]);

function entry(text: string, of: string | null): [string, KnownFunction] {
  const fragment = FunctionFragment.from(text);
  return [fragment.selector, { signature: fragment.format("sighash"), of }];
}

/** What function a selector stands for, where it is a known one. */
export function knownFunction(selector: string): KnownFunction | null {
  return KNOWN.get(selector) ?? null;
}

/** `0x38ed1739 swapExactTokensForTokens(…)`, or that the function is not known. */
export function describeSelector(selector: string): string {
  const knownSelector = knownFunction(selector);
  return knownSelector === null
    ? `${selector} (a function not known here)`
    : `${selector} ${knownSelector.signature}`;
}

/**
 * A selector from what an admin types: `0x38ed1739`, a whole signature, or the bare name of a known router function
 * that is the only one of its name.
 * @returns null when it is none of these
 */
export function selectorFrom(text: string): string | null {
  if (/^0x[0-9a-fA-F]{8}$/.test(text)) return text.toLowerCase();
  if (text.includes("(")) {
    try {
      return FunctionFragment.from(text).selector;
    } catch {
      return null;
    }
  }
  const named = [...KNOWN].filter(([, { signature, of }]) => of !== null && signature.startsWith(`${text}(`));
  return named.length === 1 ? named[0]![0] : null;
}
