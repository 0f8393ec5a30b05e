import { defineOperation } from "../../access/operation.ts";
import { withAudit } from "../../access/with-audit.ts";
import { SvcmError } from "../../api/errors.ts";
import type { BootPorts } from "../ports.ts";

export interface BootSaveResponse {
  readonly path: string;
  readonly processes: number;
}

/** Saves PM2's list for the next boot, with a copy, both for their owner only. */
export const bootSave = defineOperation({
  id: "boot.save",
  access: "act",
  refusal: "INVALID_REQUEST",
  async run(ports: BootPorts, _input, caller): Promise<BootSaveResponse> {
    const { processes, savedLists } = ports;
    return await withAudit(
      ports,
      caller,
      () => ({ action: "boot.save" }),
      async (begin) => {
        const list = await processes.list();
        const { path, processes: saved } = await savedLists.read((value) => processes.digest(value));
        if (list.length === 0 && saved.length > 0)
          throw new SvcmError("PROCESS_ACTION_REFUSED", {
            code: "BOOT_SAVE_EMPTY",
            details: `PM2 runs no apps, and the saved list has ${saved.length} of them, which a save would remove.`,
            hint: "Bring them back: svcm boot restore. To empty the list: pm2 save --force.",
          });
        await begin();
        await processes.saveList();
        savedLists.makePrivate();
        return { path, processes: list.length };
      },
    );
  },
});
