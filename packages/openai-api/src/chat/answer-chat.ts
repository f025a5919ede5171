import type { RunWait, TokenUsage } from "@troupe/core";
import { toTroupeError } from "@troupe/core/kit";
import { EventStream } from "@troupe/core/transport";
import type { Exchange, FailedRun, ServedRun } from "@troupe/core/transport";
import { chatSessionOf, signInOpenWebUi } from "../identity/open-webui.ts";
import type { ServedModel } from "../models/served-models.ts";
import { readChatRequest } from "../request/chat-request.ts";
import type { ChatRequest } from "../request/chat-request.ts";
import type { ApiParts } from "../run/api-parts.ts";
import { beginRun, showIds, waitingTools } from "../run/begin-run.ts";
import type { RunPlan } from "../run/begin-run.ts";
import { historyFor } from "../run/chat-history.ts";
import { continueRun, isAnswering } from "../run/continue-run.ts";
import { readPart } from "../run/part-events.ts";
import type { PartEvent, PartStart } from "../run/part-events.ts";
import { PartUsage } from "../run/part-usage.ts";
import { readBody } from "../run/read-body.ts";
import { outputOf } from "../run/run-output.ts";
import type { StoredPart } from "../run/run-parts.ts";
import { apiError, toApiError, wrongField } from "../wire/api-error.ts";
import { toChatUsage } from "../wire/usage.ts";
import { ChatWriter, toChatCalls, toFinishReason } from "./chat-writer.ts";
import type { ChatFacts } from "./chat-writer.ts";

/** A run and the chat completion that answers its request. */
type ChatAnswer = {
  readonly exchange: Exchange;
  readonly parts: ApiParts;
  readonly request: ChatRequest;
  readonly model: ServedModel;
  readonly run: ServedRun;
  readonly start: PartStart;
  readonly facts: ChatFacts;
  /** The run that the request began, for the log if it fails. */
  readonly own: FailedRun;
};

/**
 * Answers `POST /chat/completions`. Begins a run, or continues a waiting run with the results of the client's tools.
 */
export async function answerChat(exchange: Exchange, parts: ApiParts): Promise<void> {
  signInOpenWebUi(exchange, parts.settings.openWebUi);
  const request = readChatRequest(await readBody(exchange, parts), parts.settings.files);
  const model = await parts.models.find(exchange, request.model);
  const { outputs } = request.conversation;
  const answer =
    outputs.length > 0 && isAnswering({ outputs, approvals: [] })
      ? await continueChat(exchange, parts, { request, model })
      : await beginChat(exchange, parts, { request, model });
  const stopWatching = exchange.onLeave(() => answer.run.disconnect());
  try {
    await (request.stream ? streamChat(answer) : sendChat(answer));
  } finally {
    stopWatching();
  }
}

type Asked = { readonly request: ChatRequest; readonly model: ServedModel };

async function beginChat(exchange: Exchange, parts: ApiParts, { request, model }: Asked): Promise<ChatAnswer> {
  const { conversation, tools, format, maxTokens, user } = request;
  const { input, instructions } = conversation;
  if (input === undefined) {
    const message = "The results at the end of messages answer no call that a run waits for.";
    throw apiError("invalid_request", message, { param: "messages", code: "tool_call_not_found" });
  }
  const prompt = typeof input === "string" ? input : "";
  const sessionId = chatSessionOf(exchange, parts.settings.openWebUi, prompt);
  const { approvals, inputs } = waitingTools(model);
  const waits = tools.clientTools.length > 0 || inputs.size > 0 || (approvals.size > 0 && asksHost(parts));
  const plan: RunPlan = {
    model,
    input,
    sessionId,
    messages:
      sessionId === undefined ? conversation.history : await historyFor(exchange, { model, conversation, sessionId }),
    isUnstored: sessionId === undefined,
    instructions,
    tools,
    format,
    formatParam: "response_format",
    maxTokens,
    user,
    isStored: waits,
    endsWithClient: waits ? true : undefined,
  };
  const { run, own } = await beginRun(exchange, parts, plan);
  return toAnswer({ exchange, parts, request, model, run, own, start: {} }, []);
}

