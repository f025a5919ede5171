import type { Source } from "../base/message/source.ts";
import type { TokenUsage } from "../base/message/token-usage.ts";
import type { ToolCall } from "../base/message/tool-call.ts";
import type { AnsweringModel, FinishReason } from "./model-chunk.ts";
import type { VendorState } from "./vendor-state.ts";

/**
 * The whole answer of one model call: returned by `generate` of a provider, or collected from the chunks of its stream.
 */
export type ModelResponse = {
  text: string;
  /** The tool calls in the model's order. A call whose arguments could not be read has empty arguments here. */
  toolCalls: ToolCall[];
  /** The text of arguments that were truncated or are not a JSON object. Such a call must not be executed. */
  malformedArguments?: { toolCallId: string; text: string }[];
  /** The number of the model's tool calls that were omitted because they name no tool; absent if there are none. */
  skippedCalls?: number;
  thinking?: string;
  /** The pages and documents that the answer is based on, as reported by the vendor. */
  sources?: Source[];
  usage: TokenUsage;
  finishReason: FinishReason;
  /** The vendor's state for the next model call of the run. */
  vendorState?: VendorState;
  /** The vendor's id of the response. */
  responseId?: string;
  /** The vendor's name of the model that answered. */
  model?: string;
  /** The model that answered, set by a model that calls other models. */
  answeredBy?: AnsweringModel;
};
