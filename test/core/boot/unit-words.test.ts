/** The whole text of a unit, and what is read of one. */
import { expect, test } from "vitest";
import {
  expandSpecifiers,
  findStart,
  parseUnit,
  planUnit,
  requireRights,
  unitText,
} from "../../../src/core/boot/unit-text.ts";
import { boot, HOME, online, saved, unit, withUnits } from "./facts.ts";

const user = { name: "deploy", uid: 1001, folder: "/home/deploy" };
const program = { node: "/opt/node/bin/node", svcm: "/opt/$svcm/run.js" };
const input = { user, home: HOME, program, stopMs: 45_001, replaced: [], linger: false } as const;

test("a unit of the system waits for the network, and runs as its user", () => {
  expect(unitText({ ...input, scope: "system", replaced: ["a.service", "b.service"] }))
    .toBe(`# Written by svcm boot enable; svcm boot disable removes it.
[Unit]
Description=PM2 of deploy, started by svcm
Documentation=man:systemd.service(5)
Wants=network-online.target
After=network-online.target
StartLimitIntervalSec=300
StartLimitBurst=5
X-Svcm-Replaced=a.service b.service
Conflicts=a.service b.service
After=a.service b.service

[Service]
Type=notify
NotifyAccess=all
User=deploy
Environment=PM2_HOME=/home/deploy/.pm2
Environment=HOME=/home/deploy
Environment=PATH=/opt/node/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
WorkingDirectory=/
ExecStart=/opt/node/bin/node /opt/$$svcm/run.js boot restore
ExecStop=/opt/node/bin/node /opt/$$svcm/run.js boot drain
KillMode=mixed
TimeoutStartSec=900
TimeoutStopSec=61
Restart=on-failure
RestartSec=1
RestartPreventExitStatus=75
LimitNOFILE=65536

[Install]
WantedBy=multi-user.target
`);
});

test("a unit of a user has neither", () => {
  const text = unitText({ ...input, scope: "user", linger: true });
  const absent = ["Wants=", "User=", "X-Svcm-Replaced", "Conflicts"];
  expect(absent.filter((word) => text.includes(word))).toEqual([]);
  expect(text).toContain("StartLimitBurst=5\nX-Svcm-Linger=yes\n\n[Service]\n");
  expect(text.endsWith("[Install]\nWantedBy=default.target\n")).toBe(true);
  expect(parseUnit(text)).toMatchObject({ user: null, madeLinger: true, replaced: [] });
  expect(parseUnit(unitText({ ...input, scope: "user" })).madeLinger).toBe(false);
});

test.each<[string, object]>([
  [
    "Environment=A=1 'B=2 3' \"C=4\" D=\\\\x E=a\\ b =no noValue",
    { environment: { A: "1", B: "2 3", C: "4", D: "\\x", E: "a b" } },
  ],
  ["Environment=A=\nEnvironment=B=1", { environment: { A: "", B: "1" } }],
  ['Environment="A=say \\"hi\\""', { environment: { A: 'say "hi"' } }],
  ["Environment=", { environment: {} }],
  ["EnvironmentFile=/etc/pm2", { hasEnvironmentFile: true }],
  ["EnvironmentFile=/etc/pm2\nEnvironmentFile=", { hasEnvironmentFile: false }],
  ["text\n# User=no\n; User=no\nUser=a\nUser=b", { user: "b", hasEnvironmentFile: false }],
  ["ExecStart=@-/bin/pm2 a\nExecStart=/bin/b", { commands: [["/bin/pm2", "a"], ["/bin/b"]] }],
  ["[Unit]\nUser=a\nX-Svcm-Linger=no", { user: null, madeLinger: false, commands: [] }],
])("of a unit with %j, what is read", (lines, expected) => {
  expect(parseUnit(`[Service]\n${lines}\n`)).toMatchObject(expected);
});

test.each<[readonly (readonly string[])[], object | undefined]>([
  [
    [["/bin/true"], ["/usr/bin/node", "/opt/svcm", "boot", "restore"]],
    { starts: "svcm", node: "/usr/bin/node", program: "/opt/svcm" },
  ],
  [[["/opt/svcm", "boot", "restore"]], { starts: "svcm", node: null, program: "/opt/svcm" }],
  [[["/opt/svcm", "boot", "status"]], undefined],
  [[["/opt/svcm", "plan", "restore"]], undefined],
  [[["/usr/bin/node"]], undefined],
  [[[]], undefined],
  [
    [["/usr/bin/node", "--flag", "/x/pm2", "resurrect"]],
    { starts: "saved list", node: "/usr/bin/node", program: "/x/pm2" },
  ],
  [[["/bin/sh", "-c", "pm2 resurrect"]], { starts: "other", node: null, program: null }],
])("the command %j starts %j", (commands, expected) => expect(findStart(commands)).toEqual(expected));

test("the specifiers of an instance are its name, with and without escapes", () => {
  const known = { folder: "/home/a", user: "a", instance: "blue" };
  expect(expandSpecifiers("%I %i %u", known)).toBe("blue blue a");
  expect(expandSpecifiers("%h %x %h", known)).toBeUndefined();
});

test("the unit that is written knows its own former one by name and scope", () => {
  const request = { user, home: HOME, saved: saved([online()]), program, digest: () => "a-b/c.d+e=fghij" };
  const ofRoot = (units: Parameters<typeof withUnits>[0]) => ({
    ...withUnits(units).system,
    current: { name: "root", uid: 0, folder: "/root" },
  });
  const replaced = ["pm2.service"];
  const plan = (more: object) =>
    planUnit({ ...request, system: ofRoot([unit({ isEnabled: false, replaced, ...more })]) }).replaced;
  expect([plan({}), plan({ scope: "user" }), plan({ name: "other" })]).toEqual([replaced, [], []]);
  expect(planUnit({ ...request, home: "/x", system: ofRoot([]) }).name).toBe("svcm-pm2-deploy-abcdefgh.service");
  // Without a kill_timeout, PM2's own is less than the least time.
  expect(planUnit({ ...request, system: ofRoot([]) }).text).toContain("TimeoutStopSec=60\n");
  const enabled = unit({ name: "pm2.service", isEnabled: true });
  const again = unit({ replaced: ["pm2.service"], isEnabled: true });
  expect(planUnit({ ...request, system: ofRoot([again, enabled]) }).replaced).toEqual(["pm2.service"]);
});

test("only root disables a unit of the system, and the reason is a sentence", () => {
  const own = { ...boot().system, current: user };
  const units = [unit({ name: "a" }), unit({ name: "b", scope: "user" })];
  expect(() => requireRights(own, user, ["b"], units)).not.toThrow();
  expect(() => requireRights(own, user, ["c"], units)).not.toThrow();
  const refusal = (details: string) =>
    expect.objectContaining({ body: { code: "BOOT_NEEDS_ROOT", details, hint: expect.any(String) } });
  expect(() => requireRights(own, user, ["b", "a"], units)).toThrow(
    refusal("A of the system starts the same PM2, and only root may disable it."),
  );
  expect(() => requireRights(own, { ...user, name: "ann", uid: 7 }, [], [])).toThrow(
    refusal("The unit of another user, ann, belongs to the system."),
  );
});
