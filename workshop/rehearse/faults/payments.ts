/** Answers that are lost, processes that are killed, and facilitators that misbehave, in the paid phase. */
import { createServer, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { type Answer, answerOf, json } from "../../../test/support/http.ts";
import { startGate, startPaidProcess } from "../../../test/support/paidProcess.ts";
import { startFacilitator } from "../../../test/support/paymentFacilitator.ts";
import {
  type Buyer,
  buyerOf,
  buyerOnChain,
  createPaidWorld,
  income,
  PRICE,
  paidWith,
  startPaidService,
  verify,
  verifyBody,
} from "../../../test/support/payments.ts";
import { postgresServer } from "../../../test/support/postgres.ts";
import type { Service } from "../../../test/support/service.ts";
import type { TestWorld } from "../../../test/support/world.ts";
import { type Outcome, promises, type Rehearsal } from "../rehearsal.ts";
import { seconds } from "../watch.ts";

const REPORT_WITHIN_MS = 3_000;
const PATIENCE_MS = 30_000;
const ANSWER_WITHIN_MS = 10_000;
const CHUNK = Buffer.alloc(64 * 1_024, "a");

async function withWorld(use: (world: TestWorld) => Promise<Outcome>): Promise<Outcome> {
  const world = await createPaidWorld();
  try {
    return await use(world);
  } finally {
    await world.stop();
  }
}

async function withPaid(
  world: TestWorld,
  env: Record<string, string>,
  use: (service: Service) => Promise<Outcome>,
): Promise<Outcome> {
  const service = await startPaidService(world, await (await postgresServer()).createDatabase(), env);
  try {
    return await use(service);
  } finally {
    await service.stop();
  }
}

async function listening(server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

function end(server: Server): void {
  server.closeAllConnections();
  server.close();
}

/** Stands before the service, and lets no answer to a payment through. */
function swallowing(target: string): Server {
  return createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on("data", (part: Buffer) => parts.push(part));
    request.on("end", async () => {
      const paid = request.headers["payment-signature"];
      const answer = await fetch(new URL(request.url ?? "/", target), {
        method: request.method ?? "GET",
        headers: {
          "content-type": "application/json",
          ...(typeof paid === "string" ? { "payment-signature": paid } : {}),
        },
        body: Buffer.concat(parts),
      });
      const text = await answer.text();
      if (paid !== undefined) return response.destroy();
      const terms = answer.headers.get("payment-required") ?? "";
      response.writeHead(answer.status, { "payment-required": terms }).end(text);
    });
  });
}

export const lostAnswer: Rehearsal = {
  fault: "A buyer's answer lost on the way",
  run: () =>
    withWorld((world) =>
      withPaid(world, {}, async (service) => {
        const { hold, broken } = promises();
        const before = await income(world);
        const buyer = buyerOf(service);
        const request = json(verifyBody(service));
        const proxy = swallowing(service.url);
        const url = await listening(proxy);
        const lost = await buyer.payAt(`${url}/a2mcp/verify`, request).then(
          () => false,
          () => true,
        );
        end(proxy);
        const again = await buyer.payAt(`${service.url}/a2mcp/verify`, request);
        const charged = (await income(world)) - before;
        const replayed = again.headers.get("idempotent-replayed");
        hold("the first answer is lost", lost);
        hold("the second payment brings the report", again.status === 200 && replayed === "true");
        hold("it is charged once", charged === PRICE);
        return {
          clients: `the report by a second payment: ${again.status}, Idempotent-Replayed: ${replayed}; charges: ${charged / PRICE}`,
          recoveredAfterMs: null,
          operator: "npm run payments -- list --state expired: fault covered",
          broken,
        };
      }),
    ),
};

