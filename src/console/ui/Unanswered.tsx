import type { JSX } from "preact";
import type { Problem } from "../data/request-error.ts";
import { ProblemLine } from "./Problem.tsx";
import { StatusRegion } from "./StatusLine.tsx";

export function Unanswered({ problem, retry }: { problem: Problem | undefined; retry: () => void }): JSX.Element {
  return <StatusRegion>{problem && <ProblemLine problem={problem} retry={retry} />}</StatusRegion>;
}
