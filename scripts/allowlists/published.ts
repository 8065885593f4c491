/** The routers' code as their makers published it on npm, read when first asked for. */
import { createRequire } from "node:module";

const load = createRequire(import.meta.url);

export interface PublishedCode {
  /** Whose code it is and where it was published. */
  readonly source: string;
  /** The compiler's hash at the end of the code; null when the package is not installed. */
  metadata(): string | null;
}

function published(source: string, path: string): PublishedCode {
  let known: string | null | undefined;
  return {
    source,
    metadata() {
      if (known !== undefined) return known;
      try {
        const { deployedBytecode, evm } = load(path) as {
          deployedBytecode?: string;
          evm?: { deployedBytecode: { object: string } };
        };
        known = metadataOf(deployedBytecode ?? evm?.deployedBytecode.object ?? "");
      } catch {
        known = null;
      }
      return known;
    },
  };
}

export const V2_ROUTER_CODE = published(
  "Uniswap V2 Router02 (@uniswap/v2-periphery)",
  "@uniswap/v2-periphery/build/UniswapV2Router02.json",
);
export const V3_ROUTER_CODE = published(
  "Uniswap V3 SwapRouter (@uniswap/v3-periphery)",
  "@uniswap/v3-periphery/artifacts/contracts/SwapRouter.sol/SwapRouter.json",
);

/**
 * The end of a contract's code, where the compiler puts a hash over all its sources and settings. Immutable values
 * differ from one deployment to another, this does not.
 * @returns null where there is none
 */
export function metadataOf(code: string): string | null {
  const length = Number.parseInt(code.slice(-4), 16);
  if (!(length >= 30 && length <= 200)) return null;
  return code.slice(-(length + 2) * 2).toLowerCase();
}
