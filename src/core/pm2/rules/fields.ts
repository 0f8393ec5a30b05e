import type { Finding } from "../../findings/rule.ts";
import { suggest } from "../../words/suggest.ts";
import { defined } from "../../words/defined.ts";
import type { Data } from "../loaded.ts";
import { first, isRecord, spellings } from "../normalise.ts";
import { isPm2Field, pm2Fields } from "../pm2-fields.ts";
import type { CheckedApp, EcosystemRule } from "../rule.ts";

interface Expectation {
  readonly field: string;
  readonly names?: readonly string[];
  readonly expected: string;
  readonly accepts: (value: Data) => boolean;
}

const isText = (value: Data): boolean => typeof value === "string";
const isList = (value: Data): boolean => Array.isArray(value) || isText(value);

const EXPECTATIONS: readonly Expectation[] = [
  { field: "name", expected: "text", accepts: isText },
  { field: "script", names: spellings.script, expected: "text", accepts: isText },
  { field: "cwd", expected: "text", accepts: isText },
  { field: "namespace", expected: "text", accepts: isText },
  { field: "args", expected: "a list or text", accepts: isList },
  { field: "interpreter", names: spellings.interpreter, expected: "text", accepts: isText },
  { field: "interpreter_args", names: spellings.interpreterArgs, expected: "a list or text", accepts: isList },
  {
    field: "instances",
    expected: 'a number or "max"',
    accepts: (value) => typeof value === "number" || (typeof value === "string" && /^(?:max|-?\d+)$/.test(value)),
  },
  {
    field: "exec_mode",
    names: spellings.execMode,
    expected: "fork or cluster",
    accepts: (value) => /^(?:fork|cluster)(?:_mode)?$/.test(typeof value === "string" ? value : ""),
  },
  { field: "env", expected: "an object", accepts: isRecord },
];

export const fieldTypes: EcosystemRule = {
  code: "ECOSYSTEM_FIELD_TYPE",
  severity: "error",
  summary: "A field has a type that PM2 refuses; PM2 then refuses the whole file.",
  remedy: "Give the field a value of the type that the message names.",
  check: ({ apps }) =>
    apps.flatMap((app) =>
      EXPECTATIONS.flatMap(({ field, names = [field], expected, accepts }): Finding[] => {
        const value = first(app.fields, names);
        if (value === undefined || accepts(value)) return [];
        const path = ["apps", app.index, names.find((name) => Object.hasOwn(app.fields, name)) ?? field];
        return [{ path, message: `${app.label}: ${field} is not ${expected}; PM2 refuses the whole file` }];
      }),
    ),
};

export const unknownFields: EcosystemRule = {
  code: "ECOSYSTEM_FIELD_UNKNOWN",
  severity: "warning",
  summary: "PM2 does not know the field and silently ignores it (warning).",
  remedy: "Correct the spelling, or delete the field.",
  check: ({ apps }) =>
    apps.flatMap((app) => app.keys.filter((key) => !isPm2Field(key)).map((key) => unknownField(app, key))),
};

function unknownField({ label, index }: CheckedApp, key: string): Finding {
  const isEnvFile = /^env_?file$/i.test(key);
  const advice = isEnvFile ? '; for Node.js write node_args: ["--env-file=<absolute path>"]' : "";
  return {
    path: ["apps", index, key],
    message: `${label}: PM2 knows no field "${key}" and ignores it${advice}`,
    ...defined({ suggestion: isEnvFile ? undefined : suggest(key, pm2Fields()) }),
  };
}

/** The derived command passes no `--env`. */
export const envBlocks: EcosystemRule = {
  code: "ECOSYSTEM_ENV_BLOCK_UNUSED",
  severity: "warning",
  summary: "A block `env_<name>` is read only with `--env <name>` (warning).",
  explanation:
    "Each environment has its own ecosystem file, and the derived command passes no `--env`, so the block has no effect.",
  remedy: "Move its keys to `env`.",
  check: ({ apps }) =>
    apps.flatMap(({ index, label, keys }) =>
      keys
        .filter((key) => /^env_\S+$/.test(key) && !/^env_?file$/i.test(key))
        .map((key) => ({
          path: ["apps", index, key],
          message: `${label}: ${key} is read only with --env ${key.slice(4)}, which the derived command does not pass; use env`,
        })),
    ),
};

export const clusterInterpreter: EcosystemRule = {
  code: "ECOSYSTEM_CLUSTER_INTERPRETER",
  severity: "warning",
  summary: "An app in cluster mode has an interpreter other than Node.js, which PM2 ignores (warning).",
  explanation: "PM2 forks the workers of a cluster from its own daemon, so they all run the daemon's Node.js.",
  remedy: 'Set `exec_mode: "fork"`, or remove the interpreter.',
  check: ({ apps }) =>
    apps
      .filter(({ declared }) => declared.execMode === "cluster" && !/(?:^|\/)node$/.test(declared.interpreter))
      .map(({ index, label, declared }) => ({
        path: ["apps", index, "interpreter"],
        message: `${label}: in cluster mode PM2 runs its own Node.js and ignores the interpreter ${declared.interpreter}; use exec_mode: "fork" or leave the interpreter out`,
      })),
};
