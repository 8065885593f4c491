/** What is asked of a key that fails, and when it is asked again. */
import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "chai";
import { SignerUnavailable, watchAvailability } from "../../../api/signers/availability.ts";
import { BackendFault } from "../../../api/signers/backend.ts";
import { AttestorError } from "../../../attestor/values/attestorErrors.ts";
import { failureOf } from "../../support/failure.ts";
import { until } from "../../support/until.ts";

const away = () => Promise.reject(new BackendFault("slow", "it did not answer within 5 ms"));

function watched() {
  const said: string[] = [];
  const world = { probes: 0, isAway: false, said };
  const say = (_details: unknown, text = "") => void said.push(text);
  const probe = async () => {
    world.probes++;
    if (world.isAway) await away();
  };
  const logger = { error: say, info: say } as any;
  const availability = watchAvailability({ what: "The attestation key", probe, logger });
  return { world, availability };
}

const refusal = (work: Promise<unknown>) => failureOf(work, SignerUnavailable);

describe("the availability of a key that is kept elsewhere", () => {
  it("clients are told 503 with Retry-After while a key does not sign, and nothing of the cause", async () => {
    const { world, availability } = watched();
    world.isAway = true;
    const error = await refusal(availability.run(away));
    expect(error.status).to.equal(503);
    expect(error.code).to.equal("unavailable");
    expect(error.headers["Retry-After"]).to.match(/^[1-5]$/);
    expect(JSON.stringify(error.body("r"))).to.not.contain("5 ms");
    expect(availability.fault()).to.equal("it did not answer within 5 ms");
    await availability.stop();
  });

  it("a key is asked no more after three failures in a row, until a probe has signed", async () => {
    const { world, availability } = watched();
    world.isAway = true;
    for (let failure = 0; failure < 3; failure++) await refusal(availability.run(away));
    let asked = 0;
    const count = async () => void asked++;
    await refusal(availability.run(count));
    expect(() => availability.assert()).to.throw(SignerUnavailable);
    expect(asked).to.equal(0);
    world.isAway = false;
    await until("no fault", () => availability.fault() === null);
    expect(availability.fault()).to.equal(null);
    availability.assert();
    await availability.run(count);
    expect(asked).to.equal(1);
    expect(world.said).to.deep.equal(["the key cannot sign", "the key signs again"]);
    await availability.stop();
  });

  it("a key is probed after one failure too, so that nobody has to ask for it to be found well", async () => {
    const { world, availability } = watched();
    await refusal(availability.run(away));
    await until("no fault", () => availability.fault() === null);
    expect(world.probes).to.equal(1);
    expect(availability.fault()).to.equal(null);
    await availability.stop();
  });

  it("only so many wait for a key, and the others are told at once", async () => {
    const { availability } = watched();
    const { promise: gate, resolve: release } = Promise.withResolvers<void>();
    const waiting = Array.from({ length: 32 }, () => availability.run(() => gate));
    await refusal(availability.run(() => gate));
    // To be busy is no fault of the key.
    expect(availability.fault()).to.equal(null);
    release();
    await Promise.all(waiting);
    await availability.run(async () => {});
    await availability.stop();
  });

  it("an invalid certificate does not count as a failure of the key", async () => {
    const { availability } = watched();
    const bad = new AttestorError("invalid_certificate", "only certificates are signed");
    for (let call = 0; call < 5; call++)
      expect(await availability.run(() => Promise.reject(bad)).catch((error) => error)).to.equal(bad);
    expect(availability.fault()).to.equal(null);
    await availability.stop();
  });

  it("each wrong answer of a key is logged, and no key is probed once its watch is stopped", async () => {
    const { world, availability } = watched();
    world.isAway = true;
    const odd = new AttestorError("wrong_signature", "not one of the attestation key");
    const wrong = () => Promise.reject(odd);
    await refusal(availability.run(wrong));
    await refusal(availability.run(wrong));
    expect(world.said.filter((text) => text.startsWith("a wrong answer"))).to.have.length(2);
    await availability.stop();
    const { probes } = world;
    await sleep(600);
    expect(world.probes).to.equal(probes);
  });
});
