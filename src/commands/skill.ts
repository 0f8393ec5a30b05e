import { SvcmCommand } from "./base.ts";

export default class Skill extends SvcmCommand {
  static override summary = "Print the instructions of this version for a program that works with svcm.";
  static override description =
    "A skill file: how to find a fault, how to propose a repair, and what a user decides. It needs no network.";
  static override examples = ["<%= config.bin %> skill", "<%= config.bin %> skill > .claude/skills/svcm/SKILL.md"];

  async run() {
    await this.parse(Skill);
    const { renderSkill } = await import("../mcp/skill.ts");
    const { version } = this.config;
    const skill = renderSkill(version);
    this.logExactly(skill.trimEnd());
    return { version, skill };
  }
}
