import { TroupeError } from "@troupe/core";
import type { ModelProvider } from "@troupe/core";
import type { Exchange } from "@troupe/core/transport";
import type { InspectedModelCall, RepeatedModelCall } from "./inspected-run.ts";
import { toShownJson } from "./shown-json.ts";

/** The models with which a model call may be made again, by the names that viewers see. */
export type OfferedModels = Readonly<Record<string, ModelProvider>>;

/** Largest size of the body of a request: a name and a system prompt. */
const maxBodyBytes = 256_000;

type Messages = Parameters<ModelProvider["generate"]>[0];
type Options = NonNullable<Parameters<ModelProvider["generate"]>[1]>;

/**
 * Makes a kept model call again, with another model or another system prompt, and sends the answer. It is a single
 * request to a model: no tool is called and nothing is stored, so the results of tools are those of the first run.
 */
export async function sendCallAgain(
  exchange: Exchange,
  call: InspectedModelCall,
  models: OfferedModels,
): Promise<void> {
  const { model: name, system } = readWish(await exchange.readJsonObject({ maxBytes: maxBodyBytes }));
  const model = Object.hasOwn(models, name) ? models[name] : undefined;
  if (model === undefined) throw new TroupeError("not_found", "The inspector does not offer a model of this name.");
  if (call.isCut === true) throw new TroupeError("conflict", "This model call is not kept as a whole.");
  const leaving = new AbortController();
  const stopListening = exchange.onClose(() => leaving.abort());
  const began = performance.now();
  try {
    const { text, thinking, toolCalls, usage } = await model.generate(messagesOf(call, system), {
      ...optionsOf(call),
      signal: leaving.signal,
    });
    const body: RepeatedModelCall = {
      model: model.modelId,
      text,
      ...(thinking !== undefined && { thinking }),
      calls: toolCalls.map((each) => ({ tool: each.name, args: toShownJson(each.arguments) })),
      usage,
      durationMs: Math.round(performance.now() - began),
    };
    exchange.sendJson(200, body);
  } finally {
    stopListening();
  }
}

function readWish(body: Readonly<Record<string, unknown>> = {}): { model: string; system: string | undefined } {
  const { model, system, ...rest } = body;
  const [unknown] = Object.keys(rest);
  if (unknown !== undefined)
    throw invalid(`Unknown field ${JSON.stringify(unknown.slice(0, 64))} in the body. Expected model or system.`);
  if (typeof model !== "string")
    throw invalid("model must be a string: the name of a model that the inspector offers.");
  if (system !== undefined && typeof system !== "string") throw invalid("system must be a string.");
  return { model, system };
}

function invalid(message: string): TroupeError {
  return new TroupeError("invalid_request", message);
}

/** Returns the messages of the call. A given system prompt is sent in place of its own; an empty one is left out. */
function messagesOf({ system: own, messages }: InspectedModelCall, given: string | undefined): Messages {
  const prompts = given === undefined ? own : [given].filter((each) => each !== "");
  return [...prompts.map((content) => ({ role: "system", content })), ...messages] as Messages;
}

/** Returns the settings of the call in the form in which models take them. */
function optionsOf({ settings, tools }: InspectedModelCall): Options {
  const { temperature, topP, maxTokens, stop, seed, reasoningEffort, outputType } = settings as Record<string, never>;
  const given = { temperature, topP, maxTokens, stop, seed };
  return {
    ...(Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)) as Options),
    ...(reasoningEffort !== undefined && {
      reasoning: { enabled: reasoningEffort !== "none", effort: reasoningEffort },
    }),
    ...(outputType === "json" && { responseFormat: "json" }),
    ...(tools.length > 0 && { tools: tools as unknown as NonNullable<Options["tools"]> }),
  };
}
