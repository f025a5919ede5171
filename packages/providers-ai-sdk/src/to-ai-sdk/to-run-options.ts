import type { ChatMessage, ModelSettings, ReasoningEffort, RunOpts } from "@troupe/core";
import { readObject, readText } from "@troupe/core/kit";
import type { AiSdkAgentResult, AiSdkCall } from "./types.ts";

type Warnings = AiSdkAgentResult["warnings"];

/** AI SDK settings that runs do not support. */
const unsupported = ["topK", "presencePenalty", "frequencyPenalty"] as const;

/** Converts the settings of a call to options of a run. Adds a warning for each unsupported setting. */
export function toRunOptions(call: AiSdkCall, history: readonly ChatMessage[]): [RunOpts, Warnings] {
  const warnings: Warnings = [];
  for (const feature of unsupported) {
    if (call[feature] !== undefined) warnings.push({ type: "unsupported", feature });
  }
  if ((call.tools ?? []).length > 0) {
    warnings.push({ type: "unsupported", feature: "tools", details: "The agent has its own tools and executes them." });
  }
  const given = readRunOptions(call);
  if (given.sessionId !== undefined && history.some(({ role }) => role === "system")) {
    const details = "The session has its own history: only the last message is used.";
    warnings.push({ type: "unsupported", feature: "system", details });
  }
  const messages = given.sessionId === undefined ? { messages: history } : {};
  return [{ modelOptions: toSettings(call), signal: call.abortSignal, ...messages, ...given }, warnings];
}

/** Reads the run options in `providerOptions.troupe`. */
function readRunOptions({ providerOptions }: AiSdkCall): RunOpts {
  const { sessionId, userId, metadata } = readObject(providerOptions?.["troupe"]);
  return {
    ...(readText(sessionId) !== "" && { sessionId: readText(sessionId) }),
    ...(readText(userId) !== "" && { userId: readText(userId) }),
    ...(metadata !== undefined && { metadata: readObject(metadata) }),
  };
}

const efforts: readonly string[] = ["minimal", "low", "medium", "high", "xhigh"] satisfies ReasoningEffort[];

function toSettings(call: AiSdkCall): ModelSettings {
  const { temperature, topP, maxOutputTokens, stopSequences = [], seed, responseFormat, reasoning } = call;
  const settings = {
    temperature,
    topP,
    maxTokens: maxOutputTokens,
    stop: stopSequences.length > 0 ? stopSequences : undefined,
    seed,
    responseFormat: responseFormat?.type === "json" ? toFormat(responseFormat) : undefined,
    reasoning: toReasoning(reasoning),
  };
  return Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== undefined));
}

function toReasoning(reasoning: string | undefined): ModelSettings["reasoning"] {
  if (reasoning === "none") return { enabled: false };
  const effort = reasoning === "max" ? "xhigh" : (reasoning ?? "");
  return efforts.includes(effort) ? { enabled: true, effort: effort as ReasoningEffort } : undefined;
}

function toFormat({ schema, name }: NonNullable<AiSdkCall["responseFormat"]>) {
  if (schema === undefined) return "json" as const;
  return { type: "json_schema" as const, schema: { ...readObject(schema) }, ...(name !== undefined && { name }) };
}
