/** A whole trade by the client, with a wallet that speaks EIP-1193. */
import { expect } from "chai";
import { Wallet } from "ethers";
import {
  type AskedTrade,
  createClient,
  TradeFailed,
  type TradeOptions,
  TradeRefused,
  type WalletProvider,
  walletAt,
} from "../../client/client.ts";
import { failureOf as failureFrom } from "../support/failure.ts";
import { testService } from "../support/service.ts";
import { testWorld } from "../support/world.ts";

describe("A trade by the client", () => {
  const world = testWorld();
  const service = testService(world);
  /** The local chain's node, which holds the accounts' keys; and what it was asked to send. */
  let sent: string[];
  const wallet: WalletProvider = {
    async request({ method, params = [] }) {
      if (method === "eth_sendTransaction") sent.push((params[0] as { from: string }).from);
      return await world.provider.send(method, [...params]);
    },
  };
  const clock = () => ({
    now: world.clock.now,
    sleep: () => new Promise<void>((done) => setTimeout(done, 20)),
  });
  const client = () => createClient({ baseUrl: service.url, apiKey: service.key, ...clock() });
  const keyless = () => createClient({ baseUrl: service.url, ...clock() });
  const user = (index: number) => world.accounts.users[index]!.address;
  const asked = (more: Partial<AskedTrade> = {}): AskedTrade => ({
    ...(service.verifyBody() as unknown as AskedTrade),
    ...more,
  });
  function options(more: Partial<TradeOptions> = {}): TradeOptions & { steps: string[] } {
    const { deployment, accounts } = world;
    const steps: string[] = [];
    return {
      ...{ wallet, steps, signer: accounts.attestation.address },
      guard: { chainId: deployment.chainId, address: deployment.guard },
      on: (event) =>
        steps.push(event.step === "approved" ? `approved ${event.transactionHash !== null}` : event.step),
      ...more,
    };
  }
  beforeEach(() => {
    sent = [];
  });
  const failureOf = async (trade: Promise<unknown>) => {
    const error = await trade.then(
      () => expect.fail("it went on"),
      (thrown: unknown) => thrown,
    );
    if (error instanceof TradeRefused || error instanceof TradeFailed) return error.code;
    throw error;
  };

  it("is judged, checked, approved, sent and waited for, and each step is reported", async () => {
    const given = options();
    const { confirmed, report, transactionHash } = await client().trade(asked(), given);
    const steps = ["job", "prepared", "checked", "approved true", "sent", "submitted", "confirmed"];
    expect(given.steps).to.deep.equal(steps);
    expect(sent).to.deep.equal([asked().ownerAddress, asked().ownerAddress]);
    expect(confirmed.evidenceHash).to.equal(report.evidenceHash);
    const { logs } = (await world.provider.getTransactionReceipt(transactionHash))!;
    expect(logs.flatMap(({ topics }) => topics)).to.include(report.evidenceHash);
  });

  it("needs no key, and no coin of the owner's where somebody relays it", async () => {
    const owner = user(2);
    await keyless().trade(asked({ ownerAddress: owner }), options());
    sent = [];
    const relayer = new Wallet(world.accounts.relayer.privateKey, world.provider);
    const relay: TradeOptions["relay"] = async (call) => (await relayer.sendTransaction(call)).hash;
    const signed: unknown[] = [];
    const given = options({
      relay,
      wallet: {
        request(call) {
          if (call.method === "eth_signTypedData_v4") signed.push(...(call.params ?? []));
          return wallet.request(call);
        },
      },
      // Verifiers miss nothing without it, and some wallets do.
      on: (event) =>
        event.step === "prepared" &&
        Reflect.deleteProperty(event.prepared.execution!.tradeIntent.types, "EIP712Domain"),
    });
    const { transactionHash } = await keyless().trade(asked({ ownerAddress: owner }), given);
    expect(JSON.parse(signed[1] as string).types.EIP712Domain).to.have.length(4);
    expect(sent, "the approval alone").to.deep.equal([owner]);
    expect((await world.provider.getTransaction(transactionHash))?.from).to.equal(relayer.address);
  });

  it("signs and sends nothing of a trade that is denied, or of another key", async () => {
    expect(await failureOf(client().trade(asked({ maxSlippageBps: 5_000 }), options()))).to.equal("denied");
    const given = options({ signer: user(5) });
    expect(await failureOf(client().trade(asked(), given))).to.equal("not_valid");
    expect(given.steps).to.deep.equal(["job", "prepared"]);
    expect(sent).to.deep.equal([]);
  });

  it("fails where the node refuses the call, the block reverts it, or the guard's event is not its own", async () => {
    type Call = Parameters<WalletProvider["request"]>[0];
    const answering = (answer: (call: Call, real: () => Promise<any>) => Promise<unknown>) =>
      options({
        wallet: { request: (call) => answer(call, () => wallet.request(call) as Promise<any>) },
      });
    const receipts = (change: (receipt: any) => object) =>
      answering(async ({ method }, real) =>
        method === "eth_getTransactionReceipt" ? change(await real()) : real(),
      );
    const reverted = receipts((receipt) => ({ ...receipt, status: "0x0" }));
    expect(await failureOf(client().trade(asked(), reverted))).to.equal("reverted");
    for (const change of [
      () => [],
      (log: any) => [{ ...log, address: user(1) }],
      (log: any) => [{ ...log, topics: log.topics.map((topic: string) => topic.replace(/.$/, "x")) }],
      (log: any) => [
        { ...log, topics: log.topics.map((topic: string, at: number) => (at === 3 ? log.topics[1] : topic)) },
      ],
    ]) {
      const other = receipts((receipt) => ({ ...receipt, logs: receipt.logs.flatMap(change) }));
      expect(await failureOf(client().trade(asked(), other))).to.equal("other_event");
    }
    const never = answering(async ({ method }, real) =>
      method === "eth_getTransactionReceipt" ? null : real(),
    );
    const impatient = createClient({
      baseUrl: service.url,
      apiKey: service.key,
      ...clock(),
      sleep: async () => {},
    });
    expect(await failureOf(impatient.trade(asked(), never))).to.equal("not_confirmed");
    sent = [];
    const { guard } = world.deployment;
    const refusing = answering(async ({ method, params }, real) => {
      const isTrial = method === "eth_call" && (params![0] as { to: string }).to === guard;
      if (isTrial) throw new Error("execution reverted");
      return real();
    });
    const error = await client()
      .trade(asked(), refusing)
      .catch((thrown: Error) => thrown.message);
    // The approval before it stands, so nothing was sent at all.
    expect([error, sent]).to.deep.equal(["execution reverted", []]);
  });

  it("is made by a wallet behind JSON-RPC, whose refusals come with their message and code", async () => {
    const node = walletAt(world.url);
    const { confirmed } = await client().trade(asked({ ownerAddress: user(4) }), options({ wallet: node }));
    expect(confirmed.amountInRaw).to.equal(asked().amountInRaw);
    const refused = await failureFrom(node.request({ method: "eth_nonsense" }));
    expect(refused).to.be.instanceOf(Error);
    expect(refused.message).to.match(/eth_nonsense/);
    expect(refused.code).to.equal(-32_601);
  });

  it("is waited for where the service answers at once", async () => {
    let asks = 0;
    const busy = createClient({
      baseUrl: service.url,
      apiKey: service.key,
      ...clock(),
      async fetch(input, init) {
        const answer = await fetch(String(input).replace("?wait=30", ""), init);
        if (!String(input).endsWith("?wait=30") || ++asks > 8) return answer;
        const job: any = await answer.json();
        const state = { state: "submitted", confirmed: null };
        return Response.json({ ...job, executions: [{ ...job.executions[0], ...state }] });
      },
    });
    expect((await busy.trade(asked(), options())).confirmed.confirmations).to.be.at.least(1);
  });

  it("is no trade that reverted where a block has it and the service says otherwise", async () => {
    const doubting = createClient({
      baseUrl: service.url,
      apiKey: service.key,
      ...clock(),
      async fetch(input, init) {
        const answer = await fetch(input, init);
        if (!/\/v1\/jobs\/job_[^/]+\?wait=30$/.test(String(input))) return answer;
        const job: any = await answer.json();
        const state = { state: "mismatched", confirmed: null };
        return Response.json({
          ...job,
          executions: job.executions.map((one: object) => ({ ...one, ...state })),
        });
      },
    });
    expect(await failureOf(doubting.trade(asked(), options()))).to.equal("not_confirmed");
  });
});
