/** Connections that send slowly, send what is no HTTP, or are too many. */
import { connect, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "chai";
import express from "express";
import { readJson } from "../../../api/http/body.ts";
import { type ListenOptions, listen } from "../../../api/http/listen.ts";
import { until } from "../../support/until.ts";

const SLOW = { requestMs: 600, headersMs: 300 };

async function serving(options: Partial<ListenOptions> = {}) {
  const outcomes: string[] = [];
  const app = express();
  app.post("/", async (request, response) => {
    await readJson(request, response).catch((error) => outcomes.push(error.code));
    response.end("done");
  });
  app.get("/", (_request, response) => void response.end("done"));
  const listening = await listen(app, { host: "127.0.0.1", port: 0, newRequestId: () => "name", ...options });
  return { ...listening, outcomes, [Symbol.asyncDispose]: () => listening.stop(0) };
}

/** A client that never closes its end by itself. */
function open(port: number) {
  const socket: Socket = connect({ port, host: "127.0.0.1", allowHalfOpen: true });
  const seen = { socket, text: "", ended: false };
  socket.setEncoding("utf8").on("data", (text: string) => {
    seen.text += text;
  });
  socket.on("end", () => {
    seen.ended = true;
  });
  socket.on("error", () => {});
  return seen;
}

/** Whether the server's end is gone: what is sent there is answered with a reset. */
async function expectDestroyed({ socket }: ReturnType<typeof open>): Promise<void> {
  const gone = async () => {
    if (!socket.destroyed) socket.write("x");
    return socket.destroyed;
  };
  await until("a reset", gone, (isGone) => isGone);
}

const HEAD = "POST / HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 9\r\n";

describe("connections", () => {
  for (const [what, text, outcomes] of [
    ["nothing", "", []],
    ["headers", HEAD, []],
    ["a body", `${HEAD}\r\n{"a"`, ["request_timeout"]],
  ] as const)
    it(`that send ${what} too slowly get 408 and are destroyed, whatever the client does`, async () => {
      await using server = await serving({ timeouts: SLOW });
      const client = open(server.port);
      client.socket.write(text);
      await until(
        "an answer",
        async () => client.ended,
        (isOver) => isOver,
      );
      expect(client.text)
        .to.match(/^HTTP\/1.1 408 Request Timeout\r\n/)
        .and.contain('"code":"request_timeout"');
      await expectDestroyed(client);
      await until(
        "the handler",
        async () => server.outcomes,
        (seen) => seen.length === outcomes.length,
      );
      expect(server.outcomes).to.deep.equal(outcomes);
    });

  it("that name no host get 400 with a problem, in HTTP/1.1 alone", async () => {
    await using server = await serving();
    const answerTo = async (head: string) => {
      const client = open(server.port);
      client.socket.write(`${head}\r\n\r\n`);
      await until(
        "the end",
        async () => client.ended,
        (isOver) => isOver,
      );
      client.socket.destroy();
      return client.text;
    };
    const refused = await answerTo("GET / HTTP/1.1");
    expect(refused).to.match(/^HTTP\/1.1 400 Bad Request\r\nContent-Type: application\/problem\+json\r\n/);
    expect(refused)
      .to.contain("\r\nX-Request-Id: name\r\n")
      .and.contain('"detail":"the header Host is missing"');
    expect(await answerTo("GET / HTTP/1.0")).to.match(/^HTTP\/1.1 200 OK\r\n/);
    expect(await answerTo("GET / HTTP/1.1\r\nHost: x\r\nConnection: close")).to.match(
      /^HTTP\/1.1 200 OK\r\n/,
    );
  });

  it("that expect something unknown are answered as if they did not", async () => {
    await using server = await serving();
    const client = open(server.port);
    client.socket.write("GET / HTTP/1.1\r\nHost: x\r\nExpect: 200-ok\r\nConnection: close\r\n\r\n");
    await until(
      "the end",
      async () => client.ended,
      (isOver) => isOver,
    );
    client.socket.destroy();
    expect(client.text).to.match(/^HTTP\/1.1 200 OK\r\n/);
  });

  it("that send what is no HTTP get 400 and are destroyed, whatever the client does", async () => {
    await using server = await serving();
    const client = open(server.port);
    client.socket.write("nonsense\r\n\r\n");
    await until(
      "an answer",
      async () => client.ended,
      (isOver) => isOver,
    );
    expect(client.text).to.match(/^HTTP\/1.1 400 Bad Request\r\n/);
    await expectDestroyed(client);
  });

  it("are bounded for each address, and not for a proxy's", async () => {
    const crowded: string[] = [];
    const options = { connectionsPerAddress: 3, onCrowded: (address: string) => crowded.push(address) };
    await using server = await serving(options);
    const isServed = async (client: ReturnType<typeof open>) => {
      client.text = "";
      client.socket.write("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
      await until(
        "an answer or the end",
        async () => client.text !== "" || client.ended || client.socket.destroyed,
        (isOver) => isOver,
      );
      return client.text.startsWith("HTTP/1.1 200");
    };
    const clients = [];
    for (let count = 0; count < 5; count++) {
      const client = open(server.port);
      clients.push(client);
      expect(await isServed(client), `connection ${count}`).to.equal(count < 3);
    }
    expect(crowded).to.deep.equal(["127.0.0.1"]);
    clients[0]?.socket.destroy();
    await sleep(50);
    expect(await isServed(open(server.port))).to.equal(true);

    await using behind = await serving({ ...options, isProxy: () => true });
    const many = Array.from({ length: 5 }, () => open(behind.port));
    for (const client of many) expect(await isServed(client)).to.equal(true);
  });
});
