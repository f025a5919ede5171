import { Agent, createLogger, InMemoryStorage, TroupeError } from "@troupe/core";
import { createService, serve } from "@troupe/core/service";
import { ScriptedModel } from "@troupe/core/testing";
import { openaiApi } from "@troupe/openai-api";
import { makeWeather } from "./weather-agent.ts";

/** A model whose stream ends with a failure in the middle of its answer. */
class FailingModel extends ScriptedModel {
  override async *stream(): ReturnType<ScriptedModel["stream"]> {
    yield { type: "text", text: "Well, " };
    throw await Promise.resolve(new TroupeError("model_failed", "The model failed."));
  }
}

/** A model that writes until its run is cancelled. */
class EndlessModel extends ScriptedModel {
  override async *stream(...[, options]: Parameters<ScriptedModel["stream"]>): ReturnType<ScriptedModel["stream"]> {
    yield { type: "text", text: "Well, " };
    await new Promise((resolve) => options?.signal?.addEventListener("abort", resolve, { once: true }));
    options?.signal?.throwIfAborted();
  }
}

/** A model that calls the first tool that it gets, and tells its result. */
const asking = new ScriptedModel().respond(({ messages, options }) => {
  const last = messages.at(-1);
  const name = options.tools?.[0]?.name ?? "";
  return last?.role === "tool" ? `It is ${JSON.stringify(last.content)}.` : { toolCalls: [{ name, arguments: {} }] };
});

/**
 * Serves the agents `weather`, whose tool runs in the service, `clock`, which calls its client's tool, `form`, which
 * answers with JSON, `failing` and `endless`. `looked` has the calls of the tool in the service.
 */
export async function serveOpenAiAgents(): Promise<{ url: string; looked: unknown[]; close: () => Promise<void> }> {
  const { agent: weather, looked } = makeWeather(new InMemoryStorage());
  const clock = new Agent({ name: "clock", model: asking, storage: new InMemoryStorage() });
  const form = new Agent({ name: "form", model: new ScriptedModel().respond(() => '{"city":"Tromsø"}') });
  const failing = new Agent({ name: "failing", model: new FailingModel() });
  const endless = new Agent({ name: "endless", model: new EndlessModel() });
  const logger = createLogger({ level: "silent" });
  const service = createService({ agents: { weather, clock, form, failing, endless }, logger });
  const { url } = await serve(service, [openaiApi()], { port: 0, host: "127.0.0.1" });
  return { url, looked, close: async () => await service.close({ graceMs: 0 }) };
}
