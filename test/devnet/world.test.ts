import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect } from "chai";
import {
  Contract,
  concat,
  getCreate2Address,
  keccak256,
  MaxUint256,
  randomBytes,
  Signature,
  Wallet,
  ZeroHash,
} from "ethers";
import { Deployment } from "../../chain/deployment.ts";
import { rolesOf } from "../../chain/guard/manager.ts";
import { mandateContracts } from "../../chain/mandateContracts.ts";
import { SAFE } from "../../chain/mandates/calls.ts";
import { SAFE_CONTRACTS, V2_ROUTER, V3_QUOTER, V3_ROUTER } from "../../devnet/artifacts.ts";
import { AGGREGATOR_ABI, PYTH } from "../../devnet/references.ts";
import { MandateModule__factory } from "../../types/contracts/factories/contracts/MandateModule__factory.ts";
import { MandateSetup__factory } from "../../types/contracts/factories/contracts/MandateSetup__factory.ts";
import { TradeGuard__factory } from "../../types/contracts/factories/contracts/TradeGuard__factory.ts";
import { LocalDollar__factory } from "../../types/contracts/factories/devnet/contracts/LocalDollar__factory.ts";
import { LocalStock__factory } from "../../types/contracts/factories/devnet/contracts/LocalStock__factory.ts";
import { TRANSFER_AUTHORIZATION } from "../support/dollars.ts";
import { failureOf } from "../support/failure.ts";
import { readFeed, testWorld } from "../support/world.ts";

const STOCKS = ["AAPLx", "TSLAx", "NVDAx", "SPYx", "GMEx"];

