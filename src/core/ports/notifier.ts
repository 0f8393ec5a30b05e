import type { AlertMessage } from "../api/alerts.ts";
import type { AlertSettings } from "../project/project.ts";

/** Sends what leaves the machine for `alerts` of `svcm.yaml`. Errors never hold an address or a secret. */
export interface Notifier {
  /** Sends to the webhook and the command that are declared. @throws {SvcmError} ALERT_FAILED */
  send(settings: AlertSettings, message: AlertMessage): Promise<void>;

  /** Asks the heartbeat's address once, if one is declared. @throws {SvcmError} ALERT_FAILED */
  beat(settings: AlertSettings): Promise<void>;

  /** Names of declared variables that are not set, or hold no http or https URL. */
  missing(settings: AlertSettings): readonly string[];
}

/** Watches the conditions of one server and reports them, until it is stopped. */
export interface Alerting {
  start(settings: AlertSettings, onProblem: (error: unknown) => void): void;
  stop(): Promise<void>;
}
