export type ExecMode = "fork" | "cluster";
