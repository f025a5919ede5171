import { TroupeError } from "@troupe/core";
import { checkSessionId, findRunnable, sseHeaders } from "@troupe/core/transport";
import type { Exchange, Route, ServedStoredRun } from "@troupe/core/transport";
import { answerOptions, beginAnswer, continueAnswer } from "./answer-chat.ts";
import type { ChatCall, ChatParts, ChatTarget } from "./answer-chat.ts";
import { answerUi, uiStreamHeader } from "./message/answer-ui.ts";
import { readChat } from "./request/read-chat.ts";

type Collection = Pick<ChatTarget, "kind" | "registry">;

const defaultBodyBytes = 1_048_576;

/** Makes the routes that serve agents and teams to `useChat` of the AI SDK. */
export function chatRoutes(parts: ChatParts): Route[] {
  const { agents, teams } = parts.service;
  return [
    ...routesOf("/agents", { kind: "agent", registry: agents }, parts),
    ...routesOf("/teams", { kind: "team", registry: teams }, parts),
  ];
}

function routesOf(path: string, { kind, registry }: Collection, parts: ChatParts): Route[] {
  const toCall = (exchange: Exchange): ChatCall => {
    const name = String(exchange.params["name"]);
    const subject = findRunnable(registry, name, kind);
    exchange.record.name = name;
    return { exchange, parts, target: { kind, registry, name, subject } };
  };
  return [
    { path: `${path}/:name/ui`, post: async (exchange) => await answerChat(toCall(exchange)) },
    { path: `${path}/:name/ui/:chatId/stream`, get: async (exchange) => await resumeChat(toCall(exchange)) },
    { path: `${path}/:name/ui/:chatId/stop`, post: async (exchange) => await stopChat(toCall(exchange)) },
  ];
}

async function answerChat(call: ChatCall): Promise<void> {
  const chat = readChat(await readBody(call));
  if (chat.last.role === "user") await beginAnswer(call, chat);
  else await continueAnswer(call, chat);
}

/** Sends the message in progress from its beginning, because a reloaded page has lost it. */
async function resumeChat(call: ChatCall): Promise<void> {
  const { exchange, parts } = call;
  const run = await findOpen(call);
  if (run === undefined) return exchange.send(204, { "Cache-Control": "no-store" });
  exchange.setHeader("X-Run-Id", run.runId).setHeader("X-Session-Id", run.sessionId);
  if (exchange.method === "HEAD") return exchange.setHeader(...uiStreamHeader).send(200, sseHeaders);
  await answerUi(exchange, run, { ...answerOptions(parts), early: true });
}

/** Cancels the run of a chat, if it has one. Stopping a chat twice is not an error. */
async function stopChat(call: ChatCall): Promise<void> {
  const { activeStreamId } = (await readBody(call)) ?? {};
  if (activeStreamId !== undefined && typeof activeStreamId !== "string") {
    throw new TroupeError(
      "invalid_request",
      "activeStreamId must be the id of the message that is under way, a string.",
    );
  }
  const run = await findOpen(call);
  const isMeant = activeStreamId === undefined || activeStreamId === run?.runId;
  if (run !== undefined && isMeant) await run.service.cancel(run.runId, "host", "Cancelled on request.");
  call.exchange.sendEmpty();
}

async function readBody({ exchange, parts }: ChatCall): Promise<Readonly<Record<string, unknown>> | undefined> {
  return await exchange.readJsonObject({ maxBytes: parts.service.settings.maxBodyBytes ?? defaultBodyBytes });
}

/** Returns the open run of a chat, or undefined if this agent or team has none. */
async function findOpen({ exchange, parts, target }: ChatCall): Promise<ServedStoredRun | undefined> {
  const chatId = checkSessionId(exchange.params["chatId"]);
  const { run } = (await parts.service.servedRuns.findOfSession(chatId, exchange.principal ?? {})) ?? {};
  return run?.kind === target.kind && run.name === target.name ? run : undefined;
}
