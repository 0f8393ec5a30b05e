// The load swings around `LOAD` of a core; `MEMORY` is in megabytes.
const load = Number(process.env.LOAD);
const held = Buffer.alloc(Number(process.env.MEMORY) * 2 ** 20, 1);
const TICK_MS = 100;
let ticks = 0;
let burst = 0;

if (process.env.FAILS) throw new Error("No index to read.");

setInterval(() => {
  ticks += 1;
  if (Math.random() < 0.01) burst = 40;
  burst = Math.max(0, burst - 1);
  const wave = 1 + 0.5 * Math.sin((ticks + held.length) / 90) + 0.3 * Math.random() + (burst > 0 ? 1.5 : 0);
  const until = performance.now() + TICK_MS * load * wave;
  while (performance.now() < until) held[ticks % (held.length || 1)] = ticks;
}, TICK_MS);
