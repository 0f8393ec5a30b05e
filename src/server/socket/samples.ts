import type { ServerFrame } from "../../core/api/frames.ts";
import type { Sample } from "../../core/index.ts";
import { toJson } from "../answer.ts";
import { SharedMessage } from "./shared-message.ts";

export type SampleFrames = (sample: Sample) => readonly SharedMessage[];

/** Serialises and compresses each sample once for all clients. */
export function serialiseOnce(): SampleFrames {
  const done = new WeakMap<Sample, readonly SharedMessage[]>();
  return (sample) => {
    const known = done.get(sample);
    if (known !== undefined) return known;
    const messages = framesOf(sample).map((frame) => new SharedMessage(toJson(frame)));
    done.set(sample, messages);
    return messages;
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
