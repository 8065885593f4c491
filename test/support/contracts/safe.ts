/** Safes of the published bytecode, 1.4.1, and what their owners sign. */
import { createRequire } from "node:module";
import {
  Contract,
  concat,
  Interface,
  type InterfaceAbi,
  type Signer,
  solidityPacked,
  ZeroAddress,
} from "ethers";
import { SAFE_CONTRACTS } from "../../../devnet/artifacts.ts";
import { deployPublished, type World } from "./world.ts";

/** Without the events of a SafeL2. */
const PLAIN_SAFE: { abi: InterfaceAbi; bytecode: string } = createRequire(import.meta.url)(
  "@safe-global/safe-contracts/build/artifacts/contracts/Safe.sol/Safe.json",
);
const SINGLETONS = {
  Safe: { ...PLAIN_SAFE, abi: new Interface(PLAIN_SAFE.abi) },
  SafeL2: SAFE_CONTRACTS.singleton,
};

/** A call that a Safe makes. */
export interface SafeCall {
  readonly to: string;
  readonly data: string;
}

export interface Safe {
  readonly address: string;
  /** The Safe makes a call, signed by these owners; sent by the world's relayer. */
  send(call: SafeCall, signers: readonly Signer[]): Promise<{ wait(): Promise<unknown> }>;
  /** The Safe makes several calls, or none of them, in one transaction. */
  sendAll(calls: readonly SafeCall[], signers: readonly Signer[]): Promise<{ wait(): Promise<unknown> }>;
  /** Owners' signatures for ERC-1271 over 32 bytes, as the Safe's fallback handler asks for them. */
  signMessage(digest: string, signers: readonly Signer[]): Promise<string>;
}

const SAFE_TX = {
  SafeTx: [
    { name: "to", type: "address" },
    { name: "value", type: "uint256" },
    { name: "data", type: "bytes" },
    { name: "operation", type: "uint8" },
    { name: "safeTxGas", type: "uint256" },
    { name: "baseGas", type: "uint256" },
    { name: "gasPrice", type: "uint256" },
    { name: "gasToken", type: "address" },
    { name: "refundReceiver", type: "address" },
    { name: "nonce", type: "uint256" },
  ],
};
const SAFE_MESSAGE = { SafeMessage: [{ name: "message", type: "bytes" }] };
const CALL = 0;
const DELEGATE_CALL = 1;

/** The Safe's contracts, once a chain. @returns makes a Safe of these owners */
export async function deploySafes(
  { ethers, admin, relayer }: World,
  version: keyof typeof SINGLETONS = "Safe",
) {
  const singleton = await deployPublished(SINGLETONS[version], admin);
  const factory = await deployPublished(SAFE_CONTRACTS.factory, admin);
  const handler = await deployPublished(SAFE_CONTRACTS.fallbackHandler, admin);
  const multiSend = await deployPublished(SAFE_CONTRACTS.multiSend, admin);
  const { chainId } = await ethers.provider.getNetwork();
  let salt = 0n;

  return async (owners: readonly Signer[], threshold: number): Promise<Safe> => {
    const addresses = await Promise.all(owners.map((owner) => owner.getAddress()));
    const setup = singleton.interface.encodeFunctionData("setup", [
      addresses,
      threshold,
      ZeroAddress,
      "0x",
      await handler.getAddress(),
      ZeroAddress,
      0,
      ZeroAddress,
    ]);
    const create = factory.getFunction("createProxyWithNonce");
    const args = [await singleton.getAddress(), setup, salt++] as const;
    const address: string = await create.staticCall(...args);
    await (await create.send(...args)).wait();
    const safe = new Contract(address, singleton.interface, relayer);
    const domain = { chainId, verifyingContract: address };

    async function execute({ to, data }: SafeCall, operation: number, signers: readonly Signer[]) {
      const nonce: bigint = await safe.getFunction("nonce")();
      const call = { to, value: 0, data, operation, safeTxGas: 0, baseGas: 0, gasPrice: 0 };
      const unpaid = { gasToken: ZeroAddress, refundReceiver: ZeroAddress };
      const signatures = await signedBy(signers, (signer) =>
        signer.signTypedData(domain, SAFE_TX, { ...call, ...unpaid, nonce }),
      );
      const values = [...Object.values(call), ...Object.values(unpaid), signatures];
      return safe.getFunction("execTransaction").send(...values);
    }

    return {
      address,
      send: (call, signers) => execute(call, CALL, signers),
      sendAll: async (calls, signers) => {
        const data = multiSend.interface.encodeFunctionData("multiSend", [concat(calls.map(packed))]);
        return execute({ to: await multiSend.getAddress(), data }, DELEGATE_CALL, signers);
      },
      signMessage: (digest, signers) =>
        signedBy(signers, (signer) => signer.signTypedData(domain, SAFE_MESSAGE, { message: digest })),
    };
  };
}

const packed = ({ to, data }: SafeCall) =>
  solidityPacked(
    ["uint8", "address", "uint256", "uint256", "bytes"],
    [CALL, to, 0, (data.length - 2) / 2, data],
  );

/** One signature behind the other, in the order of the signers' addresses. */
async function signedBy(
  signers: readonly Signer[],
  sign: (signer: Signer) => Promise<string>,
): Promise<string> {
  const made = await Promise.all(
    signers.map(async (signer) => ({ by: BigInt(await signer.getAddress()), signature: await sign(signer) })),
  );
  made.sort((a, b) => (a.by < b.by ? -1 : 1));
  return concat(made.map(({ signature }) => signature));
}
