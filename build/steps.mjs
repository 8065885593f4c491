// Shows which steps run and for how long: one line that changes on a terminal, plain lines elsewhere.

/** A terminal's line changes every second; elsewhere a line comes at the beginning, at the end, and in between this often. */
const PLAIN_EVERY_S = 10;

const active = new Set();
let timer;

const text = ({ title, startedAt, detail }) => {
  const more = detail?.();
  return `${title}… ${more ? `${more}, ` : ""}${seconds(startedAt)} s`;
};
const seconds = (startedAt) => Math.round((Date.now() - startedAt) / 1000);

function write(line) {
  const { isTTY } = process.stderr;
  process.stderr.write(isTTY ? `\r\x1b[K${line}\n` : `${line}\n`);
  if (isTTY) redraw();
}

function redraw() {
  if (active.size > 0) process.stderr.write(`\r\x1b[K${[...active].map(text).join("  ")}`);
}

function tick() {
  if (process.stderr.isTTY) return redraw();
  for (const each of active) {
    const age = seconds(each.startedAt);
    if (age > 0 && age % PLAIN_EVERY_S === 0) write(text(each));
  }
}

/**
 * Says that a step begins, how far it is, and how it ended.
 * @param {string} title such as "1/3 Installing packages"
 * @param {() => Promise<boolean>} work
 * @param {() => string} [detail] how far it is
 * @returns {Promise<boolean>} whether the work succeeded, as it said
 */
export async function step(title, work, detail) {
  const entry = { title, startedAt: Date.now(), detail };
  if (!process.stderr.isTTY) write(`${title}…`);
  active.add(entry);
  timer ??= setInterval(tick, 1000);
  let worked = false;
  try {
    worked = await work();
    return worked;
  } finally {
    active.delete(entry);
    write(`${title}: ${worked ? "done" : "failed"} after ${seconds(entry.startedAt)} s`);
    if (active.size === 0) {
      clearInterval(timer);
      timer = undefined;
    }
  }
}
