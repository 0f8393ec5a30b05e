import { targetEdit, targetFields } from "../../core/index.ts";
import { SvcmCommand } from "../base.ts";
import { targetArgs, targetFlags, fieldValues } from "../terminal/entry-flags.ts";
import { clearFlag, documentFlags } from "../terminal/flags.ts";
import { editDocument, requireChange } from "../terminal/document-edits.ts";

export default class TargetsEdit extends SvcmCommand {
  static override summary = "Edit a deploy target in deployments.yaml.";
  static override description =
    "Only the lines of the given fields change; comments, order and unknown keys stay. svcm changes nothing implicitly: when you move a target to a functions provider, also pass --clear pm2Profile. A legacy entry is migrated at the same time.";
  static override examples = [
    "<%= config.bin %> targets edit staging --runtime node24",
    "<%= config.bin %> targets edit edge --name edge-eu",
    "<%= config.bin %> targets edit production --deploy-target lambda --service-type functions --runtime-protocol http --clear pm2Profile",
  ];
  static override args = targetArgs;
  static override flags = {
    ...targetFlags,
    clear: clearFlag("field", "pm2Profile"),
    ...documentFlags,
  };

  async run() {
    const { args, flags } = await this.parse(TargetsEdit);
    const values = fieldValues(flags, targetFields);
    requireChange(values, flags.clear, `svcm targets edit ${args.target} --runtime node24`);
    return editDocument(this, flags, {
      operation: targetEdit,
      input: { name: args.target, values, clear: flags.clear },
      fields: targetFields,
      describeResult: ({ target, file }) => `Changed ${target} in ${file}`,
    });
  }
}
