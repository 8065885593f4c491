/** What a sealed hour says, as it is stored: a JSON list, since the names of its members would take more room than they. */
import { z } from "zod";
import { PointHour } from "../../attestor/points/point.ts";
import { kindOf } from "./kinds.ts";

const MEMBERS = Object.keys(PointHour.shape) as (keyof PointHour)[];

/** @param series `premium/…` or `basis/…` */
export function contentText(series: string, hour: PointHour): string {
  const inputs = hour.inputs as Readonly<Record<string, unknown>> | null;
  const listed = inputs && Object.keys(kindOf(series).inputs.shape).map((member) => inputs[member]);
  return JSON.stringify(MEMBERS.map((member) => (member === "inputs" ? listed : hour[member])));
}

const List = z.array(z.unknown());

/** @throws ZodError for what `contentText` did not write; SyntaxError */
export function readContent(series: string, text: string): PointHour {
  const list = List.length(MEMBERS.length).parse(JSON.parse(text));
  const hour = Object.fromEntries(MEMBERS.map((member, index) => [member, list[index]]));
  return PointHour.parse({ ...hour, inputs: hour.inputs === null ? null : named(series, hour.inputs) });
}

function named(series: string, inputs: unknown) {
  const members = Object.keys(kindOf(series).inputs.shape);
  const list = List.length(members.length).parse(inputs);
  return Object.fromEntries(members.map((member, index) => [member, list[index]]));
}