/**
 * Returns true if the option `approvals` is "approve". The service then gives the approval, and the run must wait for
 * it.
 */
function asksHost({ settings: { chat } }: ApiParts): boolean {
  return chat !== false && chat.approvals === "approve";
}

async function continueChat(exchange: Exchange, parts: ApiParts, { request, model }: Asked): Promise<ChatAnswer> {
  parts.service.closeIfDraining(exchange);
  const { outputs } = request.conversation;
  const { run, view, start, before } = await continueRun(exchange, parts, {
    outputs,
    approvals: [],
    endsWithClient: true,
  });
  if (view.kind !== model.kind || view.name !== model.name) throw wrongField("model", "must be that of the calls.");
  showIds(exchange, run);
  return toAnswer({ exchange, parts, request, model, run, own: { runId: run.runId }, start }, before);
}

function toAnswer(answer: Omit<ChatAnswer, "facts">, before: readonly StoredPart[]): ChatAnswer {
  const { parts, request, model, run } = answer;
  const { chat } = parts.settings;
  const part = before.length;
  const facts = {
    runId: run.runId,
    id: `chatcmpl-${run.runId}${part === 0 ? "" : `-${part}`}`,
    created: Math.floor(Date.now() / 1000),
    model: model.id,
    tools: chat === false ? "hidden" : chat.tools,
    clientTools: new Set([...request.tools.clientTools.map(({ name }) => name), ...waitingTools(model).inputs]),
    used: new PartUsage(before),
  } as const;
  return { ...answer, facts };
}

/** Streams a completion as chunks. A failure before the first chunk is answered with the error's HTTP status. */
async function streamChat(answer: ChatAnswer): Promise<void> {
  const { exchange, parts, run, start, facts, own } = answer;
  const { heartbeatMs } = parts.service.settings;
  const events = new EventStream(exchange, { heartbeatMs, signal: run.signal });
  let drained: Promise<void> | undefined;
  const writer = new ChatWriter(facts, (chunk) => {
    drained = events.send(chunk, null);
  });
  try {
    for await (const event of readPart(run, start)) {
      const added = addEvent(writer, event, answer);
      if (added !== undefined) await added;
      if (drained !== undefined) await drained;
    }
  } catch (thrown) {
    const error = toTroupeError(thrown);
    if (!events.isHeadSent) {
      events.abandon();
      throw error;
    }
    exchange.logFailure(error, own);
    void events.send({ error: toApiError(error) }, null);
  }
  events.close("[DONE]");
}

/**
 * Adds an event to a completion, or throws the failure of the run. Returns a promise only for the end of the run and
 * for questions.
 */
function addEvent(writer: ChatWriter, event: PartEvent, answer: ChatAnswer): Promise<void> | undefined {
  if (event.type === "failure") throw event.error;
  if (event.type === "end") return addEnd(writer, event, answer);
  if (event.type === "pause") {
    checkPause(event.waits);
    writer.finish(answer.request.includeUsage);
    return undefined;
  }
  writer.take(event);
  return event.type === "wait" ? answerApproval(answer, event.wait) : undefined;
}

async function addEnd(
  writer: ChatWriter,
  { readOutput }: Extract<PartEvent, { type: "end" }>,
  { exchange, request, run }: ChatAnswer,
): Promise<void> {
  if (run.kind === "workflow") writer.addText(outputOf(run, await readOutput()));
  note(exchange, writer.usage);
  writer.finish(request.includeUsage);
}

