import { parseArguments, readObject, readObjects, readText } from "@troupe/core/kit";
import { TruncatedResponseError } from "@troupe/core/provider";
import type { ModelResponse } from "@troupe/core";
import { toVendorError } from "./errors.ts";
import { toFinishReason, toUsage } from "./from-events.ts";
import { toVendorState } from "./replay.ts";
import type { WirePart } from "./wire-types.ts";

/** Converts a whole answer. Throws `VendorError` when it is an error, and `TruncatedResponseError` when it has no end. */
export function fromResponse(body: unknown, model: { providerId: string; modelId: string }): ModelResponse {
  const answer = readObject(body);
  if (answer["problem"] !== undefined) throw toVendorError(answer);
  const why = readText(answer["stop"]);
  if (why === "") throw new TruncatedResponseError("sent an answer without its end");
  const parts = readObjects(answer["parts"]);
  const thinking = parts.map((part) => readText(part["reasoning"])).join("");
  const calls = parts.map((part) => readObject(part["call"])).filter(({ name }) => readText(name) !== "");
  const read = calls.map((call) => ({ id: readText(call["id"]), args: readText(call["args"]), call }));
  const malformed = read.filter(({ args }) => !parseArguments(args).ok);
  const vendorState = toVendorState(parts as WirePart[], model);
  return {
    text: parts.map((part) => readText(part["text"])).join(""),
    toolCalls: read.map(({ id, args, call }) => {
      const parsed = parseArguments(args);
      return { id, name: readText(call["name"]), arguments: parsed.ok ? parsed.value : {} };
    }),
    ...(malformed.length > 0 && {
      malformedArguments: malformed.map(({ id, args }) => ({ toolCallId: id, text: args })),
    }),
    ...(thinking !== "" && { thinking }),
    usage: toUsage(answer["tokens"]),
    finishReason: toFinishReason(why),
    responseId: readText(answer["id"]),
    model: readText(answer["model"]),
    ...(vendorState !== undefined && { vendorState }),
  };
}
