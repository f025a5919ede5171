import type { ResponseFormat } from "@troupe/core";
import type { RequestContext } from "./request-context.ts";
import type { WireRequest } from "./wire-types.ts";

/** The form of the answer: what the server holds the model to, and what the model is told of it. */
export type Format = { format?: NonNullable<WireRequest["format"]>; instruction?: string };

const jsonAlone = "Answer with JSON alone: one value, with no words and no code fence around it.";

/**
 * Turns `responseFormat` into what the server takes. The model is told in words too: it is held to the form without being
 * shown it, and one that was not asked for JSON can fill an answer with blanks.
 */
export function toFormat(wanted: ResponseFormat | undefined, hasTools: boolean, { drop }: RequestContext): Format {
  if (wanted === undefined || wanted === "text") return {};
  const format = wanted === "json" ? "json" : wanted.schema;
  const instruction =
    format === "json" ? jsonAlone : `${jsonAlone} It must fit this JSON Schema:\n${JSON.stringify(format)}`;
  if (!hasTools) return { format, instruction };
  drop("the form of the answer", "held to it, the model could not call its tools; it is told of it in words");
  return { instruction };
}
