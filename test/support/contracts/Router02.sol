// SPDX-License-Identifier: MIT
pragma solidity 0.8.35;

interface IV3Factory {
    function getPool(address tokenA, address tokenB, uint24 fee) external view returns (address pool);
}

interface IV3Pool {
    function swap(
        address recipient,
        bool zeroForOne,
        int256 amountSpecified,
        uint160 sqrtPriceLimitX96,
        bytes calldata data
    ) external returns (int256 amount0, int256 amount1);
}

interface IToken {
    function transferFrom(address from, address to, uint256 amount) external returns (bool);
}

/// @notice `exactInputSingle` as Uniswap's SwapRouter02 and PancakeSwap's SmartRouter have it, without a deadline, over
/// real V3 pools. Nothing else of those routers.
contract Router02 {
    struct ExactInputSingleParams {
        address tokenIn;
        address tokenOut;
        uint24 fee;
        address recipient;
        uint256 amountIn;
        uint256 amountOutMinimum;
        uint160 sqrtPriceLimitX96;
    }

    uint160 private constant LOWEST = 4295128740;
    uint160 private constant HIGHEST = 1461446703485210103287273052203988822378723970341;

    IV3Factory public immutable FACTORY;

    error TooLittleReceived(uint256 amountOut);
    error NotThePool(address caller);

    constructor(IV3Factory factory) {
        FACTORY = factory;
    }

    function exactInputSingle(
        ExactInputSingleParams calldata params
    ) external payable returns (uint256 amountOut) {
        bool zeroForOne = params.tokenIn < params.tokenOut;
        uint160 limit = params.sqrtPriceLimitX96;
        if (limit == 0) limit = zeroForOne ? LOWEST : HIGHEST;
        (int256 amount0, int256 amount1) = IV3Pool(
            FACTORY.getPool(params.tokenIn, params.tokenOut, params.fee)
        ).swap(
                params.recipient,
                zeroForOne,
                int256(params.amountIn),
                limit,
                abi.encode(params.tokenIn, params.tokenOut, params.fee, msg.sender)
            );
        amountOut = uint256(-(zeroForOne ? amount1 : amount0));
        if (amountOut < params.amountOutMinimum) revert TooLittleReceived(amountOut);
    }

    function uniswapV3SwapCallback(int256 amount0Delta, int256 amount1Delta, bytes calldata data) external {
        (address tokenIn, address tokenOut, uint24 fee, address payer) = abi.decode(
            data,
            (address, address, uint24, address)
        );
        if (msg.sender != FACTORY.getPool(tokenIn, tokenOut, fee)) revert NotThePool(msg.sender);
        uint256 owed = uint256(amount0Delta > 0 ? amount0Delta : amount1Delta);
        IToken(tokenIn).transferFrom(payer, msg.sender, owed);
    }
}
