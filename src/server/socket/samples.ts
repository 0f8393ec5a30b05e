import type { ServerFrame } from "../../core/contract/frames.ts";
import type { Sample } from "../../core/index.ts";
import { toJson } from "../answer.ts";

/** The frames of a sample as bytes. */
export type SampleFrames = (sample: Sample) => readonly Buffer[];

/** Serialises each sample once, however many clients it goes to. */
export function serialiseOnce(): SampleFrames {
  const done = new WeakMap<Sample, readonly Buffer[]>();
  return (sample) => {
    const known = done.get(sample);
    if (known !== undefined) return known;
    const frames = framesOf(sample).map((frame) => Buffer.from(toJson(frame)));
    done.set(sample, frames);
    return frames;
  };
}

function framesOf(sample: Sample): ServerFrame[] {
  if (sample.kind === "metrics") return [{ type: "metrics", payload: sample.payload }];
  const { payload, error } = sample;
  return [
    { type: "host", payload },
    { type: "error", ...error },
  ];
}
