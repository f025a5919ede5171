import type { ResponseFormat } from "@troupe/core";
import type { RequestContext } from "./request-context.ts";
import type { WireRequest } from "./wire-types.ts";

/**
 * The request for JSON: the format that the server enforces, and an instruction for the model. Both are absent if text
 * is wanted.
 */
export type Format = { format?: NonNullable<WireRequest["format"]>; instruction?: string };

const jsonAlone = "Answer with JSON alone: one value, with no words and no code fence around it.";

/**
 * Converts the option `responseFormat`. The model gets an instruction too, because the server enforces the format
 * without showing it. A model that was not asked for JSON may fill the answer with blanks. With tools, there is only
 * the instruction.
 */
export function toFormat(
  wanted: ResponseFormat | undefined,
  hasTools: boolean,
  { reportReplaced }: RequestContext,
): Format {
  if (wanted === undefined || wanted === "text") return {};
  const format = wanted === "json" ? "json" : wanted.schema;
  const instruction =
    format === "json" ? jsonAlone : `${jsonAlone} It must fit this JSON Schema:\n${JSON.stringify(format)}`;
  if (!hasTools) return { format, instruction };
  reportReplaced("the form of the answer", "held to it, the model could not call its tools; it is told of it in words");
  return { instruction };
}
