/** Uses CPU time for half of the time. For each line of input, it prints the CPU time used, in ms. */
const start = Date.now();
setInterval(() => {
  const end = Date.now() + 20;
  while (Date.now() < end);
}, 40);
process.stdin.on("data", () => {
  const { user, system } = process.cpuUsage();
  console.log(
    JSON.stringify({ cpuMs: (user + system) / 1000, rssBytes: process.memoryUsage.rss(), sinceMs: Date.now() - start }),
  );
});
console.log("ready");
