import { suggest } from "../../words/suggest.ts";
import type { Data } from "../loaded.ts";
import { first, isRecord, spellings } from "../normalise.ts";
import { isPm2Field, pm2Fields } from "../pm2-fields.ts";
import type { CheckedApp, EcosystemRule, Finding } from "../rule.ts";

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

/** PM2 refuses the whole file for one field of the wrong type. */
export const fieldTypes: EcosystemRule = ({ apps }) =>
  apps.flatMap((app) =>
    EXPECTATIONS.flatMap(({ field, names = [field], expected, accepts }): Finding[] => {
      const value = first(app.fields, names);
      if (value === undefined || accepts(value)) return [];
      const path = ["apps", app.index, names.find((name) => Object.hasOwn(app.fields, name)) ?? field];
      const message = `${app.label}: ${field} is not ${expected}; PM2 refuses the whole file`;
      return [{ code: "ECOSYSTEM_FIELD_TYPE", path, message }];
    }),
  );

/** A field that PM2 does not know does nothing, without a word. */
export const unknownFields: EcosystemRule = ({ apps }) =>
  apps.flatMap((app) => app.keys.filter((key) => !isPm2Field(key)).map((key) => unknownField(app, key)));

function unknownField({ label, index }: CheckedApp, key: string): Finding {
  const suggestion = suggest(key, pm2Fields());
  const advice = /^env_?file$/i.test(key) ? '; for Node.js write node_args: ["--env-file=<absolute path>"]' : "";
  return {
    code: "ECOSYSTEM_FIELD_UNKNOWN",
    severity: "warning",
    path: ["apps", index, key],
    message: `${label}: PM2 knows no field "${key}" and ignores it${advice}`,
    ...(suggestion !== undefined && advice === "" && { suggestion }),
  };
}

/** PM2 forks the workers of a cluster from its daemon. */
export const clusterInterpreter: EcosystemRule = ({ apps }) =>
  apps
    .filter(({ declared }) => declared.execMode === "cluster" && !/(?:^|\/)node$/.test(declared.interpreter))
    .map(({ index, label, declared }) => ({
      code: "ECOSYSTEM_CLUSTER_INTERPRETER",
      severity: "warning",
      path: ["apps", index, "interpreter"],
      message: `${label}: in cluster mode PM2 runs its own Node.js and ignores the interpreter ${declared.interpreter}; use exec_mode: "fork" or leave the interpreter out`,
    }));

/** The command that svcm derives names no block. */
export const envBlocks: EcosystemRule = ({ apps }) =>
  apps.flatMap(({ index, label, keys }) =>
    keys
      .filter((key) => /^env_\S+$/.test(key) && !/^env_?file$/i.test(key))
      .map((key) => ({
        code: "ECOSYSTEM_ENV_BLOCK_UNUSED",
        severity: "warning",
        path: ["apps", index, key],
        message: `${label}: ${key} is read only with --env ${key.slice(4)}, which the derived command does not pass; use env`,
      })),
  );
