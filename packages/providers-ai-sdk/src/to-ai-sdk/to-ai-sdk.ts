import { createId, functionOption, optional, readOptions } from "@troupe/core/kit";
import type { OptionTable } from "@troupe/core/kit";
import type { MessageContent, Runnable, RunOpts } from "@troupe/core";
import { readPrompt } from "./read-prompt.ts";
import { RunParts, toContent, toFinish } from "./run-parts.ts";
import { toRunOptions } from "./to-run-options.ts";
import type { AiSdkAgentModel, AiSdkAgentPart, AiSdkAgentResult, AiSdkCall, ToAiSdkOptions } from "./types.ts";

const optionTable = {
  runOptions: optional(functionOption<NonNullable<ToAiSdkOptions["runOptions"]>>()),
} satisfies OptionTable<ToAiSdkOptions>;

/**
 * Makes a language model of the AI SDK (specification v4) from an agent, a team or another runnable, for
 * `generateText`, `streamText` and everything built on them. One call is one run: the agent calls its own tools, which
 * appear in the answer as executed. The messages of the call are the history of the run, unless
 * `providerOptions.troupe.sessionId` names a session.
 */
export function toAiSdk(agent: Runnable, options: ToAiSdkOptions = {}): AiSdkAgentModel {
  const { runOptions } = readOptions(optionTable, options, { owner: "toAiSdk" });
  return new AgentModel(agent, runOptions);
}

type PreparedRun = { input: MessageContent; runOpts: RunOpts; runId: string; warnings: AiSdkAgentResult["warnings"] };

class AgentModel implements AiSdkAgentModel {
  readonly specificationVersion = "v4";
  readonly provider = "troupe";
  readonly modelId: string;
  /** All URLs are declared supported, so that they reach the agent's model, which fetches or rejects them. */
  readonly supportedUrls = { "*/*": [/^https?:\/\//] };
  readonly #agent: Runnable;
  readonly #runOptions: ToAiSdkOptions["runOptions"];

  constructor(agent: Runnable, runOptions: ToAiSdkOptions["runOptions"]) {
    this.modelId = agent.name;
    this.#agent = agent;
    this.#runOptions = runOptions;
  }

  async doGenerate(call: AiSdkCall): Promise<AiSdkAgentResult> {
    const { input, runOpts, runId, warnings } = await this.#prepare(call);
    const output = await this.#agent.run(input, runOpts);
    const { sessionId } = output;
    return {
      content: toContent(output),
      ...toFinish("stop", output.usage),
      response: { id: runId, modelId: this.modelId },
      providerMetadata: { troupe: { runId, ...(sessionId !== undefined && { sessionId }) } },
      warnings,
    };
  }

  async doStream(call: AiSdkCall): Promise<{ stream: ReadableStream<AiSdkAgentPart> }> {
    const { input, runOpts, runId, warnings } = await this.#prepare(call);
    const run = this.#agent.stream(input, runOpts);
    const chunks = run[Symbol.asyncIterator]();
    const parts = new RunParts();
    const { modelId } = this;
    // Reads chunks of the run until one becomes a part, because a `ReadableStream` pulls again only after it received a
    // part.
    const pullParts = async (controller: ReadableStreamDefaultController<AiSdkAgentPart>): Promise<void> => {
      for (let read: AiSdkAgentPart[] = []; read.length === 0;) {
        const step = await chunks.next();
        if (step.done === true) return controller.close();
        read = parts.read(step.value);
        for (const part of read) controller.enqueue(part);
      }
    };
    const stream = new ReadableStream<AiSdkAgentPart>({
      start(controller) {
        controller.enqueue({ type: "stream-start", warnings });
        controller.enqueue({ type: "response-metadata", id: runId, modelId });
      },
      async pull(controller) {
        try {
          await pullParts(controller);
        } catch (error) {
          controller.enqueue({ type: "error", error });
          controller.close();
        }
      },
      async cancel() {
        await chunks.return?.();
      },
    });
    return { stream };
  }

  async #prepare(call: AiSdkCall): Promise<PreparedRun> {
    const { input, history } = readPrompt(call.prompt);
    const [given, warnings] = toRunOptions(call, history);
    const own = await this.#runOptions?.(call);
    const runId = own?.runId ?? createId();
    return { input, runOpts: { ...given, ...own, runId }, runId, warnings };
  }
}
