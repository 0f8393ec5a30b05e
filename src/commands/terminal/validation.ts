/** What the commands that validate have in common: their flags, and how they tell the verdict. */
import { hostname } from "node:os";
import * as Flags from "@oclif/core/flags";
import {
  MAX_FILE_BYTES,
  renderReport,
  reportFormats,
  suiteCheck,
  type SuiteCheckResponse,
  type suiteSections,
} from "../../core/index.ts";
import type { SvcmCommand } from "../base.ts";
import { ask } from "./ask.ts";
import { readIn } from "./input.ts";
import { paint } from "./paint.ts";
import { stdoutScreen } from "./screen.ts";

const declared = { default: "deployments.yaml", helpValue: "<file>" };

export const fileFlag = Flags.string({ ...declared, summary: "Suite document, relative to the repository root." });

export const validationFlags = {
  file: Flags.string({
    ...declared,
    summary: "Suite document, relative to the repository root; - reads standard input.",
  }),
  "stdin-filename": Flags.string({
    summary: "What standard input is called in the report, for example deployments.yaml.",
    default: "<stdin>",
    helpValue: "<file>",
  }),
  format: Flags.option({ options: reportFormats, summary: "How to report: for people, or for another tool." })({
    default: "text",
  }),
};

interface Asked {
  readonly root?: string | undefined;
  readonly file: string;
  readonly "stdin-filename": string;
  readonly format: (typeof reportFormats)[number];
}

/** Validates a document, or one section of it. The verdict is also the exit code: 1 where it is no. */
export async function tellVerdict(
  command: SvcmCommand,
  flags: Asked,
  section?: (typeof suiteSections)[number],
): Promise<SuiteCheckResponse> {
  const isPiped = flags.file === "-";
  const file = isPiped ? flags["stdin-filename"] : flags.file;
  const content = isPiped ? await readIn(MAX_FILE_BYTES) : undefined;
  const { response, report } = await ask(suiteCheck, flags, { file, content, section });
  if (!response.valid) command.answerNo();
  if (command.jsonEnabled()) return response;
  const context = { version: command.config.version, now: Date.now(), hostname: hostname() };
  const isSilent = flags.format === "text" && response.issues.length === 0;
  if (isSilent) command.log(`${response.file} is valid.`);
  else
    command.log(await renderReport(report, flags.format, { ...context, paint: await paint(stdoutScreen().colours) }));
  return response;
}
