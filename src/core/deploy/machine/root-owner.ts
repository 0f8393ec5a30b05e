/** A deploy root belongs to one PM2_HOME, one environment and one project, because its releases are kept and removed together. */
import { randomUUID } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { SvcmError } from "../../api/errors.ts";
import { readIfExists } from "../../files/system.ts";
import { replacePrivate } from "../../files/write.ts";
import { isSameProject, readProject, type OwnProject } from "../../project/service-folder.node.ts";
import { PROJECT_FILE } from "../../project/project.ts";
import { parseRecord } from "../../words/record.ts";
import { shellQuote } from "../../words/text.ts";
import type { Layout } from "../layout.ts";
import type { RootOwner, RootProject } from "../port-deploys.ts";
import { requireLink, requireRealReleases } from "./current-link.ts";

interface RecordedOwner extends Pick<RootOwner, "pm2Home" | "environment"> {
  /** Absent if an older svcm wrote it. */
  readonly project?: OwnProject & Pick<RootProject, "service">;
}

export async function claimRoot(layout: Layout, { pm2Home, environment, ...own }: RootOwner): Promise<void> {
  const { root, releases, shared, records } = layout;
  for (const [folder, mode] of [
    [releases, 0o755],
    [shared, 0o755],
    [records, 0o700],
  ] as const)
    await mkdir(folder, { recursive: true, mode });
  requireLink(layout);
  requireRealReleases(layout);
  const found = await readOwner(layout);
  if (found !== undefined && (found.pm2Home !== pm2Home || found.environment !== environment))
    throw taken(
      root,
      `belongs to the environment ${found.environment} in ${found.pm2Home}; this deploy is for ${environment} in ${pm2Home}. A build contains values of its environment.`,
      "Give this environment its own PM2_HOME, or its own deploy.root in svcm.yaml.",
    );
  await requireOwnProject(layout, own);
  const project = { ...readProject(own.checkout), service: own.service };
  if (found?.project !== undefined && !isMoved(found.project, project)) return;
  const path = ownerPath(layout);
  const text = JSON.stringify({ pm2Home, environment, project });
  await replacePrivate({ target: path, path, nonce: randomUUID() }, Buffer.from(text));
}

/** Otherwise a plan of one project would compare with the release of another one. */
export async function requireOwnProject(layout: Layout, { checkout, service, services }: RootProject): Promise<void> {
  const { project } = (await readOwner(layout)) ?? {};
  if (project === undefined) return;
  const own = readProject(checkout);
  const isOtherService = service !== "" && service !== project.service && services.includes(project.service);
  if ((isSameProject(project, own) || isMoved(project, own)) && !isOtherService) return;
  const [theirs, ours] = isOtherService
    ? [`the service ${project.service}`, `the service ${service}`]
    : [`the project in ${project.root}`, `the one in ${own.root}`];
  throw taken(
    layout.root,
    `belongs to ${theirs}, and this is ${ours}. A root has the releases of one of them.`,
    `Name another folder as deploy.root in svcm.yaml. If that project is no longer deployed there: rm ${shellQuote(ownerPath(layout))}`,
  );
}

/** In its repository, to the folder where its svcm.yaml is now. */
function isMoved(from: OwnProject, to: OwnProject): boolean {
  const isOfOne = from.repository !== undefined && from.repository === to.repository && from.folder !== to.folder;
  return isOfOne && !existsSync(join(from.root, PROJECT_FILE)) && existsSync(join(to.root, PROJECT_FILE));
}

function ownerPath({ records }: Layout): string {
  return join(records, "owner.json");
}

async function readOwner(layout: Layout): Promise<RecordedOwner | undefined> {
  const text = (await readIfExists(ownerPath(layout)))?.toString("utf8") ?? "";
  return parseRecord(text) as RecordedOwner | undefined;
}

function taken(root: string, why: string, hint: string): SvcmError {
  return new SvcmError("DEPLOY_REFUSED", {
    code: "DEPLOY_ROOT_TAKEN",
    path: root,
    details: `The deploy root ${root} ${why}`,
    hint,
  });
}
