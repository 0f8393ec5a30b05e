import { join } from "node:path";
import { SvcmError } from "../api/errors.ts";
import { FileError } from "../files/port-files.ts";
import { deliveryFile } from "../files/private-files.ts";
import { parseMarks, renderMarks } from "./marks.ts";
import type { Marks } from "./port-alerts.ts";

/** @param folder that of svcm's own files */
export function nodeMarks(folder: string): Marks {
  const path = join(folder, "marks.json");
  const file = deliveryFile(path);
  return {
    read: () => withMarkErrors(path, async () => parseMarks(await file.read(), path)),
    change: (decide) =>
      withMarkErrors(path, () =>
        file.change(async (content, save) => {
          const next = decide(parseMarks(content, path));
          await save(renderMarks(next));
          return next;
        }),
      ),
  };
}

async function withMarkErrors<T>(path: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof FileError)) throw error;
    throw new SvcmError("MARKS_FAILED", { code: error.code, path, details: error.message });
  }
}
