/** Every kind of route through the whole service and the guard, over real pools and routers. */
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect } from "chai";
import { ContractFactory } from "ethers";
import { ROUTE_SELECTORS, type Route } from "../../../attestor/registry.ts";
import { Deployment } from "../../../chain/deployment.ts";
import { knownFunction } from "../../../chain/dex/selectors.ts";
import { type Published, ROUTER_02, WETH } from "../../../devnet/artifacts.ts";
import { carryOut, startService, walletOf } from "../../support/service.ts";
import { testFolder } from "../../support/suite.ts";
import { testWorld } from "../../support/world.ts";

describe("a kind of route", () => {
  const world = testWorld();
  const folder = testFolder("routes");
  let routes: Record<Route["kind"], Route>;

  before(async () => {
    await world.tick();
    const admin = walletOf(world, 8);
    const deploy = async ({ abi, bytecode }: Published, ...args: string[]) => {
      const contract = await new ContractFactory(abi, bytecode, admin).deploy(...args);
      await contract.waitForDeployment();
      return await contract.getAddress();
    };
    const { v2, v3 } = world.dex;
    const router = await deploy(ROUTER_02, v2.factory, v3.factory, v3.positions, await deploy(WETH));
    const of = <K extends Route["kind"]>(kind: K) =>
      world.deployment.registry.routes.find((route) => route.kind === kind) as Extract<Route, { kind: K }>;
    routes = {
      "uniswap-v2": of("uniswap-v2"),
      "uniswap-v3": of("uniswap-v3"),
      "uniswap-v3-router02": {
        ...of("uniswap-v3"),
        kind: "uniswap-v3-router02",
        name: "smart router",
        address: router,
        selector: ROUTE_SELECTORS["uniswap-v3-router02"],
      },
    };
    await world.setRoute(routes["uniswap-v3-router02"].address, ROUTE_SELECTORS["uniswap-v3-router02"], true);
  });

  for (const kind of Object.keys(ROUTE_SELECTORS) as Route["kind"][])
    for (const side of ["buy", "sell"] as const)
      it(`${kind} is executed as it was quoted and encoded, when one would ${side}`, async () => {
        const file = join(folder, `${kind}.json`);
        const deployment = {
          ...world.deployment,
          registry: { ...world.deployment.registry, routes: [routes[kind]] },
        };
        await writeFile(file, JSON.stringify(deployment));
        await using service = await startService(world, "sqlite::memory:", { DEPLOYMENT_FILE: file });
        await world.tick();
        const trade =
          side === "buy"
            ? {}
            : {
                inputAssetKey: world.assetKey("AAPLx"),
                outputAssetKey: world.assetKey("USDL"),
                amountInRaw: (10n ** 18n).toString(),
              };
        const body = service.jobBody({ ...trade, policyId: "EXTENDED_HOURS" });
        const { jobId } = (await service.post("/v1/jobs", body)).body;
        const { report, execution } = (await service.post(`/v1/jobs/${jobId}/prepare-execution`, {})).body;
        expect(report.decision, JSON.stringify(report.findings)).to.equal("ALLOW");
        const { message } = execution.tradeIntent;
        expect(message.route).to.equal(routes[kind].address);
        expect(execution.guardCall.args.routeCallData.slice(0, 10)).to.equal(ROUTE_SELECTORS[kind]);
        const hash = await carryOut(walletOf(world), execution);
        expect((await world.provider.getTransactionReceipt(hash))?.status).to.equal(1);
        await service.post(`/v1/jobs/${jobId}/submissions`, { transactionHash: hash });
        const job = await service.jobWhen(jobId, ({ executions }) => executions[0]?.state === "confirmed");
        // Nobody traded in between: what was quoted is what arrived.
        expect(job.executions[0].confirmed.amountOutRaw).to.equal(report.evidence.quote.amountOutRaw);
      });

  it("carries its selector: a deployment with another one is refused", () => {
    const { deployment } = world;
    const withRoute = (route: Route) => () =>
      Deployment.parse({ ...deployment, registry: { ...deployment.registry, routes: [route] } });
    for (const route of Object.values(routes)) {
      expect(withRoute(route)).not.to.throw();
      for (const selector of Object.values(ROUTE_SELECTORS).filter((other) => other !== route.selector))
        expect(withRoute({ ...route, selector })).to.throw(new RegExp(`must be ${route.selector}`));
    }
  });

  it("a kind of route has a selector that is that of its function", () => {
    expect(
      Object.values(ROUTE_SELECTORS).map((selector) => knownFunction(selector)?.signature),
    ).to.deep.equal([
      "swapExactTokensForTokens(uint256,uint256,address[],address,uint256)",
      "exactInputSingle((address,address,uint24,address,uint256,uint256,uint256,uint160))",
      "exactInputSingle((address,address,uint24,address,uint256,uint256,uint160))",
    ]);
  });
});