/** Sends a completion as one JSON object. */
async function sendChat(answer: ChatAnswer): Promise<void> {
  const { exchange, parts, run, start, facts } = answer;
  const settled = await settle(answer, run, start);
  parts.service.closeIfDraining(exchange);
  if (settled === undefined || exchange.isDestroyed) return;
  const { id, created, model } = facts;
  const { text, thinking, usage, sources = [], calls, finishReason } = settled;
  note(exchange, usage);
  const annotations = sources.flatMap(({ url, title = url }) =>
    url === undefined ? [] : [{ type: "url_citation", url_citation: { url, title, start_index: 0, end_index: 0 } }],
  );
  const message = {
    role: "assistant",
    content: text === "" && calls.length > 0 ? null : text,
    refusal: null,
    annotations,
    ...(thinking !== undefined && { reasoning_content: thinking }),
    ...(calls.length > 0 && { tool_calls: calls }),
  };
  const reason = calls.length > 0 ? "tool_calls" : toFinishReason(finishReason);
  exchange.sendJson(200, {
    id,
    object: "chat.completion",
    created,
    model,
    choices: [{ index: 0, message, logprobs: null, finish_reason: reason }],
    usage: toChatUsage(usage),
    service_tier: "default",
    system_fingerprint: null,
  });
}

type SettledChat = {
  readonly text: string;
  readonly thinking?: string | undefined;
  readonly usage: TokenUsage;
  readonly sources?: readonly { url?: string | undefined; title?: string | undefined }[] | undefined;
  readonly calls: ReturnType<typeof toChatCalls>;
  readonly finishReason: string | undefined;
};

const noTokens: TokenUsage = { promptTokens: 0, completionTokens: 0, totalTokens: 0 };

/** Reads a run to its end, or until it waits for its client. Returns undefined if the client has disconnected. */
async function settle(answer: ChatAnswer, run: ServedRun, start: PartStart): Promise<SettledChat | undefined> {
  if (!run.isStored) return { finishReason: undefined, ...outputOf(run, (await run.settled()).output), calls: [] };
  const read = { text: "", finishReason: undefined as string | undefined };
  const { used } = answer.facts;
  for await (const event of readPart(run, start)) {
    if (event.type === "failure") throw event.error;
    used.add(event);
    if (event.type === "wait") await answerApproval(answer, event.wait);
    if (event.type === "chunk") addChunk(read, event.chunk);
    if (event.type === "pause") {
      checkPause(event.waits);
      return { ...read, usage: used.of(undefined) ?? noTokens, calls: toChatCalls(run.runId, event.waits) };
    }
    if (event.type === "end") {
      const output = outputOf(run, await event.readOutput());
      return { ...read, ...output, usage: used.of(output.usage) ?? output.usage, calls: [] };
    }
  }
  return undefined;
}

function addChunk(read: { text: string; finishReason: string | undefined }, chunk: { readonly type: string }): void {
  const { text = "", finishReason } = chunk as { readonly text?: string; readonly finishReason?: string };
  if (chunk.type === "text") read.text += text;
  if (chunk.type === "finish") read.finishReason = finishReason;
}

/** Answers a request for approval by the option `approvals`, because Chat Completions cannot ask the client. */
async function answerApproval({ parts: { settings }, run }: ChatAnswer, { kind, id }: RunWait): Promise<void> {
  if (kind !== "approval" || !run.isStored) return;
  const approved = settings.chat !== false && settings.chat.approvals === "approve";
  const { service, runId } = run;
  const reason = "Nobody can be asked for an approval here.";
  await service.answer(runId, id, approved ? { approved } : { approved, reason }, "host").catch(() => undefined);
}

/** Throws if a run waits for something other than the result of a client's tool. */
function checkPause(waits: readonly RunWait[]): void {
  if (waits.some(({ kind }) => kind === "input")) return;
  throw apiError("conflict", "The run waits for an answer that this API has no place for.", { code: "run_waits" });
}

function note(exchange: Exchange, usage: TokenUsage | undefined): void {
  if (usage !== undefined) exchange.recordUsage(usage);
}
