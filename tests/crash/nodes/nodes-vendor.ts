import { FakeVendor } from "@troupe-internal/vendor-fakes";
import type { Exchange, PlannedReply } from "@troupe-internal/vendor-fakes";
import { answerWords, questionText, readQuestion, toolsOf } from "./questions.ts";

/** Milliseconds between two words of an answer. */
const wordMs = 30;

/** A strict vendor that streams slowly, answers the same question with the same words, and counts its calls. */
export class NodesVendor {
  readonly #vendor: FakeVendor;
  readonly #calls = new Map<string, number>();

  private constructor(vendor: FakeVendor) {
    this.#vendor = vendor;
    vendor.respond((exchange) => this.#answer(exchange));
  }

  static async start(): Promise<NodesVendor> {
    return new NodesVendor(await FakeVendor.start({ strict: true }));
  }

  get url(): string {
    return this.#vendor.url;
  }

  /** Number of model calls that had been made before, by an attempt that was cut off. */
  get repeatedCalls(): number {
    return [...this.#calls.values()].reduce((sum, count) => sum + count - 1, 0);
  }

  /** A sentence for each request that a real vendor would have refused, or that came with another key. */
  faults(key: string): string[] {
    return this.#vendor.exchanges.flatMap((exchange) => {
      if (exchange.refusal !== undefined) return `The vendor refused a request: ${exchange.refusal.message}`;
      return exchange.key === key ? [] : `The vendor got the key ${exchange.key}.`;
    });
  }

  async close(): Promise<void> {
    await this.#vendor.close();
  }

  #answer({ request }: Exchange): PlannedReply {
    const { messages } = request.body as { messages: { role: string }[] };
    const question = readQuestion(messages);
    if (question === undefined) return { failure: { status: 500, message: "This is no question of a trial." } };
    const asked = messages.findLastIndex(({ role }) => role === "user");
    const roundTrip = messages.slice(asked).filter(({ role }) => role === "assistant").length;
    const name = `${question.number} ${roundTrip}`;
    this.#calls.set(name, (this.#calls.get(name) ?? 0) + 1);
    const toolCalls = toolsOf(question, roundTrip).map((tool) => ({
      name: tool,
      arguments: tool === "delegate_to_clerk" ? { task: questionText(question) } : {},
    }));
    if (toolCalls.length > 0) return { answer: { toolCalls } };
    return { answer: { text: answerWords(question) }, delivery: { pieceDelayMs: wordMs } };
  }
}
