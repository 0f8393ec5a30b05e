import type { LoadedApp } from "../loaded.ts";
import { isRecord } from "../../words/record.ts";
import { errorMessage } from "../../words/thrown.ts";
import { askPm2 } from "./ask-pm2.ts";
import { examineApp } from "./examine-app.ts";

export function judgeApp(app: LoadedApp): LoadedApp {
  return { ...app, checks: { ...examineApp(app), refusals: answerOf(() => askPm2(app)) } };
}

/** A part of the file that PM2 reads beside the apps. */
export function judgeFile(exported: unknown): string[] {
  const { static: servers } = isRecord(exported) ? exported : {};
  return servers && !Array.isArray(servers) ? ['"static" is not a list'] : [];
}

function answerOf(ask: () => string[]): string[] {
  try {
    return ask();
  } catch (error) {
    return [`PM2 cannot be asked: ${errorMessage(error)}`];
  }
}
