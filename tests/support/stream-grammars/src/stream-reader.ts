import { AgUiGrammar } from "./ag-ui-stream.ts";
import type { AgUiEvent } from "./ag-ui-stream.ts";
import { A2AStreamGrammar } from "./a2a-stream.ts";
import type { A2AFrame } from "./a2a-stream.ts";
import { ChatCompletionGrammar } from "./chat-completion-stream.ts";
import type { ChatCompletionEvent } from "./chat-completion-stream.ts";
import { GrammarError } from "./grammar.ts";
import type { Grammar } from "./grammar.ts";
import { McpGrammar } from "./mcp-stream.ts";
import type { McpMessage } from "./mcp-stream.ts";
import { ResponseStreamGrammar } from "./response-stream.ts";
import type { ResponseStreamEvent } from "./response-stream.ts";
import { RunStreamGrammar } from "./run-stream.ts";
import type { RunStreamEvent } from "./run-stream.ts";
import { SseFrames } from "./sse-frames.ts";
import type { SseFrame } from "./sse-frames.ts";
import { UiStreamGrammar } from "./ui-stream.ts";
import type { UiEvent } from "./ui-stream.ts";

/**
 * The facts that identify the stream of an answer: the request's method, path and headers, and the answer's headers.
 */
export type Answered = {
  readonly method: string;
  readonly path: string;
  readonly sent: (name: string) => string | undefined;
  readonly got: (name: string) => string | undefined;
};

/** Takes the frames of one stream, and its end. Both throw a `GrammarError`. */
export type FrameReader = { readonly read: (frame: SseFrame) => void; readonly end: () => void };

/**
 * A reader of the bytes of one answer that passes them to the grammar of its stream. After the first violation it
 * stops, because later events would be judged by a wrong state.
 */
export class StreamReader {
  readonly #frames = new SseFrames();
  readonly #reader: FrameReader;
  #isBroken = false;

  private constructor(reader: FrameReader) {
    this.#reader = reader;
  }

  /** Returns the reader of an answer. Undefined if the answer is not a stream of Troupe. */
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
 * Identifies the streams of our servers by their headers, which those of fakes and vendors lack: `no-store,
 * no-transform` is ours, and `no-cache, no-transform` is that of MCP's library.
 */
function frameReaderOf(answered: Answered): FrameReader | undefined {
  const { method, path, sent, got } = answered;
  if (method === "HEAD" || got("content-type")?.startsWith("text/event-stream") !== true) return undefined;
  const control = got("cache-control");
  if (control === "no-cache, no-transform") return mcpReader(method);
  if (control !== "no-store, no-transform") return undefined;
  const ofPages = pageReaderOf(got);
  if (ofPages !== undefined) return ofPages;
  return ofOpenAi(path) ?? (got("x-run-id") === undefined ? a2aReader() : runReader(positionIn(path, sent)));
}

function ofOpenAi(path: string): FrameReader | undefined {
  const { pathname, searchParams } = new URL(path, "http://localhost");
  if (pathname.endsWith("/chat/completions")) return chatCompletionReader();
  return /\/responses(?:\/[^/]+)?$/.test(pathname) ? responseReader(searchParams.has("starting_after")) : undefined;
}

function positionIn(path: string, sent: Answered["sent"]): string | undefined {
  return sent("last-event-id") ?? new URL(path, "http://localhost").searchParams.get("after") ?? undefined;
}

/** Returns the reader of a stream for a page, by the header that marks it. */
function pageReaderOf(got: Answered["got"]): FrameReader | undefined {
  if (got("x-vercel-ai-ui-message-stream") !== undefined) return uiReader();
  return got("x-ag-ui-run-id") === undefined ? undefined : agUiReader();
}

/** Makes a reader of a run's events. `behind`: the position after which the client continues. */
export function runReader(behind?: string): FrameReader {
  const grammar = new RunStreamGrammar({ behind });
  const read = ({ id, data }: SseFrame): void => grammar.read({ id, data: JSON.parse(data) as RunStreamEvent["data"] });
  return { read, end: () => grammar.end() };
}

/**
 * Makes a reader of a UI message stream, for both versions of the SDK, which a request does not reveal. Version 6 drops
 * a stream with `reset-step`, by which another process makes a step again, so its grammar stops reading then.
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

/** Makes a reader of a chat completion's stream. */
function chatCompletionReader(): FrameReader {
  const grammar = new ChatCompletionGrammar();
  const read = ({ id, data }: SseFrame): void => {
    if (id !== undefined) fail("no-id", "a chat completion has no ids of events");
    grammar.read(data === "[DONE]" ? data : (JSON.parse(data) as ChatCompletionEvent));
  };
  return { read, end: () => grammar.end() };
}

/** Makes a reader of a response's stream. `continues`: the client continues behind an event. */
function responseReader(continues: boolean): FrameReader {
  const grammar = new ResponseStreamGrammar({ isWhole: !continues });
  const read = ({ id, data, event: name }: SseFrame): void => {
    if (id !== undefined) fail("no-id", "a response has no ids of events");
    const event = data === "[DONE]" ? data : (JSON.parse(data) as ResponseStreamEvent);
    if (event !== "[DONE]" && event.type !== name)
      fail("event-name", `the event ${event.type} is named ${String(name)}`);
    grammar.read(event);
  };
  return { read, end: () => grammar.end() };
}

/** Makes a reader of a stream of AG-UI, whose events have no ids and whose end is no mark. */
function agUiReader(): FrameReader {
  const grammar = new AgUiGrammar();
  const read = ({ id, data }: SseFrame): void => {
    if (id !== undefined) fail("no-id", "a stream of AG-UI has no ids");
    grammar.read(JSON.parse(data) as AgUiEvent);
  };
  return { read, end: () => grammar.end() };
}

/** Returns the violation in the frames of one connection, if any. `isWhole`: the frames are a complete stream. */
export function breachesOf(reader: FrameReader, frames: readonly SseFrame[], isWhole: boolean): string[] {
  try {
    for (const frame of frames) reader.read(frame);
    if (isWhole) reader.end();
    return [];
  } catch (error) {
    return [(error as Error).message];
  }
}

/** Makes a reader of an A2A stream, whose first frame reveals its version. */
function a2aReader(): FrameReader {
  let grammar: A2AStreamGrammar | undefined;
  const read = ({ data }: SseFrame): void => {
    const frame = JSON.parse(data) as A2AFrame;
    const is03 = Object.hasOwn(Object(frame["result"]) as object, "kind");
    (grammar ??= new A2AStreamGrammar(is03 ? "0.3" : "1.0")).read(frame);
  };
  return { read, end: () => (grammar ?? new A2AStreamGrammar("1.0")).end() };
}

/**
 * Makes a reader of MCP messages. The answer to a request ends with its response; a stream opened by GET has no
 * response.
 */
function mcpReader(method: string): FrameReader {
  const grammar = new McpGrammar({ isAnswer: method === "POST" });
  const read = ({ data }: SseFrame): void => {
    // Other servers begin a stream with an event without data or, in the first MCP transport, with an address.
    if (data.startsWith("{")) grammar.read(JSON.parse(data) as McpMessage);
  };
  return { read, end: () => grammar.end() };
}
