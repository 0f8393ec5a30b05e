import { SvcmError } from "../api/errors.ts";
import { baseName, relativePath } from "../words/text.ts";
import { mapValues } from "../words/record.ts";
import { PROJECT_FILE, type Project, type Service } from "./project.ts";
import { resolvePath } from "./resolve.ts";

export const CONFIG_VARIABLE = "SVC_SERVICE_MANAGEMENT_CONFIG_DIR";
export const PM2_VARIABLE = "SVC_SERVICE_MANAGEMENT_PM2_DIR";

/** Absolute folders; absent where the variable is not set. */
export type FolderVariables = Readonly<Partial<Record<typeof CONFIG_VARIABLE | typeof PM2_VARIABLE, string>>>;

/**
 * The files that `svcm.yaml` names, in the folders of the variables. A folder in the root stays relative, because
 * each revision and release has its own root.
 * @throws {SvcmError} FACT_INVALID if two files would become one
 * @see CONTRACT section 9
 */
export function applyFolderVariables(project: Project, root: string, variables: FolderVariables): Project {
  const origins = new Map<string, string>();
  const move = ({ folder }: Service, file: string, variable: keyof FolderVariables): string => {
    const own = variables[variable];
    if (own === undefined) return file;
    const base = resolvePath(root, folder);
    const [from, to] = [resolvePath(base, file), `${own}/${baseName(file)}`];
    const origin = origins.get(to) ?? from;
    if (origin !== from) throw sameFile(variable, `${origin} and ${from}`, root);
    origins.set(to, from);
    return to.startsWith(`${root}/`) ? relativePath(base, to) : to;
  };
  const services = mapValues(project.services, (service) => ({
    ...service,
    env: mapValues(service.env, (source) => ({
      ...source,
      layers: source.layers.map((layer) => move(service, layer, CONFIG_VARIABLE)),
    })),
    ecosystem: mapValues(service.ecosystem, (sources) =>
      sources.map((source) => ({ ...source, file: move(service, source.file, PM2_VARIABLE) })),
    ),
  }));
  return { ...project, services };
}

function sameFile(variable: string, files: string, root: string): SvcmError {
  return new SvcmError("FACT_INVALID", {
    code: "FOLDER_VARIABLE_AMBIGUOUS",
    path: `${root}/${PROJECT_FILE}`,
    details: `With ${variable}, ${files} would be one file. Accepted: a folder for files of different names.`,
    hint: `Unset ${variable}; svcm.yaml names the folders.`,
  });
}

export interface OverriddenFolder {
  readonly variable: string;
  readonly folder: string;
  /** The files of `svcm.yaml` that are taken from the folder. */
  readonly files: number;
}

export function overriddenFolders({ services }: Project, variables: FolderVariables): OverriddenFolder[] {
  const all = Object.values(services);
  const counts = {
    [CONFIG_VARIABLE]: all.flatMap(({ env }) => Object.values(env).flatMap(({ layers }) => layers)).length,
    [PM2_VARIABLE]: all.flatMap(({ ecosystem }) => Object.values(ecosystem).flat()).length,
  };
  return ([CONFIG_VARIABLE, PM2_VARIABLE] as const).flatMap((variable) => {
    const folder = variables[variable];
    return folder === undefined ? [] : [{ variable, folder, files: counts[variable] }];
  });
}

export function overrideText({ variable, folder, files }: OverriddenFolder): string {
  const kind = variable === CONFIG_VARIABLE ? "env" : "ecosystem";
  return files === 0
    ? `${variable} has no effect, because svcm.yaml names no ${kind} file`
    : `${variable} wins over svcm.yaml: its ${kind} files are those in ${folder}`;
}
