import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { findUnits } from "../../../src/core/boot/unit-files.node.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

const UNIT = "[Service]\nUser=deploy\nEnvironment=PM2_HOME=/home/deploy/.pm2\nExecStart=/bin/true resurrect\n";
const deploy = { name: "deploy", uid: 1001, folder: "/home/deploy" };

/** The files of a machine; a path that ends in `.wants/...` is a link. */
function machine(files: Readonly<Record<string, string>>): string {
  const root = temporaryFolder();
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    if (path.includes(".wants/")) symlinkSync(text, join(root, path));
    else writeFileSync(join(root, path), text);
  }
  return root;
}

function found(files: Readonly<Record<string, string>>) {
  const search = { root: machine(files), pm2Home: "/home/deploy/.pm2", owner: deploy };
  return findUnits({ ...search, findUser: (name) => (name === "deploy" ? deploy : { name, uid: 0, folder: "/root" }) });
}

const ETC = "/etc/systemd/system";
const WANTS = `${ETC}/multi-user.target.wants`;
const pm2Unit = UNIT.replace("/bin/true", "/gone/bin/pm2");

test("a unit of PM2 is found, with what it lacks, and enabled only by a link", () => {
  const [unit] = found({ [`${ETC}/pm2-deploy.service`]: pm2Unit });
  expect(unit).toMatchObject({
    starts: "saved list",
    isEnabled: false,
    isOfHome: true,
    missingProgram: "/gone/bin/pm2",
  });
  const [enabled] = found({
    [`${ETC}/pm2-deploy.service`]: pm2Unit,
    [`${WANTS}/pm2-deploy.service`]: "../pm2-deploy.service",
  });
  expect(enabled?.isEnabled).toBe(true);
});

test("a unit without PM2 does not count, and neither does one of another user's PM2", () => {
  expect(found({ [`${ETC}/web.service`]: UNIT.replace("/bin/true", "/usr/bin/web") })).toEqual([]);
  const other = pm2Unit.replaceAll("deploy", "ann").replace("/home/ann", "/srv/ann");
  expect(found({ [`${ETC}/pm2-ann.service`]: other })).toEqual([]);
});

test("a masked unit does not count", () => {
  const root = machine({ [`${ETC}/x.service`]: "" });
  symlinkSync("/dev/null", join(root, `${ETC}/pm2-deploy.service`));
  mkdirSync(join(root, "/usr/lib/systemd/system"), { recursive: true });
  writeFileSync(join(root, "/usr/lib/systemd/system/pm2-deploy.service"), pm2Unit);
  expect(findUnits({ root, pm2Home: "/home/deploy/.pm2", owner: deploy, findUser: () => deploy })).toEqual([]);
});

test("a drop-in changes the user, and an administrator's file takes the place of the package's", () => {
  const [unit] = found({
    "/usr/lib/systemd/system/pm2-deploy.service": pm2Unit.replace("User=deploy", "User=nobody"),
    [`${ETC}/pm2-deploy.service`]: pm2Unit,
    [`${ETC}/pm2-deploy.service.d/user.conf`]: "[Service]\nUser=root\n",
  });
  expect(unit).toMatchObject({ path: expect.stringContaining(ETC) as unknown, user: "root" });
});

test("an instance of a template is a unit", () => {
  const template = pm2Unit.replace("User=deploy", "User=%i").replace("/home/deploy/.pm2", "/home/%i/.pm2");
  const units = found({
    [`${ETC}/pm2@.service`]: template.replace("User=%i", "User=deploy"),
    [`${WANTS}/pm2@deploy.service`]: "../pm2@.service",
  });
  expect(units).toMatchObject([{ name: "pm2@deploy.service", isEnabled: true, isOfHome: true }]);
});

