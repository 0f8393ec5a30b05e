import type { HasClock, HasHost } from "../files/ports.ts";
import type { HasFacts, HasWorkspace } from "../project/port-repository.ts";
import type { HasBootOutlook } from "../rollout/port-deployed.ts";
import type { HasTelemetry } from "../metrics/telemetry.ts";
import type { AlertMessage, Mark } from "../api/alerts.ts";
import type { AlertSettings } from "../project/project.ts";
import type { AlertRecord } from "./alert-record.ts";

/** The ports of the larger functions of this room. */
export interface AlertsPorts
  extends
    HasAlertRecords,
    HasBootOutlook,
    HasClock,
    HasFacts,
    HasHost,
    HasMarks,
    HasNotifier,
    HasTelemetry,
    HasWorkspace {}

/** Sends the messages that `alerts` in `svcm.yaml` declares. Errors never contain a URL or a secret. */
export interface Notifier {
  /** Sends to the declared webhook and command. @throws {SvcmError} ALERT_FAILED */
  send(settings: AlertSettings, message: AlertMessage): Promise<void>;

  /** Requests the heartbeat URL once, if declared. @throws {SvcmError} ALERT_FAILED */
  sendHeartbeat(settings: AlertSettings): Promise<void>;

  /** Names of declared variables that are not set, or do not contain an http or https URL. */
  missingVariables(settings: AlertSettings): readonly string[];
}

/** Watches the conditions of one server and reports them until it is stopped. */
export interface Alerting {
  start(settings: AlertSettings, onProblem: (error: unknown) => void): void;
  stop(): Promise<void>;
}

/** The mutes and notes, in `.svcm/marks.json`. */
export interface Marks {
  /** Also mutes that have ended. @throws {SvcmError} MARKS_FAILED */
  read(): Promise<readonly Mark[]>;

  /** Replaces them in one locked transaction. @throws {SvcmError} MARKS_FAILED; errors of `decide` pass through */
  change(decide: (all: readonly Mark[]) => readonly Mark[]): Promise<readonly Mark[]>;
}

export interface HasMarks {
  /** Few commands need them, so the others do not load their code. */
  readonly marks: () => Promise<Marks>;
}

export interface HasNotifier {
  readonly notifier: Notifier;
}

export interface HasAlerting {
  readonly alerting: Alerting;
}

/** The reported alerts and the messages that wait, in `.svcm/alerts.json`: the next server goes on with them. */
export interface AlertRecords {
  /** `undefined` if there is none. @throws {SvcmError} ALERT_FAILED */
  read(): Promise<AlertRecord | undefined>;

  /** @throws {SvcmError} ALERT_FAILED */
  save(record: AlertRecord): Promise<void>;
}

export interface HasAlertRecords {
  readonly alertRecords: () => Promise<AlertRecords>;
}
