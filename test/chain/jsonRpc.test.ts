/** A node that a reader names may be anybody's: its answers are bounded in time and in size. */
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { expect } from "chai";
import { connectJsonRpc, RpcUnreachable } from "../../chain/jsonRpc.ts";
import { until } from "../support/until.ts";

const MIB = 1024 * 1024;

/** @param answer writes what the node answers to every question */
async function node(answer: (response: ServerResponse) => void) {
  const server = createServer((_request, response) => answer(response));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    rpc: connectJsonRpc(`http://127.0.0.1:${port}`, 5_000),
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

const failureOf = (asked: Promise<unknown>) =>
  asked.then(
    () => null,
    (error: Error) => error,
  );

describe("a node by JSON-RPC", () => {
  it("answers with a result of several parts, also where a part ends within a character", async () => {
    const bytes = Buffer.from(JSON.stringify({ jsonrpc: "2.0", id: 1, result: "苹果" }));
    await using asked = await node((response) => {
      for (const byte of bytes) response.write(Buffer.of(byte));
      response.end();
    });
    expect(await asked.rpc("eth_chainId", [])).to.equal("苹果");
  });

  it("is left as soon as its answer is longer than any can be", async () => {
    let isLeft = false;
    await using asked = await node((response) => {
      const part = Buffer.alloc(MIB, " ");
      const send = () => {
        while (!response.destroyed && response.write(part));
      };
      response.on("drain", send).on("close", () => {
        isLeft = true;
      });
      send();
    });
    const failure = await failureOf(asked.rpc("eth_chainId", []));
    expect(failure).to.be.instanceOf(RpcUnreachable);
    expect(failure?.message).to.equal("its answer is longer than 32 MiB");
    await until(
      "the end of the connection",
      async () => isLeft,
      (isOver) => isOver,
    );
  });
});
