/**
 * Answers `/health` by MODE: as it should, with 500, not at all, only once (`dies`), or until it
 * stops listening after five answers (`deaf`). It ends at once, or before it is ready; or it
 * never calls itself ready. Asked to end in the mode good, it takes no more requests, and ends when the file that HELD names
 * exists.
 */
export const GATED_APP = `
const { HELD, MODE, SVC_HTTP_PORT } = process.env;
const status = { bad: 500, missing: 404 }[MODE] ?? 200;
let requests = 0;
if (MODE === "crash") process.exit(3);
if (MODE === "late") setTimeout(() => process.exit(3), 300);
const server = require("node:http").createServer((request, response) => {
  if (MODE === "dies" && request.url === "/health" && (requests += 1) > 1) process.exit(7);
  if (MODE === "deaf" && (requests += 1) === 5) server.close();
  response.writeHead(request.url === "/health" ? status : 200).end(JSON.stringify({ mode: MODE, pid: process.pid }));
});
const ready = () => MODE === "mute" || process.send?.("ready");
if (MODE !== "silent" && MODE !== "late") server.listen(Number(SVC_HTTP_PORT), "127.0.0.1", ready);
const end = () => (require("node:fs").existsSync(HELD) ? process.exit() : setTimeout(end, 10));
if (HELD && MODE === "good") process.on("SIGINT", () => (server.close(), end()));
setInterval(() => {}, 1e6);`;
