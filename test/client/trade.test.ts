/** A whole trade by the client, with a wallet that speaks EIP-1193. */
import { expect } from "chai";
import { id, Wallet } from "ethers";
import {
  type AskedTrade,
  createClient,
  TradeFailed,
  type TradeOptions,
  TradeRefused,
  type WalletProvider,
  walletAt,
} from "../../client/client.ts";
import { tokenOf } from "../support/dollars.ts";
import { failureOf as failureFrom } from "../support/failure.ts";
import { newWallet } from "../support/keystores.ts";
import { rotateSigner, testService, walletOf } from "../support/service.ts";
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
      wallet,
      steps,
      signer: accounts.attestation.address,
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

  it("sends the approvals of the trade in their order: none where enough is left, and 0 before where less is", async () => {
    const amount = BigInt(asked().amountInRaw);
    const owner = walletOf(world, 5);
    const { guard } = world.deployment;
    const token = tokenOf(world, "USDL", owner);
    const approve = (raw: bigint) => token.interface.encodeFunctionData("approve", [guard, raw]);
    for (const [left, approvals] of [
      [0n, [approve(amount)]],
      [amount - 1n, [approve(0n), approve(amount)]],
      [amount, []],
    ] as const) {
      await (await token.getFunction("approve").send(guard, left)).wait();
      const calls: { to: string; data: string }[] = [];
      const given = options({
        wallet: {
          request(call) {
            if (call.method === "eth_sendTransaction") calls.push(call.params![0] as (typeof calls)[0]);
            return wallet.request(call);
          },
        },
      });
      await client().trade(asked({ ownerAddress: owner.address }), given);
      expect(given.steps).to.include(`approved ${approvals.length > 0}`);
      expect(calls.map(({ to }) => to)).to.deep.equal([...approvals.map(() => world.token("USDL")), guard]);
      expect(calls.slice(0, -1).map(({ data }) => data)).to.deep.equal(approvals);
      expect(await token.getFunction("allowance").staticCall(owner.address, guard)).to.equal(0n);
    }
  });

  it("is refused as signer_rotated where the guard's key is rotated before it is sent, by the owner or a relayer", async () => {
    const relayer = new Wallet(world.accounts.relayer.privateKey, world.provider);
    const relay: TradeOptions["relay"] = async (call) => (await relayer.sendTransaction(call)).hash;
    /** Asks the same wallet, once the key is rotated, for what follows the approval. */
    const rotatingBefore = (inner: WalletProvider): WalletProvider => ({
      async request(call) {
        const { to } = (call.params?.[0] ?? {}) as { to?: string };
        const isTrial = call.method === "eth_call" && to === world.deployment.guard;
        const isSignature = call.method === "eth_signTypedData_v4";
        if (isTrial || isSignature) await rotateSigner(world, newWallet().address);
        return inner.request(call);
      },
    });
    const body = asked({ ownerAddress: user(6) });
    for (const how of [
      { wallet: rotatingBefore(wallet) },
      { wallet: rotatingBefore(walletAt(world.url)) },
      { wallet: rotatingBefore(wallet), relay },
    ]) {
      const refused = await failureFrom(client().trade(body, options(how)), TradeRefused);
      await rotateSigner(world, world.accounts.attestation.address);
      expect(refused.code).to.equal("signer_rotated");
      expect(refused.message).to.contain("prepare the trade again");
      expect(refused.verification.verdict).to.equal("VALID");
    }
    const { confirmed } = await client().trade(body, options());
    expect(confirmed.amountInRaw).to.equal(body.amountInRaw);
  });

  it("is refused as signer_rotated in each form in which nodes and wallets hand on the guard's answer, and for no other answer", async () => {
    const answer = `0x${id("CertificateSignerUnknown(address)").slice(2, 10)}${"00".repeat(12)}${user(1).slice(2)}`;
    const other = id("TradingPaused()").slice(0, 10);
    const refusing = (error: unknown) =>
      options({
        wallet: {
          request(call) {
            const { to } = (call.params?.[0] ?? {}) as { to?: string };
            if (call.method === "eth_call" && to === world.deployment.guard) return Promise.reject(error);
            return wallet.request(call);
          },
        },
      });
    const node = (data: unknown) => ({ code: 3, message: "execution reverted", data });
    const forms = (data: string) => [
      node(data),
      node(data.toUpperCase().replace("0X", "0x")),
      // Hardhat's node.
      { code: -32_603, message: "reverted", data: { message: "reverted", data } },
      // MetaMask.
      { code: -32_603, message: "Internal JSON-RPC error.", data: { originalError: node(data) } },
      // viem.
      new Error("failed", { cause: new Error("RPC request failed", { cause: node(data) }) }),
    ];
    for (const error of forms(answer))
      expect(await failureOf(client().trade(asked(), refusing(error)))).to.equal("signer_rotated");
    const circular: { cause?: unknown } = {};
    circular.cause = circular;
    for (const error of [...forms(other), circular, "execution reverted", null]) {
      const thrown = await client()
        .trade(asked(), refusing(error))
        .catch((reason: unknown) => reason);
      expect(thrown).to.equal(error);
    }
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
    // EIP-1474: the method is not supported.
    expect(refused.code).to.equal(-32_004);
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
