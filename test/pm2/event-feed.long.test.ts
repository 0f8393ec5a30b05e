import { userInfo } from "node:os";
import { expect, test } from "vitest";
import { slow, watchedPm2 } from "./watched-pm2.ts";

const user = userInfo().username;
const { own, command, recordOf, next } = watchedPm2();

test("a stop by PM2's command differs from a delete", async () => {
  await command("stop", "first");
  expect(await next({ app: "first", kind: "stop" })).toMatchObject({ cause: "pm2-cli", certainty: "likely" });
  await own.run(slow("gone"));
  await command("delete", "gone");
  expect(await next({ app: "gone", kind: "delete" })).toMatchObject({ actor: `${user} (pm2 delete)` });
});

test("SIGKILL by a user is a signal, not a kill by the kernel", async () => {
  await own.run({ name: "killed" });
  process.kill((await recordOf("killed")).pid!, "SIGKILL");
  expect(await next({ app: "killed", kind: "exit" })).toMatchObject({ cause: "signal", certainty: "certain" });
});

test("a stop by pm2 kill has a certain cause, with the user", async () => {
  await own.run(slow("last"));
  await command("kill");
  const event = await next({ app: "last", kind: "stop" });
  expect(event).toMatchObject({ cause: "daemon", certainty: "likely", actor: `${user} (pm2 kill)` });
});
