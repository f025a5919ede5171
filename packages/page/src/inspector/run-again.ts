import { EventBus, TroupeError } from "@troupe/core";
import type { FinishReason, ModelProvider, StreamChunk, TokenUsage, ToolCall } from "@troupe/core";
import type { ModelCallOptions } from "@troupe/core/provider";
import type { RunView } from "@troupe/core/runs";
import { normalizeUsage, readKeyHeaders, resolveRunOpts, Run, RunExecution } from "@troupe/core/transport";
import type { Exchange, RunWork, Service } from "@troupe/core/transport";
import type { InspectedModelCall, RepeatedModelCall } from "./inspected-run.ts";
import { toShownJson } from "./shown-json.ts";

/** The models with which a model call may be made again, by the names that viewers see. */
export type OfferedModels = Readonly<Record<string, ModelProvider>>;

/** Largest size of the body of a request: a name and a system prompt. */
const maxBodyBytes = 256_000;

type Messages = Parameters<ModelProvider["generate"]>[0];
type Options = NonNullable<Parameters<ModelProvider["generate"]>[1]>;

/** A kept model call, the run that has made it, and what is needed to make it again. */
export type RepeatableCall = {
  readonly call: InspectedModelCall;
  readonly run: Pick<RunView, "name" | "kind">;
  /** The agent, team or workflow of the run. Its event bus gets the events of the new call. */
  readonly runnable: object | undefined;
  readonly models: OfferedModels;
  readonly service: Service;
};

/**
 * Makes a kept model call again, with another model or another system prompt, and sends the answer. It is a single
 * request to a model: no tool is called and nothing is stored, so the results of tools are those of the first run. It is
 * made as a run of the caller, with the keys of the request, so that its usage counts as the caller's.
 */
export async function sendCallAgain(exchange: Exchange, repeatable: RepeatableCall): Promise<void> {
  const { call, models, service } = repeatable;
  const { model: name, system } = readWish(await exchange.readJsonObject({ maxBytes: maxBodyBytes }));
  const model = Object.hasOwn(models, name) ? models[name] : undefined;
  if (model === undefined) throw new TroupeError("not_found", "The inspector does not offer a model of this name.");
  if (call.isCut === true) throw new TroupeError("conflict", "This model call is not kept as a whole.");
  const { genericApiKeyHeader, telemetry } = service.settings;
  const leaving = new AbortController();
  const stopListening = exchange.onClose(() => leaving.abort());
  const opts = {
    ...exchange.principal,
    ...readKeyHeaders(exchange.headers, { genericApiKeyHeader }),
    ...(telemetry !== undefined && { telemetry: service.telemetryFor(exchange.headers) }),
    fromOutside: true,
    signal: leaving.signal,
  };
  const settings = resolveRunOpts(opts, { providerId: model.providerId });
  const run = new Run({ name: repeatable.run.name, input: "", settings, eventBus: busOf(repeatable.runnable), model });
  const work = new RepeatedCall(run, { model, messages: messagesOf(call, system), options: optionsOf(call) });
  exchange.record.runId = run.runId;
  try {
    const { text, thinking, usage, durationMs } = await new RunExecution(run, work).run();
    exchange.recordUsage(usage);
    const body: RepeatedModelCall = {
      model: model.modelId,
      text,
      ...(thinking !== undefined && { thinking }),
      calls: work.toolCalls.map((each) => ({ tool: each.name, args: toShownJson(each.arguments) })),
      usage,
      durationMs: Math.round(durationMs),
    };
    exchange.sendJson(200, body);
  } finally {
    stopListening();
  }
}

/** Returns the event bus of a runnable, or a new one for a runnable that this release does not have. */
function busOf(runnable: { readonly eventBus?: EventBus } = {}): EventBus {
  return runnable.eventBus ?? new EventBus();
}

type Request = { readonly model: ModelProvider; readonly messages: Messages; readonly options: Options };

/** The work of a run that makes one model call. The tool calls that the model asks for are recorded and not made. */
class RepeatedCall implements RunWork {
  toolCalls: readonly ToolCall[] = [];
  readonly #run: Run;
  readonly #request: Request;

  constructor(run: Run, request: Request) {
    this.#run = run;
    this.#request = request;
  }

  async begin(): Promise<AsyncGenerator<StreamChunk, FinishReason>> {
    return this.#ask();
  }

  async *#ask(): AsyncGenerator<StreamChunk, FinishReason> {
    yield* [];
    const run = this.#run;
    const { model, messages, options } = this.#request;
    const end = model.providerIds === undefined ? run.modelCalls.begin(model)?.(1) : undefined;
    try {
      const response = await model.generate(messages, { ...options, ...callOptionsOf(run, model), signal: run.signal });
      const usage = normalizeUsage(response.usage);
      run.meter.add(usage);
      end?.({ usage, responseId: response.responseId });
      run.text = response.text;
      run.thinking = response.thinking ?? "";
      this.toolCalls = response.toolCalls;
      return response.finishReason;
    } catch (error) {
      end?.({ error });
      throw error;
    }
  }
}

/**
 * Returns the caller's key for the vendor of a model. A model that calls other models gets the keys of their vendors, and
 * reports each of its calls.
 */
function callOptionsOf(run: Run, { providerId, providerIds }: ModelProvider): ModelCallOptions {
  const apiKey = run.keyFor(providerId);
  const own = apiKey === undefined ? {} : { apiKey };
  if (providerIds === undefined) return own;
  const apiKeys = Object.fromEntries(providerIds.map((id) => [id, run.keyFor(id)]));
  const onLostUsage = (usage: TokenUsage): void => run.meter.add(usage);
  return { ...own, apiKeys, onModelCall: run.modelCalls.beginPassedOn(), onLostUsage };
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
