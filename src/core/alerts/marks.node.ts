import { join } from "node:path";
import { deliveryFile, withFileErrors } from "../files/private-files.ts";
import { parseMarks, renderMarks } from "./marks.ts";
import { parseAlertRecord } from "./alert-record.ts";
import type { AlertRecords, Marks } from "./ports.ts";

/** @param folder that of svcm's own files */
export function nodeMarks(folder: string): Marks {
  const path = join(folder, "marks.json");
  const file = deliveryFile(path);
  return {
    read: () => withFileErrors("MARKS_FAILED", path, async () => parseMarks(await file.read(), path)),
    change: (decide) =>
      withFileErrors("MARKS_FAILED", path, () =>
        file.change(async (content, save) => {
          const next = decide(parseMarks(content, path));
          await save(renderMarks(next));
          return next;
        }),
      ),
  };
}

/** @param folder that of svcm's own files */
export function nodeAlertRecords(folder: string): AlertRecords {
  const path = join(folder, "alerts.json");
  const file = deliveryFile(path);
  return {
    read: () => withFileErrors("ALERT_FAILED", path, async () => parseAlertRecord(await file.read(), path)),
    save: (record) =>
      withFileErrors("ALERT_FAILED", path, () => file.change((_, save) => save(`${JSON.stringify(record)}\n`))),
  };
}
