import { inspect } from "node:util";
import { expect } from "chai";
import { recoverAddress } from "ethers";
import fc from "fast-check";
import { Secret } from "../../../api/settings/secret.ts";
import { certificateSignerOf } from "../../../api/signers/certificates.ts";
import { BackendFault } from "../../../api/signers/fault.ts";
import { openTokenKey, type TokenKey } from "../../../api/signers/pkcs11/process.ts";
import { loadToken, openToken } from "../../../api/signers/pkcs11/token.ts";
import {
  domainSeparator,
  hashCertificate,
  typedDataDigest,
} from "../../../attestor/certificate/certificate.ts";
import { proofCertificate } from "../../../attestor/certificate/keyProof.ts";
import { DOMAIN } from "../../attestor/fixtures.ts";
import { failureOf } from "../../support/failure.ts";
import { newWallet } from "../../support/keystores.ts";
import { openSoftToken, PIN } from "../../support/softhsm.ts";
import { ofSuite } from "../../support/suite.ts";
import { until } from "../../support/until.ts";

const HALF_ORDER = 0x7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0n;

const faultOf = (work: Promise<unknown>) => failureOf(work, BackendFault);

describe("a key in a PKCS#11 token", () => {
  const token = ofSuite(openSoftToken);
  const open: TokenKey[] = [];

  const opened = async (label: string, timeoutMs = 10_000, curve: "secp256k1" | "ed25519" = "secp256k1") => {
    open.push(await openTokenKey(token.setting(label), curve, timeoutMs));
    return open.at(-1)!;
  };

  before(() => {
    token.generate("secp256k1", "attestor", { id: "a1" });
    token.generate("ed25519", "log", { id: "a2" });
  });
  afterEach(async () => {
    await Promise.all(open.splice(0).map((key) => key.stop()));
  });

  it("signs any certificate so that the guard's check finds the key, with a low s and the right v", async () => {
    const signer = certificateSignerOf(await opened("attestor"), DOMAIN);
    const separator = domainSeparator(DOMAIN);
    let signed = 0;
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 253_402_300_799 }), async (at) => {
        const certificate = proofCertificate(signer.address, at);
        const signature = await signer.sign(certificate);
        const digest = typedDataDigest(separator, hashCertificate(certificate));
        expect(signature).to.match(/^0x[0-9a-f]{128}(1b|1c)$/);
        expect(BigInt(`0x${signature.slice(66, 130)}`) <= HALF_ORDER).to.equal(true);
        expect(recoverAddress(digest, signature)).to.equal(signer.address);
        signed++;
      }),
      { numRuns: 150 },
    );
    expect(signed).to.equal(150);
  });

  it("signs for many at once, each what was theirs", async () => {
    const signer = certificateSignerOf(await opened("attestor"), DOMAIN);
    const certificates = Array.from({ length: 40 }, (_, n) => proofCertificate(signer.address, n + 1));
    await Promise.all(certificates.map((each) => signer.sign(each)));
  });

  it("says plainly what is wrong with its settings, and never the PIN", async () => {
    token.generate("secp256k1", "twice", { id: "b1" });
    token.generate("secp256k1", "twice", { id: "b2" });
    const setting = token.setting("attestor");
    const cases: [object, string, "ed25519"?][] = [
      [{ module: "/nowhere/lib.so" }, "the PKCS#11 module cannot be loaded: /nowhere/lib.so"],
      [{ token: { label: "other" } }, "there is no token with the label other"],
      [{ token: { slot: 4_000_000_000 } }, "there is no token in slot 4000000000"],
      [{ key: { label: "none" } }, "the token has no private key with the label none"],
      [{ key: { label: "twice" } }, "the token has more than one private key with the label twice"],
      [{ key: { label: "log" } }, "the private key with the label log is none of the curve secp256k1"],
      [{}, "the private key with the label attestor is none of the curve ed25519", "ed25519"],
      [{ pin: new Secret("not the pin of it") }, "the token refuses the PIN"],
    ];
    for (const [change, message, curve = "secp256k1"] of cases) {
      const fault = await faultOf(openTokenKey({ ...setting, ...change }, curve, 10_000));
      expect(fault.message).to.equal(message);
      const shown = inspect(fault, { depth: 9, showHidden: true });
      expect(shown).to.not.contain(PIN);
      expect(shown).to.not.contain("not the pin of it");
    }
  });

  it("whose process hangs is given up in time, ended, and held by another process afterwards", async () => {
    const key = await opened("attestor", 1_500);
    const { pid } = key;
    process.kill(pid!, "SIGSTOP");
    const faults = await Promise.all([1, 2, 3].map(() => faultOf(key.sign(new Uint8Array(32)))));
    const messages = ["it did not answer within 1500 ms", "the process that holds the token ended"];
    for (const { kind, message } of faults) {
      expect(kind).to.be.oneOf(["slow", "refused"]);
      expect(message).to.be.oneOf(messages);
    }
    await whenItSigns(key);
    expect(key.pid).to.not.equal(pid);
    expect(() => process.kill(pid!, 0)).to.throw();
  });

  it("of a token that is pulled out and put back is found again, by a new session", async () => {
    const key = await opened("attestor");
    const { pid } = key;
    await token.pullOut();
    try {
      // SoftHSM2 keeps what it has read in memory; a new process finds nothing.
      process.kill(pid!, "SIGKILL");
      await whenItFails(key);
      const { message } = await faultOf(key.sign(new Uint8Array(32)));
      expect(message).to.equal("there is no token with the label assay");
    } finally {
      await token.putBack();
    }
    await whenItSigns(key);
  });

  it("whose session no longer has it is opened anew within the same signature", async () => {
    const { privateKey } = newWallet();
    token.put(privateKey, "moved");
    const key = await opened("moved");
    const { pid } = key;
    token.destroy("moved");
    token.put(privateKey, "moved");
    expect(await key.sign(new Uint8Array(32).fill(1))).to.have.length(64);
    expect(key.pid).to.equal(pid);
  });

  it("of another pair under the same name is not used in place of the first", async () => {
    for (const dies of [false, true]) {
      token.generate("secp256k1", "changing");
      const key = await opened("changing");
      token.destroy("changing");
      token.generate("secp256k1", "changing");
      if (dies) {
        process.kill(key.pid!, "SIGKILL");
        await whenItFails(key);
      }
      const { kind, message } = await faultOf(key.sign(new Uint8Array(32)));
      expect(kind).to.equal("wrong");
      expect(message).to.equal("the token now has another key of that name");
      token.destroy("changing");
    }
  });

  /** The settings that the process that holds the token receives. */
  const named = () => {
    const { backend: _, pin, ...setting } = token.setting("attestor");
    return { ...setting, pin: pin.reveal(), curve: "secp256k1" as const };
  };

  it("does not try a PIN twice that the token refused, which would lock it", () => {
    const calls: string[] = [];
    class Token {
      load() {}
      close() {}
      C_Initialize() {}
      C_Finalize() {}
      C_GetSlotList = () => [Buffer.alloc(8)];
      C_OpenSession = () => Buffer.alloc(8);
      C_GetTokenInfo = () => ({ label: "assay", flags: 0x0002_0000 });
      C_Login() {
        calls.push("login");
      }
    }
    expect(() => openToken({ PKCS11: Token as any }, named())).to.throw(BackendFault, "one try is left");
    expect(calls).to.deep.equal([]);
  });

  it("says which package is missing where it is not installed", async () => {
    const fault = await faultOf(loadToken(named(), () => Promise.reject(new Error("Cannot find package"))));
    expect(fault.message).to.equal("the package pkcs11js is not installed");
  });

  it("leaves no process behind when it is stopped, hanging or not", async () => {
    const [first, second] = [await opened("attestor"), await opened("attestor")];
    const pids = [first.pid!, second.pid!];
    process.kill(second.pid!, "SIGSTOP");
    await Promise.all([first.stop(), second.stop()]);
    for (const pid of pids) expect(() => process.kill(pid, 0)).to.throw();
    await faultOf(first.sign(new Uint8Array(32)));
  });

  async function whenItSigns(key: TokenKey): Promise<void> {
    await until("a signature", async () => {
      const made = await key.sign(new Uint8Array(32).fill(1)).catch((error: unknown) => error);
      return made instanceof BackendFault ? false : expect(made).to.not.be.instanceOf(Error);
    });
  }

  /** A request to a dead process may fail with another error until its end is known. */
  async function whenItFails(key: TokenKey): Promise<void> {
    await until("its end", () => key.pid === null);
  }
});
