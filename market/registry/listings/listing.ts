/** Tokens of one issuer on one chain. */

export interface Listing {
  readonly issuer: "xstocks" | "ondo" | "bstocks";
  readonly chain: "solana" | "bnb";
  readonly decimals: number;
  /** What the issuer appends to the ticker. */
  readonly suffix: string;
  /**
   * How many shares one token is; it is not simply one. `multiplier`: the issuer publishes a factor that grows with
   * dividends and splits. `rebasing`: balances and amounts on chain are scaled already. `ratio`: divide the price of
   * a token by the issuer's token-to-share ratio.
   */
  readonly shares: "multiplier" | "rebasing" | "ratio";
  /**
   * How sure the address is. `high`: stated by the issuer's own list, or by two sources that do not copy each other;
   * `medium`: by one source. Such tokens are priced and say so, and no trade is verified by this list.
   */
  readonly confidence: "high" | "medium";
  /** By ticker of the underlying. */
  readonly addresses: Readonly<Record<string, string>>;
}
