/** Connections that send slowly, send what is not HTTP, or are too many; and how a server ends with those that it has. */
import { Agent } from "node:http";
import { connect, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "chai";
import express, { type RequestHandler } from "express";
import { readJson } from "../../../api/http/body.ts";
import { type ListenOptions, listen } from "../../../api/http/listen.ts";
import { testApp } from "../../support/http.ts";
import { faultOfGet } from "../../support/ports.ts";
import { until } from "../../support/until.ts";

const SLOW = { requestMs: 600, headersMs: 300 };

/** A server that reads what is posted, and what came of that. */
async function serving(options: Partial<ListenOptions> = {}, answer?: RequestHandler) {
  const outcomes: string[] = [];
  const app = express();
  app.post("/", async (request, response) => {
    await readJson(request, response).catch((error) => outcomes.push(error.code));
    response.end("done");
  });
  app.get("/", answer ?? ((_request, response) => void response.end("done")));
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

type Client = ReturnType<typeof open>;

/** Whether the server's end is gone: what is sent there is answered with a reset. */
async function expectDestroyed({ socket }: Client): Promise<void> {
  await until("a reset", () => {
    if (!socket.destroyed) socket.write("x");
    return socket.destroyed;
  });
}

/** Sends that, and waits until the server ends the connection. */
async function sendUntilEnded(port: number, text: string): Promise<Client> {
  const client = open(port);
  client.socket.write(text);
  await until("the end", () => client.ended);
  return client;
}

const GET = "GET / HTTP/1.1\r\nHost: x\r\n\r\n";
const POST = "POST / HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 9\r\n";

describe("a connection", () => {
  for (const [what, text, outcomes] of [
    ["nothing", "", []],
    ["headers", POST, []],
    ["a body", `${POST}\r\n{"a"`, ["request_timeout"]],
  ] as const)
    it(`a connection that sends ${what} too slowly gets 408 and is destroyed, whatever the client does`, async () => {
      await using server = await serving({ timeouts: SLOW });
      const client = await sendUntilEnded(server.port, text);
      expect(client.text).to.match(/^HTTP\/1\.1 408 Request Timeout\r\n/);
      expect(client.text).to.contain('"code":"request_timeout"');
      await expectDestroyed(client);
      await until("the handler", () => server.outcomes.length === outcomes.length);
      expect(server.outcomes).to.deep.equal(outcomes);
    });

  it("a request that names no host gets a problem with 400, in HTTP/1.1 alone", async () => {
    await using server = await serving();
    const answerTo = async (head: string) => (await sendUntilEnded(server.port, `${head}\r\n\r\n`)).text;
    const refused = await answerTo("GET / HTTP/1.1");
    expect(refused).to.match(/^HTTP\/1\.1 400 Bad Request\r\nContent-Type: application\/problem\+json\r\n/);
    expect(refused)
      .to.contain("\r\nX-Request-Id: name\r\n")
      .and.contain('"detail":"the header Host is missing"');
    expect(await answerTo("GET / HTTP/1.0")).to.match(/^HTTP\/1\.1 200 OK\r\n/);
    expect(await answerTo("GET / HTTP/1.1\r\nHost: x\r\nConnection: close")).to.match(
      /^HTTP\/1\.1 200 OK\r\n/,
    );
  });

  it("a request that expects something unknown is answered as if it did not", async () => {
    await using server = await serving();
    const request = "GET / HTTP/1.1\r\nHost: x\r\nExpect: 200-ok\r\nConnection: close\r\n\r\n";
    expect((await sendUntilEnded(server.port, request)).text).to.match(/^HTTP\/1\.1 200 OK\r\n/);
  });

  for (const [what, text] of [
    ["what is not HTTP", "nonsense\r\n\r\n"],
    ["headers without an end", `GET / HTTP/1.1\r\nHost: x\r\nX-Long: ${"a".repeat(100_000)}\r\n\r\n`],
  ] as const)
    it(`a connection that sends ${what} gets a problem with 400 and is destroyed, whatever the client does`, async () => {
      await using server = await serving();
      const client = await sendUntilEnded(server.port, text);
      expect(client.text).to.match(/^HTTP\/1\.1 400 Bad Request\r\n/);
      expect(client.text).to.contain("application/problem+json").and.contain('"code":"invalid_request"');
      await expectDestroyed(client);
    });

  it("a connection that sends what is not HTTP after good requests gets their answers first", async () => {
    await using server = await serving();
    const { text } = await sendUntilEnded(server.port, `${GET}${GET}NONSENSE\r\n\r\n`);
    const statuses = [...text.matchAll(/HTTP\/1\.1 (\d+) /g)].map(([, status]) => status);
    expect(statuses).to.deep.equal(["200", "200", "400"]);
  });

  it("connections are bounded for each address, and not for a proxy's", async () => {
    const crowded: string[] = [];
    const options = { connectionsPerAddress: 3, onCrowded: (address: string) => crowded.push(address) };
    await using server = await serving(options);
    const isServed = async (client: Client) => {
      client.text = "";
      client.socket.write(GET);
      await until(
        "an answer or the end",
        () => client.text !== "" || client.ended || client.socket.destroyed,
      );
      return client.text.startsWith("HTTP/1.1 200");
    };
    const clients: Client[] = [];
    for (let count = 0; count < 5; count++) {
      const client = open(server.port);
      clients.push(client);
      expect(await isServed(client), `connection ${count}`).to.equal(count < 3);
    }
    expect(crowded).to.deep.equal(["127.0.0.1"]);
    clients[0]?.socket.destroy();
    await until("a free place", () => isServed(open(server.port)));

    await using behind = await serving({ ...options, isProxy: () => true });
    const many = Array.from({ length: 5 }, () => open(behind.port));
    for (const client of many) expect(await isServed(client)).to.equal(true);
  });
});

describe("a body that is too large", () => {
  const app = testApp();

  for (const [how, header, body] of [
    ["whose length is told", "Content-Length: 100000000", ""],
    ["that comes in chunks", "Transfer-Encoding: chunked", `186A0\r\n${"x".repeat(100_000)}\r\n`],
  ] as const)
    it(`a body ${how} gets 413 before all of it is there, and who goes on sending is cut off`, async () => {
      const client = open(app.listening.port);
      const headers = ["Host: x", `X-Api-Key: ${app.key}`, "Content-Type: application/json", header];
      client.socket.write(`POST /v1/jobs HTTP/1.1\r\n${headers.join("\r\n")}\r\n\r\n${body}`);
      await until("an answer", () => client.text.includes("\r\n\r\n{"));
      expect(client.text).to.match(/^HTTP\/1\.1 413 /);
      await expectDestroyed(client);
    });
});

describe("a server that ends", () => {
  it("a server that ends lets running requests end, and takes no new ones", async () => {
    const begun = Promise.withResolvers<void>();
    const goOn = Promise.withResolvers<void>();
    const server = await serving({}, async (_request, response) => {
      begun.resolve();
      await goOn.promise;
      response.send("done");
    });
    const running = fetch(server.url).then(async (response) => ({
      text: await response.text(),
      connection: response.headers.get("connection"),
    }));
    await begun.promise;
    const stopped = server.stop(300_000);
    const refused = async () => (await faultOfGet(`${server.url}/other`, false)) === "ECONNREFUSED";
    await until("a closed port", refused);
    goOn.resolve();
    expect(await running).to.deep.equal({ text: "done", connection: "close" });
    await stopped;
  });

  it("a server that ends resets no connection of clients that keep asking", async () => {
    const server = await serving({}, async (_request, response) => {
      await sleep(Math.random() * 5);
      response.send("done");
    });
    const faults: string[] = [];
    let answered = 0;
    const clients = Array.from({ length: 30 }, async () => {
      const agent = new Agent({ keepAlive: true, maxSockets: 1 });
      for (;;) {
        const fault = await faultOfGet(server.url, agent);
        if (fault === null) answered++;
        else {
          // Nobody listens any more: the one answer that a client may get.
          if (fault !== "ECONNREFUSED") faults.push(fault);
          return agent.destroy();
        }
        await sleep(Math.random() * 20);
      }
    });
    await until("300 answers", () => answered > 300);
    await server.stop(8_000);
    await Promise.all(clients);
    expect(faults).to.deep.equal([]);
  });

  it("a server that ends cuts off what outlives its grace", async () => {
    const begun = Promise.withResolvers<void>();
    const server = await serving({}, () => begun.resolve());
    const running = fetch(server.url).catch(() => "cut off");
    await begun.promise;
    const started = performance.now();
    await server.stop(200);
    expect(performance.now() - started).to.be.at.least(150);
    expect(await running).to.equal("cut off");
  });
});
