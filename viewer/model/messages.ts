// Messages over their size, as time and as bandwidth.
import type { Axis } from "./figure";

export type MessageKind = "time" | "bandwidth";

export const MESSAGE_KINDS: MessageKind[] = ["time", "bandwidth"];

const AXES: Record<MessageKind, Axis> = {
  time: { title: "one-way time", unit: "s", scale: "log10" },
  bandwidth: { title: "bandwidth", unit: "B/s", scale: "log10" },
};

export function messageAxes(kind: MessageKind): { x: Axis; y: Axis } {
  return { x: { title: "message", unit: "B", scale: "log2" }, y: AXES[kind] };
}

export function messageTitle(kind: MessageKind): string {
  return kind === "time" ? "Time of a message over its size" : "Bandwidth over message size";
}