test("a unit of a user needs lingering", () => {
  const folder = "/home/deploy/.config/systemd/user";
  const text = "[Service]\nExecStart=/gone/pm2 resurrect\n";
  const files = { [`${folder}/pm2.service`]: text, [`${folder}/default.target.wants/pm2.service`]: "../pm2.service" };
  expect(found(files)).toMatchObject([{ scope: "user", user: "deploy", isLingering: false, isOfHome: true }]);
  expect(found({ ...files, "/var/lib/systemd/linger/deploy": "" })).toMatchObject([{ isLingering: true }]);
});

test("a home from a file of variables is unknown", () => {
  const text = "[Service]\nUser=deploy\nEnvironmentFile=/etc/pm2\nExecStart=/gone/pm2 resurrect\n";
  expect(found({ [`${ETC}/pm2.service`]: text })).toMatchObject([{ home: null, isOfHome: false }]);
});

test("PM2's script needs a node in the PATH of the unit", () => {
  const folder = temporaryFolder();
  const program = join(folder, "pm2");
  writeFileSync(program, "#!/usr/bin/env node\n");
  chmodSync(program, 0o755);
  const text = UNIT.replace("/bin/true", program);
  const withPath = (path: string) =>
    found({ [`${ETC}/pm2.service`]: text.replace("User=", `Environment=PATH=${path}\nUser=`) });
  expect(withPath(folder)).toMatchObject([{ missingNode: "node", missingProgram: null }]);
  writeFileSync(join(folder, "node"), "");
  expect(withPath(folder)).toMatchObject([{ missingNode: null }]);
});

test("a path with a percent sign is the path that it stands for", () => {
  const folder = join(temporaryFolder(), "100%");
  mkdirSync(folder);
  writeFileSync(join(folder, "pm2"), "#!/bin/sh\n");
  const text = UNIT.replace("/bin/true", join(folder, "pm2").replace("%", "%%"));
  expect(found({ [`${ETC}/pm2.service`]: text })).toMatchObject([{ missingProgram: null }]);
});

test("a template alone starts nothing, and an instance with its own file has the content of that", () => {
  const template = pm2Unit.replace("User=deploy", "User=%i");
  expect(found({ [`${ETC}/pm2@.service`]: template })).toEqual([]);
  const [own] = found({
    [`${ETC}/pm2@.service`]: template,
    [`${ETC}/pm2@deploy.service`]: pm2Unit.replace("/gone/bin/pm2", "/own/pm2"),
    [`${WANTS}/pm2@deploy.service`]: "../pm2@.service",
  });
  expect(own).toMatchObject({ name: "pm2@deploy.service", missingProgram: "/own/pm2" });
  expect(found({ [`${WANTS}/other.service`]: "../none.service" })).toEqual([]);
});

test("of several drop-ins, the last one by name decides, wherever it is", () => {
  const [unit] = found({
    [`${ETC}/pm2.service`]: pm2Unit,
    [`${ETC}/pm2.service.d/10-a.conf`]: "[Service]\nUser=root\n",
    "/usr/lib/systemd/system/pm2.service.d/20-b.conf": "[Service]\nUser=deploy\n",
    "/usr/lib/systemd/system/pm2.service.d/30-c.txt": "[Service]\nUser=root\n",
  });
  expect(unit?.user).toBe("deploy");
});

test("a program that needs no node in the PATH lacks none", () => {
  const folder = temporaryFolder();
  const text = (start: string) => UNIT.replace("/bin/true", start).replace("User=", "Environment=PATH=/none\nUser=");
  writeFileSync(join(folder, "pm2"), "#!/bin/sh\n");
  mkdirSync(join(folder, "late"));
  writeFileSync(join(folder, "late/pm2"), `${" ".repeat(80)}#!/usr/bin/env node`);
  for (const name of ["pm2", "late/pm2"])
    expect(found({ [`${ETC}/pm2.service`]: text(join(folder, name)) })).toMatchObject([{ missingNode: null }]);
  const script = `/none/node ${join(folder, "pm2")}`;
  expect(found({ [`${ETC}/pm2.service`]: text(script) })).toMatchObject([
    { missingNode: "/none/node", missingProgram: null },
  ]);
});
