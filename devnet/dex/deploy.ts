/** Puts Uniswap V2 and V3 on the chain. */
import { ZeroAddress } from "ethers";
import {
  creation,
  V2_FACTORY,
  V2_ROUTER,
  V3_FACTORY,
  V3_POSITIONS,
  V3_QUOTER,
  V3_ROUTER,
  WETH,
} from "../artifacts.ts";
import type { Sender } from "../sender.ts";

export type Dex = Awaited<ReturnType<typeof deployDex>>;

export async function deployDex(sender: Sender) {
  const weth = await sender.deploy(await creation(WETH));
  const v2Factory = await sender.deploy(await creation(V2_FACTORY, [sender.address]));
  const v2Router = await sender.deploy(await creation(V2_ROUTER, [v2Factory, weth]));
  const v3Factory = await sender.deploy(await creation(V3_FACTORY));
  const v3Router = await sender.deploy(await creation(V3_ROUTER, [v3Factory, weth]));
  const quoter = await sender.deploy(await creation(V3_QUOTER, [v3Factory, weth]));
  // Without the descriptor, which only draws the pictures of positions.
  const positions = await sender.deploy(await creation(V3_POSITIONS, [v3Factory, weth, ZeroAddress]));
  return {
    v2: { factory: v2Factory, router: v2Router },
    v3: { factory: v3Factory, router: v3Router, quoter, positions },
  };
}
