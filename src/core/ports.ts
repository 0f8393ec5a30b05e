/**
 * The outside world as the core sees it. Each room says what it needs by the `Has` interfaces of its functions; only the
 * front door and the tests need the whole list.
 */
import type { HasEffects } from "./env/port-effects.ts";
import type { HasWorkspace, HasFacts } from "./project/port-repository.ts";
import type { HasFiles, HasStamps, HasRevisions, HasClock, HasHost, HasMachine } from "./files/ports.ts";
import type { HasSurvey } from "./setup/detect/survey.ts";
import type { HasEcosystems } from "./pm2/ports.ts";
import type { HasAudit, HasTokens } from "./access/ports.ts";
import type { HasProposals } from "./approvals/port-proposals.ts";
import type { HasProcesses } from "./pm2/port-processes.ts";
import type { HasBootOutlook, HasDeployed, HasHealth } from "./rollout/port-deployed.ts";
import type { HasReleases } from "./rollout/ports.ts";
import type { HasDeploys } from "./deploy/port-deploys.ts";
import type { HasRunningCode } from "./running/port-running-code.ts";
import type { HasProcessLogs, HasLogs } from "./logs/port-logs.ts";
import type { HasSchedules, HasDaemons, HasSavedLists } from "./pm2/port-daemons.ts";
import type { HasLogCare } from "./logs/care/log-care.ts";
import type { HasSightings, HasEventFeed } from "./events/ports.ts";
import type { HasAsyncContext, HasTelemetry } from "./metrics/telemetry.ts";
import type { HasInstallation } from "./setup/ports.ts";
import type { HasUnits } from "./boot/ports.ts";
import type { HasHistoryFiles, HasPrometheus, HasRecorder } from "./history/port-history.ts";
import type { HasAlertRecords, HasMarks, HasNotifier, HasAlerting } from "./alerts/ports.ts";

export interface Ports
  extends
    HasEffects,
    HasWorkspace,
    HasFacts,
    HasFiles,
    HasSurvey,
    HasRevisions,
    HasEcosystems,
    HasAudit,
    HasClock,
    HasHost,
    HasProcesses,
    HasProposals,
    HasReleases,
    HasDeploys,
    HasBootOutlook,
    HasDeployed,
    HasRunningCode,
    HasTokens,
    HasProcessLogs,
    HasSchedules,
    HasLogs,
    HasLogCare,
    HasSightings,
    HasEventFeed,
    HasMachine,
    HasAsyncContext,
    HasHealth,
    HasStamps,
    HasInstallation,
    HasTelemetry,
    HasHistoryFiles,
    HasPrometheus,
    HasRecorder,
    HasAlertRecords,
    HasMarks,
    HasNotifier,
    HasAlerting,
    HasDaemons,
    HasSavedLists,
    HasUnits {}
