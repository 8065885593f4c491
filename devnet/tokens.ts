/** The tokens of the local world: a dollar, five stocks, and who holds how much of them. */
import { localAccounts } from "./accounts.ts";
import { creation, LOCAL_DOLLAR, LOCAL_STOCK } from "./artifacts.ts";
import { call, type Sender } from "./sender.ts";
import { STOCKS } from "./stocks.ts";

export const DOLLAR_ABI = LOCAL_DOLLAR.abi;
const STOCK_ABI = LOCAL_STOCK.abi;

/** What each user holds. */
const USER_DOLLARS = 1_000_000n * 10n ** 6n;
const USER_STOCKS = 1_000n * 10n ** 18n;

/** What the issuer and the market's trader hold: as good as endless, so that the market never runs dry. */
const MARKET_DOLLARS = 10n ** 12n * 10n ** 6n;
const MARKET_STOCKS = 10n ** 10n * 10n ** 18n;

export type Tokens = Awaited<ReturnType<typeof deployTokens>>;

/** @param trader the contract through which the market's trader acts */
export async function deployTokens(deployer: Sender, trader: string) {
  const dollar = await deployer.deploy(await creation(LOCAL_DOLLAR, [deployer.address]));
  /** In the order of STOCKS. */
  const stocks: string[] = [];
  for (const { symbol, name, sharesPerToken } of STOCKS) {
    const args = [deployer.address, name, symbol, sharesPerToken];
    stocks.push(await deployer.deploy(await creation(LOCAL_STOCK, args)));
  }
  const users = localAccounts().users.map(({ address }) => address);
  const market = [deployer.address, trader];
  await deployer.send(call(dollar, DOLLAR_ABI, "mint", [users, USER_DOLLARS]));
  await deployer.send(call(dollar, DOLLAR_ABI, "mint", [market, MARKET_DOLLARS]));
  for (const stock of stocks) {
    await deployer.send(call(stock, STOCK_ABI, "mint", [users, USER_STOCKS]));
    await deployer.send(call(stock, STOCK_ABI, "mint", [market, MARKET_STOCKS]));
  }
  return { dollar, stocks, all: [dollar, ...stocks] };
}
