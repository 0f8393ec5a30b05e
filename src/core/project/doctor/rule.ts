import type { Finding, Rule } from "../../findings/rule.ts";
import type { Examined } from "./examined.ts";

export interface DoctorFinding extends Finding {
  /** The file that it is about, relative to the root; absent for `svcm.yaml` and for no file. */
  readonly file?: string;
}

export type DoctorRule = Rule<Examined, DoctorFinding>;
