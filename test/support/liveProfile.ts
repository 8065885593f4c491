/** Services of the live profile on the local world: with keys of their own, on the providers of `liveProviders.ts`. */
import { randomBytes } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { PriceSource, TokenSource } from "../../attestor/sources.ts";
import { UNLIMITED } from "../../market/providers/limits.ts";
import { loggerTo } from "./http.ts";
import { lightKeystore, lightLogKeystore, newWallet } from "./keystores.ts";
import { DOLLAR_FEED_ID, STOCK_FEED_ID, soundFacts, startLiveProviders } from "./providers/liveProviders.ts";
import { rotateSigner, type Service, startService } from "./service.ts";
import { ofSuite, testFolder } from "./suite.ts";
import { testWorld } from "./world.ts";

const STOCK_PRICES: PriceSource[] = [
  { provider: "pyth-hermes", kind: "live", symbol: "AAPL", feedId: STOCK_FEED_ID },
  { provider: "finnhub", kind: "live", symbol: "AAPL" },
  { provider: "finnhub", kind: "close", symbol: "AAPL" },
];

/** What a suite of the live profile works on. */
export function testLiveProfile() {
  const world = testWorld();
  const folder = testFolder("live");
  const providers = ofSuite(() => startLiveProviders(world));

  before(async () => {
    await world.tick();
    const key = newWallet();
    await writeFile(join(folder, "key.json"), await lightKeystore(key.privateKey, "open"));
    await writeFile(join(folder, "log.json"), await lightLogKeystore(randomBytes(32), "open"));
    await rotateSigner(world, key.address);
  });

  /**
   * A service with stocks of that kind, about which these are asked.
   * @param kind in the place of the tokens' own word: the local tokens are scaled ones with a factor of one
   * @param warnings what it logs of these
   */
  async function serviceOf(
    kind: "rebasing" | "scaled" | "price-bearing",
    tokenSources: TokenSource[],
    changes: Record<string, string> = {},
    warnings: string[] = [],
  ): Promise<Service> {
    const { registry } = world.deployment;
    const dollar: PriceSource[] = [
      { provider: "pyth-hermes", kind: "live", symbol: "USDL", feedId: DOLLAR_FEED_ID },
      // Chainlink's dollar feed is on the chain.
      ...world.feeds("USDL").filter(({ provider }) => provider === "chainlink"),
    ];
    const assets = registry.assets.map((asset) =>
      asset.kind === "stock"
        ? { ...asset, tokenKind: kind, priceSources: STOCK_PRICES, tokenSources }
        : { ...asset, priceSources: dollar },
    );
    const deploymentFile = join(folder, `${kind}-${tokenSources.length}.json`);
    const deployment = { ...world.deployment, source: "live", registry: { ...registry, assets } };
    await writeFile(deploymentFile, JSON.stringify(deployment));
    const env = {
      ASSAY_PROFILE: "live",
      ATTESTOR_PRIVATE_KEY: "",
      ATTESTOR_KEYSTORE: join(folder, "key.json"),
      ATTESTOR_KEYSTORE_PASSPHRASE: "open",
      LOG_KEYSTORE: join(folder, "log.json"),
      LOG_KEYSTORE_PASSPHRASE: "open",
      LOG_ORIGIN: "test.example/log",
      DEPLOYMENT_FILE: deploymentFile,
      ...providers.env,
      ...changes,
    };
    // The providers are this suite's: nobody waits for a turn to ask.
    const overrides = { providerLimits: UNLIMITED, logger: loggerTo(warnings, "warn") };
    return startService(world, "sqlite::memory:", env, overrides);
  }

  /** The world's clock past what a service keeps of the providers' answers. */
  async function letAnswersExpire(): Promise<void> {
    world.clock.advance(31_000);
    await world.mine();
  }

  /** From now on the references have this price of a share, at the same price of the pool. */
  async function setSharePrice(price: number): Promise<void> {
    Object.assign(providers.says, { price, finnhub: price });
    await letAnswersExpire();
  }

  /** From now on the providers say what is sound, at the price of the pool. @returns that of a token, US dollars */
  async function agreeWithPool(asked: Service): Promise<number> {
    providers.says = soundFacts(1);
    const { quote } = (await asked.newJob()).report.evidence;
    const tokens = Number(quote.referenceAmountOutRaw) / 1e18;
    const price = Number(quote.referenceAmountInRaw) / 1e6 / tokens;
    await setSharePrice(price);
    return price;
  }

  return { world, providers, serviceOf, letAnswersExpire, setSharePrice, agreeWithPool };
}
