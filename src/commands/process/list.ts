import { processList, type ListedProcess } from "../../core/index.ts";
import { SvcmCommand } from "../base.ts";
import { ask } from "../terminal/ask.ts";
import { renderDuration } from "../terminal/duration.ts";
import { stdoutScreen } from "../terminal/screen.ts";
import { renderTable } from "../terminal/table.ts";

export default class ProcessList extends SvcmCommand {
  static override summary = "List the processes that PM2 knows.";
  static override description =
    "Asks the PM2 daemon of this user, or of PM2_HOME; none is started. Arguments and values of an environment are never shown.";
  static override examples = ["<%= config.bin %> process list", "<%= config.bin %> process list --json"];

  async run() {
    const { flags } = await this.parse(ProcessList);
    const response = await ask(processList, flags, {});
    if (!this.jsonEnabled()) this.log(await render(response.processes));
    return response;
  }
}

function render(processes: readonly ListedProcess[]): Promise<string> {
  if (processes.length === 0) return Promise.resolve("PM2 knows no process.");
  return renderTable(
    [
      { heading: "NAME", cell: ({ name }) => name },
      { heading: "ID", cell: ({ pmId }) => String(pmId) },
      { heading: "NAMESPACE", cell: ({ namespace }) => namespace },
      { heading: "STATUS", cell: ({ status }) => status },
      { heading: "PID", cell: ({ pid }) => (pid === null ? "-" : String(pid)) },
      { heading: "UPTIME", cell: ({ uptimeMs }) => (uptimeMs === null ? "-" : renderDuration(uptimeMs)) },
      { heading: "RESTARTS", cell: ({ restartCount }) => String(restartCount) },
      { heading: "SCRIPT", cell: ({ script }) => script ?? "-" },
    ],
    processes,
    stdoutScreen(),
  );
}
