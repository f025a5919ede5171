import type { ChatMessage } from "../../../base/message/message.ts";
import { getTextContent } from "../../../base/message/content.ts";
import type { ModelCallOptions } from "../../../model/model-config.ts";
import type { ModelProvider } from "../../../model/model-provider.ts";
import type { ModelResponse } from "../../../model/model-response.ts";
import { collectResponse } from "../../../model/response-collector.ts";
import type { ModelChunk } from "../../../model/model-chunk.ts";
import type { RandomCall, RandomRun, RandomTurn } from "./random-runs.ts";

/** A mark in every text of a run, by which its texts are recognised. */
export function markOf(run: number): string {
  return `<run ${run}>`;
}

/** Waits for a number of microtasks. */
export async function pause(turns: number): Promise<void> {
  for (let turn = 0; turn < turns; turn++) await Promise.resolve();
}

/** A model that follows the script of each run, recognised by the mark of its input, and records the billed usage. */
export class RandomModel implements ModelProvider {
  readonly providerId: string = "random";
  readonly modelId: string = "random-1";
  readonly requests: { run: number; messages: readonly ChatMessage[]; options: ModelCallOptions }[] = [];
  /** The tokens of each complete answer, by run. */
  readonly billed: number[][];
  readonly #turns: RandomTurn[][];

  constructor(runs: readonly RandomRun[]) {
    this.billed = runs.map(() => []);
    this.#turns = runs.map(({ turns }) => [...turns]);
  }

  async generate(messages: readonly ChatMessage[], options: ModelCallOptions = {}): Promise<ModelResponse> {
    return await collectResponse(this.stream(messages, options));
  }

  async *stream(messages: readonly ChatMessage[], options: ModelCallOptions = {}): AsyncGenerator<ModelChunk, void> {
    const run = runOf(messages);
    this.requests.push({ run, messages: [...messages], options });
    const turn = this.#turns[run]?.shift() ?? lastTurn;
    for (const chunk of chunksOf(turn, run)) {
      await pause(turn.pause);
      options.signal?.throwIfAborted();
      yield chunk;
    }
    if (turn.end === "error") throw new Error("The vendor broke.");
    if (turn.end === "finish") yield this.#finish(turn, run);
  }

  #finish({ tokens, calls, reason }: RandomTurn, run: number): ModelChunk {
    this.billed[run]?.push(tokens > 0 ? tokens : 0);
    const usage = { promptTokens: tokens, completionTokens: 0, totalTokens: tokens };
    return { type: "finish", finishReason: calls.length > 0 ? "tool_calls" : reason, usage };
  }
}

/** Returns the run with the user's last message as its input. */
function runOf(messages: readonly ChatMessage[]): number {
  const input = getTextContent(messages.findLast(({ role }) => role === "user")?.content ?? null);
  return Number(/\d+/.exec(input)?.[0]);
}

const lastTurn: RandomTurn = {
  thinking: false,
  pieces: 1,
  calls: [],
  end: "finish",
  reason: "stop",
  tokens: 1,
  pause: 0,
};

function* chunksOf({ thinking, pieces, calls }: RandomTurn, run: number): Generator<ModelChunk> {
  if (thinking) yield { type: "thinking", text: `thought ${markOf(run)}` };
  for (let piece = 0; piece < pieces; piece++) yield { type: "text", text: `said ${markOf(run)} ` };
  for (const { id, tool } of calls) yield { type: "tool_call_start", toolCall: { id, name: tool } };
  for (const call of calls) {
    yield { type: "tool_call_delta", toolCallId: call.id, argumentsDelta: argumentsOf(call, run) };
    yield { type: "tool_call_end", toolCallId: call.id };
  }
}

function argumentsOf({ form }: RandomCall, run: number): string {
  const good = JSON.stringify({ at: markOf(run) });
  return { good, cut: good.slice(0, -3), list: `[${good}]`, unfit: '{"at":5}' }[form];
}
