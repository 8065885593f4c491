import { spawn } from "node:child_process";
import { once } from "node:events";
import { expect } from "chai";
import { processIdentity } from "../../../api/settings/processIdentity.ts";

const FILES: Record<string, string> = {
  "/proc/sys/kernel/random/boot_id": "boot-1\n",
  "/proc/self/ns/pid": "pid:[1]",
  "/proc/1/stat": "1 (init) S 0",
  "/proc/7/stat": `7 (node (x) y) S ${Array.from({ length: 18 }, () => "0").join(" ")} 777 0`,
};
const files = (changes: Record<string, string | undefined> = {}) => {
  const read = (path: string) => {
    const text = { ...FILES, ...changes }[path];
    if (text === undefined) throw new Error(`no ${path}`);
    return text;
  };
  return { readFile: read, readLink: read };
};

describe("the identity of a process", () => {
  const { self } = processIdentity(7, files());

  it("the identity of a process is its machine, number and start", () => {
    expect(self).to.equal("boot-1/pid:[1] 7 777");
    expect(processIdentity(7, files()).isDead(self as string)).to.equal(false);
  });

  it("the identity of a process is dead when nothing runs under its number, or something that started later", () => {
    const own = FILES["/proc/7/stat"]!;
    const other = { "/proc/8/stat": own.replace(/^7/, "8") };
    for (const stat of [undefined, own.replace("777", "778"), own.replace(") S", ") Z")]) {
      const { isDead } = processIdentity(8, files({ ...other, "/proc/7/stat": stat }));
      expect(isDead(self as string)).to.equal(true);
    }
  });

  it("the identity of a process is not known of another machine, boot or container, nor where there is no /proc", () => {
    const other = { "/proc/8/stat": FILES["/proc/7/stat"], "/proc/7/stat": undefined };
    const changes = { "/proc/sys/kernel/random/boot_id": "boot-2", "/proc/self/ns/pid": "pid:[2]" };
    for (const [path, text] of Object.entries(changes))
      expect(processIdentity(8, files({ ...other, [path]: text })).isDead(self as string)).to.equal(false);
    const nowhere = processIdentity(8, files({ "/proc/self/ns/pid": undefined }));
    expect([nowhere.self, nowhere.isDead(self as string)]).to.deep.equal([null, false]);
    for (const odd of ["", "elsewhere", "boot-1/pid:[1] x y"])
      expect(processIdentity(7, files()).isDead(odd)).to.equal(false);
  });

  it("the identity of a process is not known where /proc hides others, who would all count as dead", () => {
    const gone = { "/proc/1/stat": undefined, "/proc/7/stat": undefined };
    const hidden = files({ ...gone, "/proc/8/stat": FILES["/proc/7/stat"] });
    const { self: own, isDead } = processIdentity(8, hidden);
    expect([own, isDead(self as string)]).to.deep.equal([null, false]);
  });

  it("the identity of a process tells a real one that runs from one that was killed", async function () {
    if (processIdentity(process.pid).self === null) this.skip();
    const child = spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)"]);
    const owner = processIdentity(child.pid as number).self as string;
    expect(processIdentity(process.pid).isDead(owner)).to.equal(false);
    child.kill("SIGKILL");
    await once(child, "exit");
    expect(processIdentity(process.pid).isDead(owner)).to.equal(true);
  });
});