describe("The local world", () => {
  const world = testWorld();

  const stock = (symbol: string) => LocalStock__factory.connect(world.token(symbol), world.provider);
  const dollar = (runner: any = world.provider) => LocalDollar__factory.connect(world.token("USDL"), runner);
  const route = (kind: string) =>
    world.deployment.registry.routes.find((candidate) => candidate.kind === kind)!;

  async function isMadeBy(creationCode: string, address: string): Promise<boolean> {
    const code = (await world.provider.getCode(address)).slice(2);
    return code !== "" && creationCode.includes(code);
  }

  /** Tokens out for dollars in on the best pool, both raw; the quoter answers nothing where there is no pool. */
  async function bestQuote(symbol: string, dollars: bigint): Promise<bigint> {
    const v2 = new Contract(route("uniswap-v2").address, V2_ROUTER.abi, world.provider);
    const v3 = new Contract(world.dex.v3.quoter, V3_QUOTER.abi, world.provider);
    const [tokenIn, tokenOut] = [world.token("USDL"), world.token(symbol)];
    const quotes = [
      v2.getAmountsOut!(dollars, [tokenIn, tokenOut]).then((amounts: bigint[]) => amounts[1]!),
      ...[500, 3000].map((fee) =>
        v3
          .quoteExactInputSingle!.staticCall({
            tokenIn,
            tokenOut,
            amountIn: dollars,
            fee,
            sqrtPriceLimitX96: 0n,
          })
          .then((result: bigint[]) => result[0]!),
      ),
    ].map((quote) => quote.catch(() => 0n));
    return (await Promise.all(quotes)).sort((a, b) => Number(b - a))[0]!;
  }
  async function impactBps(symbol: string, usd: number): Promise<number> {
    const price = async (dollars: bigint) => Number(dollars) / Number(await bestQuote(symbol, dollars));
    return ((await price(BigInt(usd) * 10n ** 6n)) / (await price(10n ** 6n)) - 1) * 10_000;
  }

  it("writes the record that the API reads", async () => {
    const written = JSON.parse(await readFile(join(world.dataDir, "chain", "deployment.json"), "utf8"));
    expect(Deployment.parse(written)).to.deep.equal(world.deployment);
    expect(world.deployment.registry.assets.map(({ symbol }) => symbol)).to.deep.equal([...STOCKS, "USDL"]);
    expect(written.source).to.equal("simulated");
  });

  it("has everything that the record names", async () => {
    const { guard, executor, registry } = world.deployment;
    const feeds = [...STOCKS, "USDL"].flatMap((symbol) => world.feeds(symbol));
    const places = [...registry.assets, ...registry.routes, ...feeds].map(({ address }) => address);
    const ofRoutes = registry.routes.flatMap((entry) => [
      entry.factory,
      "quoter" in entry ? entry.quoter : guard,
    ]);
    for (const address of [guard, executor, ...places, ...ofRoutes])
      expect(await world.provider.getCode(address), address).to.not.equal("0x");
  });

  it("gives each user 1,000,000 dollars and 1,000 of each stock token", async () => {
    for (const { address } of world.accounts.users) {
      expect(await dollar().balanceOf(address)).to.equal(1_000_000n * 10n ** 6n);
      for (const symbol of STOCKS)
        expect(await stock(symbol).balanceOf(address)).to.equal(1_000n * 10n ** 18n);
      expect(await world.provider.getBalance(address)).to.be.greaterThan(10n ** 18n);
    }
  });

  it("has tokens like the real ones, one of which stands for more than a share", async () => {
    expect(await stock("AAPLx").name()).to.equal("Apple xStock");
    expect(await stock("AAPLx").uiMultiplier()).to.equal(10n ** 18n);
    expect(await stock("SPYx").uiMultiplier()).to.equal(1_005_700_000_000_000_000n);
    expect(await stock("SPYx").decimals()).to.equal(18n);
    expect(await dollar().decimals()).to.equal(6n);
    expect(await dollar().symbol()).to.equal("USDL");
  });

  it("has a guard with its roles, routes and seeds in place", async () => {
    const guard = TradeGuard__factory.connect(world.deployment.guard, world.provider);
    const { deployer, pauser, attestation } = world.accounts;
    const manager = await guard.authority();
    const block = await world.provider.getBlockNumber();
    const heldBy = async ({ address }: { address: string }) =>
      Object.fromEntries(await rolesOf(world.provider, manager, address, block));
    expect(await heldBy(deployer)).to.deep.equal({ admin: 0, operator: 0, pauser: 0 });
    expect(await heldBy(pauser)).to.deep.equal({ pauser: 0 });
    expect(await guard.getFunction("signer")()).to.equal(attestation.address);
    expect(await guard.executor()).to.equal(world.deployment.executor);
    for (const { address, selector } of world.deployment.registry.routes)
      expect(await guard.isRouteAllowed(address, selector)).to.equal(true);
    for (const symbol of [...STOCKS, "USDL"])
      expect(await stock(symbol).balanceOf(world.deployment.executor)).to.equal(1n);
  });

  it("has Safe 1.4.1 where every chain has it", async () => {
    const { factory, singleton, fallbackHandler, multiSend } = SAFE_CONTRACTS;
    for (const [{ bytecode }, address] of [
      [factory, SAFE.factory],
      [singleton, SAFE.singleton],
      [fallbackHandler, SAFE.fallbackHandler],
      [multiSend, SAFE.multiSendCallOnly],
    ] as const)
      expect(await isMadeBy(bytecode, address), address).to.equal(true);
    // Its constructor ran: nobody can set the singleton itself up.
    const asked = new Contract(SAFE.singleton, singleton.abi, world.provider);
    expect(await asked.getFunction("getThreshold")()).to.equal(1n);
  });

  it("has the guard's mandate module and its setup where their code and the guard put them", async () => {
    const { guard } = world.deployment;
    const { module, setup } = mandateContracts(guard);
    const deployer = "0x4e59b44847b379578588920cA78FbF26c0B4956C";
    const code = concat([
      MandateModule__factory.bytecode,
      MandateModule__factory.createInterface().encodeDeploy([guard]),
    ]);
    expect(module.address).to.equal(getCreate2Address(deployer, ZeroHash, keccak256(code)));
    expect(await MandateModule__factory.connect(module.address, world.provider).GUARD()).to.equal(guard);
    expect(await isMadeBy(MandateSetup__factory.bytecode, setup.address)).to.equal(true);
  });

  it("swaps on both kinds of DEX", async () => {
    const wallet = new Wallet(world.accounts.users[3]!.privateKey, world.provider);
    const [tokenIn, tokenOut] = [world.token("USDL"), world.token("NVDAx")];
    const [recipient, deadline, amountIn] = [wallet.address, MaxUint256, 1_000n * 10n ** 6n];
    const ofV2 = [amountIn, 1n, [tokenIn, tokenOut], recipient, deadline];
    const limits = { amountOutMinimum: 1n, sqrtPriceLimitX96: 0n };
    const ofV3 = { tokenIn, tokenOut, fee: 500, recipient, deadline, amountIn, ...limits };
    const routers = {
      "uniswap-v2": [V2_ROUTER, "swapExactTokensForTokens", ofV2],
      "uniswap-v3": [V3_ROUTER, "exactInputSingle", [ofV3]],
    } as const;
    const live = world
      .feeds("NVDAx")
      .find(({ kind, provider }) => provider === "chainlink" && kind === "live")!;
    const { price } = await readFeed(world.chain, live);
    for (const [kind, [{ abi }, swap, given]] of Object.entries(routers)) {
      const { address } = route(kind);
      await (await dollar(wallet).approve(address, amountIn)).wait();
      const before = await stock("NVDAx").balanceOf(wallet.address);
      await (await new Contract(address, abi, wallet).getFunction(swap)(...given)).wait();
      const received = Number((await stock("NVDAx").balanceOf(wallet.address)) - before) / 1e18;
      expect(received * price, kind).to.be.within(990, 1_000);
    }
  });

  it("is deep enough for 1,000 dollars, shows 10,000, and has one thin token", async () => {
    for (const symbol of ["AAPLx", "TSLAx", "NVDAx", "SPYx"]) {
      expect(await impactBps(symbol, 1_000), symbol).to.be.within(0, 25);
      expect(await impactBps(symbol, 10_000), symbol).to.be.within(20, 150);
    }
    expect(await impactBps("GMEx", 1_000)).to.be.within(50, 150);
    expect(await impactBps("GMEx", 10_000)).to.be.greaterThan(500);
  });

  it("has different best routes for different tokens", async () => {
    const v2 = new Contract(route("uniswap-v2").address, V2_ROUTER.abi, world.provider);
    const v2Quote = async (symbol: string, dollars: bigint) =>
      ((await v2.getAmountsOut!(dollars, [world.token("USDL"), world.token(symbol)])) as bigint[])[1];
    const dollars = 10_000n * 10n ** 6n;
    expect(await bestQuote("TSLAx", dollars)).to.equal(await v2Quote("TSLAx", dollars));
    expect(await bestQuote("AAPLx", dollars)).to.not.equal(await v2Quote("AAPLx", dollars));
  });

  describe("its dollar", () => {
    it("moves the local world's dollar by an EIP-3009 authorization, once", async () => {
      const owner = new Wallet(world.accounts.users[4]!.privateKey);
      const relayer = new Wallet(world.accounts.relayer.privateKey, world.provider);
      const message = {
        from: owner.address,
        to: relayer.address,
        value: 250_000n,
        validAfter: 0n,
        validBefore: BigInt(world.clock.now() / 1000 + 600),
        nonce: `0x${Buffer.from(randomBytes(32)).toString("hex")}`,
      };
      const verifyingContract = world.token("USDL");
      const domain = { name: "Local Dollar", version: "1", chainId: 31337, verifyingContract };
      const { v, r, s } = Signature.from(await owner.signTypedData(domain, TRANSFER_AUTHORIZATION, message));
      const transfer = () =>
        new Contract(verifyingContract, LocalDollar__factory.abi, relayer).transferWithAuthorization!(
          ...Object.values(message),
          ...[v, r, s],
        );
      await (await transfer()).wait();
      expect(await dollar().balanceOf(relayer.address)).to.equal(250_000n);
      expect(await dollar().authorizationState(owner.address, message.nonce)).to.equal(true);
      const again = await failureOf(transfer());
      const name = LocalDollar__factory.createInterface().parseError(again.data ?? "0x")?.name;
      expect(name).to.equal("ERC3009UsedAuthorization");
    });
  });

  it("can be moved by a test: halts, shares, routes, blocks and prices", async () => {
    await world.setHalted("TSLAx", true);
    expect(await stock("TSLAx").tradingHalted()).to.equal(true);
    await world.setHalted("TSLAx", false);
    await world.setSharesPerToken("TSLAx", 2n * 10n ** 18n);
    expect(await stock("TSLAx").uiMultiplier()).to.equal(2n * 10n ** 18n);
    await world.setSharesPerToken("TSLAx", 10n ** 18n);

    const { address, selector } = route("uniswap-v2");
    const guard = TradeGuard__factory.connect(world.deployment.guard, world.provider);
    await world.setRoute(address, selector, false);
    expect(await guard.isRouteAllowed(address, selector)).to.equal(false);
    await world.setRoute(address, selector, true);

    const block = await world.provider.getBlockNumber();
    await world.mine(2);
    expect(await world.provider.getBlockNumber()).to.equal(block + 2);

    world.clock.advance(10_000);
    await world.publishReference("TSLAx", 432.1);
    const feeds = world.feeds("TSLAx");
    const pyth = feeds.find((feed) => feed.provider === "pyth")!;
    const live = feeds.find((feed) => feed.provider === "chainlink" && feed.kind === "live")!;
    const close = feeds.find(({ kind }) => kind === "close")!;
    const price = await new Contract(pyth.address, PYTH.abi, world.provider).getPriceUnsafe!(pyth.feedId);
    expect(price.price).to.equal(43_210_000n);
    expect(Number(price.publishTime)).to.equal(world.clock.now() / 1000);
    const answer = async ({ address }: { address: string }) =>
      (await new Contract(address, AGGREGATOR_ABI, world.provider).latestRoundData!()).answer;
    expect(await answer(live)).to.equal(43_210_000_000n);
    await world.publishReference("TSLAx", 400, 1_763_000_000, "chainlink");
    expect(await answer(live)).to.equal(40_000_000_000n);
    await world.publishReference("TSLAx", 399, undefined, "close");
    expect(await answer(close)).to.equal(39_900_000_000n);
    const older = await failureOf(world.publishReference("TSLAx", 400, 1_763_000_000, "pyth"));
    expect(older.message).to.match(/is not newer/);
  });
});
