import type { ModelProvider } from "../../../model/model-provider.ts";
import type { ModelChunk } from "../../../model/model-chunk.ts";
import { collectResponse } from "../../../model/response-collector.ts";
import type { ModelCallOptions } from "../../../model/model-config.ts";
import type { ModelResponse } from "../../../model/model-response.ts";
import type { RunContext } from "../../run/run-context.ts";
import { ScriptedModel } from "../../../testing/scripted-model.ts";
import { defineTool } from "../../tool/define-tool.ts";
import type { ToolDef, ToolReturn } from "../../run/tool.ts";
import { Agent } from "../agent.ts";
import type { AgentConfig } from "../agent-config.ts";

type Turns = ConstructorParameters<typeof ScriptedModel>;

/** An agent with a model that follows this script. */
export function scripted(turns: Turns, config: Partial<AgentConfig> = {}): { agent: Agent; model: ScriptedModel } {
  const model = new ScriptedModel(...turns);
  return { agent: new Agent({ name: "helper", model, ...config }), model };
}

/** A tool with one argument, `at`, and this execute. */
export function toolNamed(
  name: string,
  execute: (at: string, context: RunContext) => ToolReturn | Promise<ToolReturn>,
  more: Partial<ToolDef> = {},
): ToolDef {
  return defineTool({
    name,
    description: "Does something at a place.",
    parameters: { type: "object", properties: { at: { type: "string" } }, required: ["at"] },
    execute: ({ at }, context) => execute(String(at), context),
    ...more,
  });
}

/** A tool that returns that it saw the place. */
export const look: ToolDef = toolNamed("look", (at) => `${at} seen`);

/** A call of `look`, or of the named tool. */
export function callOf(
  id: string,
  at = "Oslo",
  name = "look",
): { id: string; name: string; arguments: { at: string } } {
  return { id, name, arguments: { at } };
}

/** A model that streams the given chunks, also malformed ones; its whole answer is collected from them. */
export class StreamingModel implements ModelProvider {
  readonly providerId: string = "streaming";
  readonly modelId: string = "streaming-1";
  readonly calls: ModelCallOptions[] = [];
  readonly #streamAnswer: (options: ModelCallOptions) => AsyncIterable<ModelChunk>;

  constructor(streamAnswer: (options: ModelCallOptions) => AsyncIterable<ModelChunk>) {
    this.#streamAnswer = streamAnswer;
  }

  async generate(_messages: unknown, options: ModelCallOptions = {}): Promise<ModelResponse> {
    this.calls.push(options);
    return await collectResponse(this.#streamAnswer(options));
  }

  stream(_messages: unknown, options: ModelCallOptions = {}): AsyncIterable<ModelChunk> {
    this.calls.push(options);
    return this.#streamAnswer(options);
  }
}

/** A model whose whole responses are these, also malformed ones. */
export function answering(...responses: unknown[]): ModelProvider {
  return {
    providerId: "odd",
    modelId: "odd-1",
    generate: async () => responses.shift() as ModelResponse,
    stream: () => {
      throw new Error("This model does not stream.");
    },
  };
}

/** A scripted model of a vendor with this id, and the keys that it was called with. */
export class NamedModel extends ScriptedModel {
  override readonly providerId: string;
  override readonly modelId: string;

  constructor(providerId: string, ...answers: ConstructorParameters<typeof ScriptedModel>) {
    super(...answers);
    this.providerId = providerId;
    this.modelId = `${providerId}-1`;
  }

  get keys(): unknown[] {
    return this.calls.map(({ options }) => options.apiKey);
  }
}
