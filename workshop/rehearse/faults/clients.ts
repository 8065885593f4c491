/** Clients that are too many, too large, or there at the wrong moment. */
import { randomBytes } from "node:crypto";
import { Agent, createServer, get } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { type ApiProcess, startApi } from "../../../test/support/apiProcess.ts";
import { postgresServer } from "../../../test/support/postgres.ts";
import { type Outcome, promises, type Rehearsal } from "../rehearsal.ts";
import { all, ask, askFor, type Seen, seconds, slowest, statuses } from "../watch.ts";

const QUICK_MS = 2_000;
const ATTACK_MS = 5_000;
const CLIENTS = 20;

async function withApi(env: Record<string, string>, use: (api: ApiProcess) => Promise<Outcome>) {
  const api = await startApi("pipe", env);
  api.child.stdout?.resume();
  try {
    return await use(api);
  } finally {
    await api.remove();
  }
}

/** Guesses of one address, each another one, while others go about their business. */
function manyGuesses(fault: string, guess: () => Record<string, string>): Rehearsal {
  const attack = async (url: string, until: number): Promise<Seen[]> => {
    const seen: Seen[] = [];
    while (performance.now() < until) seen.push(await ask(`${url}/v1/jobs/job_1`, { headers: guess() }));
    return seen;
  };
  return {
    fault,
    run: async () =>
      withApi({ DATABASE_URL: await (await postgresServer()).createDatabase() }, async ({ url }) => {
        const { hold, broken } = promises();
        const until = performance.now() + ATTACK_MS;
        const attacks = Array.from({ length: CLIENTS }, () => attack(url, until));
        const others = await askFor(`${url}/api/market-overview`, ATTACK_MS);
        const guesses = (await Promise.all(attacks)).flat();
        const looked = guesses.filter(({ status }) => status === 403).length;
        hold("of one address so many are looked up a minute and no more", looked <= 60 + CLIENTS);
        hold(
          "the others are told to wait",
          guesses.some(({ status }) => status === 429),
        );
        hold("other clients are answered as ever", all(others, 200) && slowest(others) < QUICK_MS);
        return {
          clients: `whoever sends them ${statuses(guesses)} (${looked} of ${guesses.length} were looked up); others ${statuses(others)}, after ${seconds(slowest(others))} at most`,
          recoveredAfterMs: null,
          operator: "the log: lines with status 403 and 429 from one address",
          broken,
        };
      }),
  };
}

const secret = () => randomBytes(32).toString("base64url");

export const randomTokens = manyGuesses("Random job tokens by the thousand", () => ({
  authorization: `Bearer jt_${secret()}`,
}));

export const randomKeys = manyGuesses("Random API keys by the thousand", () => ({
  "x-api-key": `ak_${secret()}`,
}));

export const manyProbes: Rehearsal = {
  fault: "/readyz is asked without end",
  async run() {
    let calls = 0;
    const node = createServer((_request, response) => {
      calls++;
      response.statusCode = 503;
      response.end();
    }).listen(0, "127.0.0.1");
    await sleep(50);
    const { port } = node.address() as AddressInfo;
    try {
      return await withApi({ RPC_URL: `http://127.0.0.1:${port}` }, async (api) => {
        const { hold, broken } = promises();
        const before = calls;
        const seen = (
          await Promise.all(Array.from({ length: CLIENTS }, () => askFor(`${api.url}/readyz`, ATTACK_MS, 0)))
        ).flat();
        const asked = calls - before;
        hold("the node is not asked for each", asked * 10 < seen.length);
        hold("each is answered", all(seen, 503) && slowest(seen) < 2 * QUICK_MS);
        return {
          clients: `${seen.length} answers, of ${asked} calls of the node; after ${seconds(slowest(seen))} at most`,
          recoveredAfterMs: null,
          operator: "the log: lines for /readyz",
          broken,
        };
      });
    } finally {
      node.closeAllConnections();
      node.close();
    }
  },
};

export const hugeBody: Rehearsal = {
  fault: "A body of 100 MB is announced",
  run: () =>
    withApi({}, async ({ url }) => {
      const { hold, broken } = promises();
      const socket = connect(Number(new URL(url).port), "127.0.0.1").on("error", () => {});
      const started = performance.now();
      socket.write(
        "POST /a2mcp/verify HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 100000000\r\n\r\n{",
      );
      const answer = await Promise.race([
        new Promise<string>((resolve) => socket.once("data", (chunk) => resolve(chunk.toString("latin1")))),
        sleep(5_000, "no answer"),
      ]);
      const took = performance.now() - started;
      socket.destroy();
      hold("it is refused before it is there", answer.startsWith("HTTP/1.1 413") && took < QUICK_MS);
      return {
        clients: `${answer.slice(9, 12)} after ${seconds(took)}`,
        recoveredAfterMs: null,
        operator: "the log: a line with status 413",
        broken,
      };
    }),
};

/** @param agent false: a connection of its own @returns what went wrong with one request, or null */
function once(url: string, agent: Agent | false): Promise<string | null> {
  return new Promise((resolve) => {
    const fail = (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message);
    get(url, { agent }, (response) => {
      response.resume().once("end", () => resolve(null));
      response.once("error", fail);
    }).once("error", fail);
  });
}

export const endUnderLoad: Rehearsal = {
  fault: "SIGTERM under load",
  run: () =>
    withApi({}, async (api) => {
      const { hold, broken } = promises();
      const faults: string[] = [];
      let answered = 0;
      // Half of them keep their connection, half open one for each request.
      const clients = Array.from({ length: 2 * CLIENTS }, async (_, n) => {
        const agent = n < CLIENTS && new Agent({ keepAlive: true, maxSockets: 1 });
        for (;;) {
          const fault = await once(`${api.url}/api/market-overview`, agent);
          if (fault !== null) {
            if (fault !== "ECONNREFUSED") faults.push(fault);
            if (agent) agent.destroy();
            return;
          }
          answered++;
          await sleep(5);
        }
      });
      await sleep(2_000);
      const started = performance.now();
      const ended = await api.end(15_000);
      const took = performance.now() - started;
      await Promise.all(clients);
      hold("no connection is reset", faults.length === 0);
      hold("it ends with 0", ended?.[0] === 0);
      return {
        clients: `${answered} answers, ${faults.length} connections reset; then nobody listens any more`,
        recoveredAfterMs: null,
        operator: `exit code ${ended?.[0] ?? "none"} after ${seconds(took)}`,
        broken,
      };
    }),
};
