import { join } from "node:path";
import { deliveryFile, withFileErrors } from "../files/private-files.ts";
import { parseMarks, renderMarks } from "./marks.ts";
import type { Marks } from "./ports.ts";

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
