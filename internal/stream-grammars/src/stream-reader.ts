import { A2AStreamGrammar } from "./a2a-stream.ts";
import type { A2AFrame } from "./a2a-stream.ts";
import { GrammarError } from "./grammar.ts";
import type { Grammar } from "./grammar.ts";
import { McpGrammar } from "./mcp-stream.ts";
import type { McpMessage } from "./mcp-stream.ts";
import { RunStreamGrammar } from "./run-stream.ts";
import type { RunStreamEvent } from "./run-stream.ts";
import { SseFrames } from "./sse-frames.ts";
import type { SseFrame } from "./sse-frames.ts";
import { UiStreamGrammar } from "./ui-stream.ts";
import type { UiEvent } from "./ui-stream.ts";

/** The facts about an answer by which its stream is known: the request's method, path and headers, and the answer's headers. */
export type Answered = {
  readonly method: string;
  readonly path: string;
  readonly sent: (name: string) => string | undefined;
  readonly got: (name: string) => string | undefined;
};

/** Takes the frames of one stream, and its end. Both throw a `GrammarError`. */
export type FrameReader = { readonly read: (frame: SseFrame) => void; readonly end: () => void };

/**
 * A reader of the bytes of one answer that feeds the grammar of its stream. After the first breach it reads no more: what follows
 * would be judged by a wrong state.
 */
export class StreamReader {
  readonly #frames = new SseFrames();
  readonly #reader: FrameReader;
  #isBroken = false;

  private constructor(reader: FrameReader) {
    this.#reader = reader;
  }

  /** Returns the reader of an answer, undefined for one that is no stream of Troupe. */
  static of(answered: Answered): StreamReader | undefined {
    const reader = frameReaderOf(answered);
    return reader && new StreamReader(reader);
  }

  push(bytes: Uint8Array): void {
    for (const frame of this.#frames.push(bytes)) this.#try(() => this.#reader.read(frame));
  }

  end(): void {
    if (this.#frames.isCut) this.#try(() => fail("whole-frames", "a stream ends within an event"));
    this.#try(this.#reader.end);
  }

  #try(step: () => void): void {
    if (this.#isBroken) return;
    try {
      step();
    } catch (error) {
      this.#isBroken = true;
      throw error;
    }
  }
}

function fail(rule: string, problem: string): never {
  throw new GrammarError(`The stream breaks the rule ${rule}: ${problem}.`, rule);
}

/**
 * The streams of our servers are known by their headers, which those of fakes and of vendors do not have: `no-store, no-transform`
 * is ours, and `no-cache, no-transform` that of MCP's library.
 */
function frameReaderOf(answered: Answered): FrameReader | undefined {
  const { method, path, sent, got } = answered;
  if (method === "HEAD" || got("content-type")?.startsWith("text/event-stream") !== true) return undefined;
  const control = got("cache-control");
  if (control === "no-cache, no-transform") return mcpReader(method);
  if (control !== "no-store, no-transform") return undefined;
  if (got("x-vercel-ai-ui-message-stream") !== undefined) return uiReader();
  if (got("x-run-id") === undefined) return a2aReader();
  const behind = sent("last-event-id") ?? new URL(path, "http://localhost").searchParams.get("after") ?? undefined;
  return runReader(behind);
}

/** Makes a reader of a run's events, which follow behind a place for a client that has had others before. */
export function runReader(behind?: string): FrameReader {
  const grammar = new RunStreamGrammar({ behind });
  const read = ({ id, data }: SseFrame): void => grammar.read({ id, data: JSON.parse(data) as RunStreamEvent["data"] });
  return { read, end: () => grammar.end() };
}

/**
 * Makes a reader of a UI message stream, for both versions of the SDK: a request does not tell which it is. `reset-step`, with which
 * another process makes a step anew, is one that version 6 drops the stream for; it reads no more then.
 */
export function uiReader(): FrameReader {
  let grammars: Grammar<UiEvent>[] = [new UiStreamGrammar(7), new UiStreamGrammar(6)];
  const read = ({ id, data }: SseFrame): void => {
    if (id !== undefined) fail("no-id", "a UI stream has no ids");
    const event = data === "[DONE]" ? data : (JSON.parse(data) as UiEvent);
    if (event !== "[DONE]" && event.type === "reset-step") grammars = grammars.slice(0, 1);
    for (const grammar of grammars) grammar.read(event);
  };
  return { read, end: () => grammars.forEach((grammar) => grammar.end()) };
}

/** Returns the breach of frames that came over one connection, if there is one. `isWhole`: they are all of their stream. */
export function breachesOf(reader: FrameReader, frames: readonly SseFrame[], isWhole: boolean): string[] {
  try {
    for (const frame of frames) reader.read(frame);
    if (isWhole) reader.end();
    return [];
  } catch (error) {
    return [(error as Error).message];
  }
}

/** Makes a reader of a stream of A2A, whose version its first frame tells. */
function a2aReader(): FrameReader {
  let grammar: A2AStreamGrammar | undefined;
  const read = ({ data }: SseFrame): void => {
    const frame = JSON.parse(data) as A2AFrame;
    const is03 = Object.hasOwn(Object(frame["result"]) as object, "kind");
    (grammar ??= new A2AStreamGrammar(is03 ? "0.3" : "1.0")).read(frame);
  };
  return { read, end: () => (grammar ?? new A2AStreamGrammar("1.0")).end() };
}

/** The answer to a request ends with its response; a stream that a client opens by GET has none. */
function mcpReader(method: string): FrameReader {
  const grammar = new McpGrammar({ isAnswer: method === "POST" });
  const read = ({ data }: SseFrame): void => {
    // Servers of others begin a stream with an event without data, or, in the first transport of MCP, with an address.
    if (data.startsWith("{")) grammar.read(JSON.parse(data) as McpMessage);
  };
  return { read, end: () => grammar.end() };
}
