export const REGISTRY = {
  version: "openapi",
  chainId: 1,
  assets: [
    {
      kind: "stock",
      assetKey: "eip155:1:0x1111111111111111111111111111111111111111",
      symbol: "AAPLx",
      underlying: "AAPL",
      decimals: 18,
    },
    {
      kind: "settlement",
      assetKey: "eip155:1:0x2222222222222222222222222222222222222222",
      symbol: "USDL",
      underlying: null,
      decimals: 6,
    },
  ],
  routes: [],
};
