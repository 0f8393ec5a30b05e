/** The units of systemd that would end a PM2 daemon which starts in them. */
import { expect, test } from "vitest";
import { endsWithCommand, endsWithProgram, unitOfGroup } from "../../../../src/core/pm2/daemon/lasting-group.ts";

test.each([
  ["/system.slice/shop-deploy.service", { name: "shop-deploy.service", isOfUser: false }],
  ["/user.slice/user-1000.slice/user@1000.service/app.slice/shop.service", { name: "shop.service", isOfUser: true }],
  ["/user.slice/user-1000.slice/session-3.scope", undefined],
  ["/system.slice/docker-1f0c.scope", undefined],
  ["/user.slice/user-1000.slice/user@1000.service/init.scope", undefined],
  ["/", undefined],
  [null, undefined],
])("%j", (group, unit) => {
  expect(unitOfGroup(group)).toEqual(unit);
});

const own = { pid: 7, words: ["node", "run.js", "apply"] };
const serve = { pid: 7, words: ["node", "run.js", "serve"] };
const unit = { Type: "oneshot", KillMode: "control-group", RemainAfterExit: "no", MainPID: "7" };

test.each([
  [unit, own, true],
  [{ ...unit, MainPID: "0" }, own, true],
  [{ ...unit, KillMode: "mixed" }, own, true],
  [{ ...unit, KillMode: "process" }, own, false],
  [{ ...unit, KillMode: "none" }, own, false],
  [{ ...unit, RemainAfterExit: "yes" }, own, false],
  [{ ...unit, Type: "simple" }, own, true],
  [{ ...unit, Type: "exec" }, own, true],
  [{ ...unit, Type: "simple", MainPID: "6" }, own, false],
  [{ ...unit, Type: "simple" }, serve, false],
  [{ ...unit, Type: "notify" }, own, false],
  [{ ...unit, Type: "forking" }, own, false],
  [{}, own, false],
])("%j ends with %j: %s", (properties, command, ends) => {
  expect(endsWithCommand(properties, command)).toBe(ends);
});

const server = { ...unit, Type: "simple" };

test.each([
  [server, true],
  [{ ...server, KillMode: "mixed" }, true],
  [{ ...server, KillMode: "process" }, false],
  // Of the daemon itself, or of a unit that brings it up.
  [{ ...server, MainPID: "77" }, false],
  [{ ...server, MainPID: "0" }, false],
  [{ ...server, Type: "forking" }, false],
  [{ ...server, Type: "notify" }, false],
  [{ ...unit, RemainAfterExit: "yes" }, false],
  [{}, false],
])("%j ends the daemon with another program: %s", (properties, ends) => {
  expect(endsWithProgram(properties, 77)).toBe(ends);
});
