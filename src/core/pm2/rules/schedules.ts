import type { Finding } from "../../findings/rule.ts";
import { fieldNames, firstValue } from "../normalise.ts";
import type { CheckedApp, EcosystemRule } from "./rule.ts";

export const cronZones: EcosystemRule = {
  code: "ECOSYSTEM_CRON_ZONE",
  severity: "warning",
  summary: "The app sets `TZ`, but PM2 counts its schedule in the time zone of the daemon (warning).",
  remedy: "Write the hour of the daemon's time zone, or start PM2's daemon with that `TZ`.",
  check: ({ apps }) =>
    apps.flatMap((app): Finding[] => {
      const { TZ: zone } = app.normal.env;
      const here = app.checks?.timeZone;
      if (patternOf(app) === undefined || zone === undefined || here === undefined || zone === here) return [];
      const message = `${app.label}: cron_restart counts in the time zone of PM2's daemon (on this machine ${here}), not in TZ=${zone} of the app`;
      return [{ path: ["apps", app.index, "cron_restart"], message }];
    }),
};

export const cronDays: EcosystemRule = {
  code: "ECOSYSTEM_CRON_DAYS",
  severity: "warning",
  summary: "The schedule names a day of the month and a weekday; for PM2 both must match, unlike for cron (warning).",
  remedy: "Write `*` for one of them, or use two apps.",
  check: ({ apps }) =>
    apps.flatMap((app): Finding[] => {
      const pattern = patternOf(app);
      const fields = pattern?.trim().split(/\s+/) ?? [];
      const [day = "*", , weekday = "*"] = fields.slice(-3);
      if (fields.length < 5 || [day, weekday].some((field) => /^[*?]/.test(field))) return [];
      const message = `${app.label}: cron_restart ${JSON.stringify(pattern)} runs only if the day of the month and the weekday both match; cron would run on either`;
      return [{ path: ["apps", app.index, "cron_restart"], message }];
    }),
};

function patternOf({ fields }: CheckedApp): string | undefined {
  const pattern = firstValue(fields, fieldNames.cron);
  return typeof pattern === "string" ? pattern : undefined;
}
