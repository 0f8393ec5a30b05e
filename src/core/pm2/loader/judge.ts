import type { LoadedApp } from "../loaded.ts";
import { isRecord } from "../../words/record.ts";
import { errorMessage } from "../../words/thrown.ts";
import { askPm2 } from "./ask-pm2.ts";
import { examineApp } from "./examine-app.ts";

/** @param pm2 the folder of PM2's code; if it is empty, PM2's validation is left out */
export function judgeApp(app: LoadedApp, pm2: string): LoadedApp {
  return { ...app, checks: { ...examineApp(app), ...(pm2 !== "" && { refusals: answerOf(() => askPm2(app, pm2)) }) } };
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