export const killedSettling: Rehearsal = {
  fault: "A process killed while a payment is settled",
  run: () =>
    withWorld(async (world) => {
      const { hold, broken } = promises();
      const facilitator = await startFacilitator(world);
      const gate = await startGate(world);
      const databaseUrl = await (await postgresServer()).createDatabase();
      const before = await income(world);
      const body = {
        ownerAddress: world.accounts.users[0]!.address,
        inputAssetKey: world.assetKey("USDL"),
        outputAssetKey: world.assetKey("AAPLx"),
        amountInRaw: "250000000",
      };
      const ask = async (url: string, signature?: string): Promise<Answer> =>
        answerOf(await fetch(`${url}/a2mcp/verify`, paidWith(signature, json(body))));
      try {
        const first = await startPaidProcess(world, { gate, facilitator, databaseUrl });
        const signature = await buyerOnChain(world).sign(await ask(first.url));
        facilitator.afterSettle = () => first.program.crash();
        await ask(first.url, signature).catch(() => {});
        facilitator.afterSettle = async () => {};
        const second = await startPaidProcess(world, { gate, facilitator, databaseUrl });
        const from = performance.now();
        const meanwhile = new Set<number>();
        let answer = await ask(second.url, signature);
        while (answer.status !== 200 && performance.now() - from < PATIENCE_MS) {
          meanwhile.add(answer.status);
          await sleep(100);
          answer = await ask(second.url, signature);
        }
        const took = performance.now() - from;
        await second.program.crash();
        const charged = (await income(world)) - before;
        hold("the report is there 3 s after the restart", answer.status === 200 && took < REPORT_WITHIN_MS);
        hold("it is charged once", charged === PRICE);
        return {
          clients: `${[...meanwhile, answer.status].join(", then ")}; charges: ${charged / PRICE}`,
          recoveredAfterMs: took,
          operator: "npm run payments -- open; assay_payment_open_age_seconds",
          broken,
        };
      } finally {
        await gate.stop();
        await facilitator.stop();
      }
    }),
};

/** Sends until nobody listens any more. @returns how many bytes that were */
function sendWithoutEnd(response: ServerResponse): { sent(): number } {
  let sent = 0;
  response.writeHead(200, { "content-type": "application/json" });
  response.write('{"isValid":true,"words":"');
  const more = () => {
    while (!response.destroyed) {
      sent += CHUNK.length;
      if (!response.write(CHUNK)) return void response.once("drain", more);
    }
  };
  more();
  return { sent: () => sent };
}

export const strangeFacilitator: Rehearsal = {
  fault: "A facilitator that answers without end, or redirects to another host",
  run: () =>
    withWorld(async (world) => {
      const { hold, broken } = promises();
      const real = await startFacilitator(world);
      let elsewhere = 0;
      let redirects = false;
      const answers: { sent(): number }[] = [];
      const other = createServer((request, response) => {
        elsewhere++;
        request.resume();
        response.end("{}");
      });
      const otherUrl = await listening(other);
      const strange = createServer(async (request, response) => {
        request.resume();
        if (request.url === "/supported")
          return response
            .writeHead(200, { "content-type": "application/json" })
            .end(await (await fetch(`${real.url}/supported`)).text());
        if (redirects) return response.writeHead(307, { location: `${otherUrl}${request.url}` }).end();
        answers.push(sendWithoutEnd(response));
      });
      try {
        return await withPaid(world, { FACILITATOR_URL: await listening(strange) }, async (service) => {
          const before = await income(world);
          const buyer = buyerOf(service);
          const seen = [await pay(service, buyer)];
          redirects = true;
          seen.push(await pay(service, buyer));
          const read = Math.max(...answers.map(({ sent }) => sent())) / 2 ** 20;
          hold("the buyer is told in time that it cannot be paid now", seen.every(isUnavailable));
          hold("an answer without end is cut off", read < 30);
          hold("no other host is asked", elsewhere === 0);
          hold("nothing is charged", (await income(world)) === before);
          const slowest = Math.max(...seen.map(({ ms }) => ms));
          return {
            clients: `${seen.map(({ answer }) => answer.status).join(", ")}, after ${seconds(slowest)} at most; nothing charged`,
            recoveredAfterMs: null,
            operator: "the log: the facilitator could not verify a payment; assay_facilitator_faults_total",
            broken,
          };
        });
      } finally {
        for (const server of [strange, other]) end(server);
        await real.stop();
      }
    }),
};

interface Paid {
  readonly answer: Answer;
  readonly ms: number;
}

async function pay(service: Service, buyer: Buyer): Promise<Paid> {
  const body = verifyBody(service);
  const signature = await buyer.sign(await verify(service, body));
  const from = performance.now();
  return { answer: await verify(service, body, signature), ms: performance.now() - from };
}

const isUnavailable = ({ answer, ms }: Paid): boolean => answer.status === 503 && ms < ANSWER_WITHIN_MS;
