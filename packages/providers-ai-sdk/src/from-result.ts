import type { ModelResponse, Source, ToolCall } from "@troupe/core";
import { parseArguments, readObject, readObjects, readText } from "@troupe/core/kit";
import { noUsage, readSource, TruncatedResponseError, stringifyArguments } from "@troupe/core/provider";
import { toFinishReason, toUsage } from "./finish.ts";
import { toReplay, toVendorState } from "./replay.ts";
import type { ReplayPart } from "./replay.ts";

type ModelName = { readonly providerId: string; readonly modelId: string };
type Part = Readonly<Record<string, unknown>>;

/** Converts a whole answer of an AI SDK model: the result of `doGenerate`. */
export function fromResult(result: unknown, model: ModelName): ModelResponse {
  const { content, finishReason, usage, response } = readObject(result);
  if (!Array.isArray(content)) throw new TruncatedResponseError("sent an answer that could not be read");
  const answer = new ReadContent(readObjects(content));
  const { id, modelId } = readObject(response);
  const vendorState = toVendorState(answer.replay, model);
  return {
    text: answer.textOf("text"),
    toolCalls: answer.toolCalls,
    ...(answer.malformedArguments.length > 0 && { malformedArguments: answer.malformedArguments }),
    ...(answer.skippedCalls > 0 && { skippedCalls: answer.skippedCalls }),
    ...(answer.textOf("reasoning") !== "" && { thinking: answer.textOf("reasoning") }),
    ...(answer.sources.length > 0 && { sources: answer.sources }),
    usage: toUsage(usage) ?? noUsage,
    finishReason: toFinishReason(finishReason, answer.toolCalls.length > 0),
    ...(vendorState !== undefined && { vendorState }),
    ...(readText(id) !== "" && { responseId: readText(id) }),
    ...(readText(modelId) !== "" && { model: readText(modelId) }),
  };
}

/** The parts of a whole answer. */
class ReadContent {
  readonly toolCalls: ToolCall[] = [];
  readonly malformedArguments: { toolCallId: string; text: string }[] = [];
  readonly sources: Source[] = [];
  readonly replay: ReplayPart[] = [];
  skippedCalls = 0;
  readonly #parts: readonly Part[];

  constructor(parts: readonly Part[]) {
    this.#parts = parts;
    for (const part of parts) {
      if (part["type"] === "source") this.sources.push(...readSource(part));
      if (part["type"] === "tool-call" && part["providerExecuted"] !== true) this.#addCall(part);
      const replay = toReplay(withInput(part));
      if (replay !== undefined) this.replay.push(replay);
    }
  }

  /** Returns the joined text of all parts of a type. */
  textOf(type: "text" | "reasoning"): string {
    return this.#parts.map((part) => (part["type"] === type ? readText(part["text"]) : "")).join("");
  }

  #addCall(part: Part): void {
    const [id, name] = [readText(part["toolCallId"]), readText(part["toolName"])];
    if (name === "") {
      this.skippedCalls += 1;
      return;
    }
    const text = inputText(part["input"]);
    const parsed = parseArguments(text);
    if (!parsed.ok) this.malformedArguments.push({ toolCallId: id, text });
    this.toolCalls.push({ id, name, arguments: parsed.ok ? parsed.value : {} });
  }
}

/**
 * Returns a part with its tool input parsed, which is the form for sending it back. The AI SDK returns the input as
 * text.
 */
export function withInput(part: Part): Part {
  if (part["type"] !== "tool-call") return part;
  const parsed = parseArguments(inputText(part["input"]));
  return { ...part, input: parsed.ok ? parsed.value : {} };
}

/** Returns the input of a tool call as text. Some packages return it parsed. */
export function inputText(input: unknown): string {
  return typeof input === "string" ? input : stringifyArguments(input);
}
