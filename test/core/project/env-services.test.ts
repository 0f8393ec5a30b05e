import { expect, test } from "vitest";
import { envServices, servicesAround } from "../../../src/core/project/env-layers.ts";
import type { Project } from "../../../src/core/project/project.ts";

const folders = { main: ".", api: "apps/api", admin: "./apps/api/admin/", docs: "apps/api-docs" };
const services = Object.fromEntries(Object.entries(folders).map(([name, folder]) => [name, { folder }]));
const project = { services } as unknown as Project;

test.each([
  ["main", "/srv/app", ["main"]],
  ["main", "/srv/app/tools", ["main"]],
  ["main", "/srv/app/apps/api", ["main", "api"]],
  ["main", "/srv/app/apps/api/src", ["main", "api"]],
  ["main", "/srv/app/apps/api/admin", ["main", "admin"]],
  ["main", "/srv/app/apps/api-docs", ["main", "docs"]],
  ["main", "/srv/apps/api", ["main"]],
  ["api", "/srv/app/apps/api", ["api"]],
  ["api", "/srv/app/apps/api/admin", ["api", "admin"]],
  ["api", "/srv/app", ["api"]],
])("an app of %s in %s reads the env files of %j", (service, cwd, expected) => {
  expect(envServices(project, "/srv/app", { service, cwd })).toEqual(expected);
});

test.each([
  ["main", ["main"]],
  ["api", ["api", "main"]],
  ["admin", ["admin", "api", "main"]],
  ["docs", ["docs", "main"]],
  ["gone", ["gone", "main"]],
])("the apps of %s may be declared by %j", (service, expected) => {
  expect(servicesAround(project, service)).toEqual(expected);
});

test("without svcm.yaml, there is only the service without a name", () => {
  expect(envServices(undefined, "/srv/app", { service: "", cwd: "/srv/app/apps/api" })).toEqual([""]);
});
