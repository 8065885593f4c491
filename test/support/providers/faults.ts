/** A provider's place on this machine, and the faults that its adapter makes of what it finds there. */
import { expect } from "chai";
import { ProviderFault } from "../../../market/providers/fault.ts";
import { createLimits } from "../../../market/providers/limits.ts";
import type { ProviderDeps } from "../../../market/providers/provider.ts";
import { failureOf } from "../failure.ts";
import { type FakeUpstream, json, startFakeUpstream } from "./upstream.ts";
import { type VirtualTime, virtualTime } from "./virtualTime.ts";

export interface Bench {
  readonly upstream: FakeUpstream;
  readonly time: VirtualTime;
  readonly deps: ProviderDeps;
}

/** A server and a clock of its own for each test of the suite. */
export function bench(): Bench {
  const made: { upstream: FakeUpstream; time: VirtualTime; deps: ProviderDeps } = {} as any;
  beforeEach(async () => {
    made.upstream = await startFakeUpstream();
    const time = virtualTime();
    const { fetch, now } = time;
    made.time = time;
    made.deps = { fetch, now, limits: createLimits(), lane: "collecting", baseUrl: made.upstream.url };
  });
  afterEach(async () => {
    made.time.end();
    await made.upstream.close();
  });
  return made;
}

export const faultOf = (work: Promise<unknown>): Promise<ProviderFault> => failureOf(work, ProviderFault);

/** None of these answers has the shape that is asked for. */
export async function expectOtherShapes(
  { upstream }: Bench,
  answers: readonly unknown[],
  ask: () => Promise<unknown>,
): Promise<void> {
  for (const answer of answers) {
    upstream.reply(json(answer));
    expect((await faultOf(ask())).code, JSON.stringify(answer)).to.equal("shape");
  }
}
