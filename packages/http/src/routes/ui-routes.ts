import { TroupeError } from "@troupe/core";
import { checkSessionId, findRunnable } from "@troupe/core/transport";
import type { FoundRun } from "@troupe/core/transport";
import type { Request } from "express";
import { streamHead } from "../answer/event-stream.ts";
import { principalOf } from "../exchange/exchange.ts";
import type { Exchange } from "../exchange/exchange.ts";
import { requestRecordOf } from "../exchange/request-record.ts";
import { readBody } from "../request/read-body.ts";
import type { RouterSettings } from "../settings/router-options.ts";
import { beginAnswer, continueAnswer } from "../ui/answer-chat.ts";
import type { ChatCall, ChatTarget } from "../ui/answer-chat.ts";
import { answerUi, uiStreamHeader } from "../ui/answer-ui.ts";
import { readChat } from "../ui/read-chat.ts";
import type { Route } from "./mount-route.ts";

type ChatService = Pick<ChatTarget, "kind" | "registry">;

/** Makes the routes that serve agents and teams to `useChat` of the AI SDK. Without the option `ui` there are none. */
export function uiRoutes(settings: RouterSettings): Route[] {
  if (settings.ui === undefined) return [];
  const { agents, teams } = settings;
  return [
    ...chatRoutes("/agents", { kind: "agent", registry: agents }, settings),
    ...chatRoutes("/teams", { kind: "team", registry: teams }, settings),
  ];
}

function chatRoutes(path: string, service: ChatService, settings: RouterSettings): Route[] {
  const toCall = (exchange: Exchange): ChatCall => {
    const name = String(exchange.request.params["name"]);
    const subject = findRunnable(service.registry, name, service.kind);
    requestRecordOf(exchange.response).name = name;
    return { exchange, settings, target: { ...service, name, subject } };
  };
  return [
    { path: `${path}/:name/ui`, post: async (exchange) => await answerChat(toCall(exchange)) },
    { path: `${path}/:name/ui/:chatId/stream`, get: async (exchange) => await resumeChat(toCall(exchange)) },
    { path: `${path}/:name/ui/:chatId/stop`, post: async (exchange) => await stopChat(toCall(exchange)) },
  ];
}

async function answerChat(call: ChatCall): Promise<void> {
  const { exchange, settings } = call;
  const chat = readChat(await readBody(exchange.request, { maxBytes: settings.maxBodyBytes }));
  if (chat.last.role === "user") await beginAnswer(call, chat);
  else await continueAnswer(call, chat);
}

/** Sends the message that is under way from its beginning. A page that is loaded anew has nothing of it. */
async function resumeChat(call: ChatCall): Promise<void> {
  const { exchange, settings } = call;
  const { request, response } = exchange;
  const found = await findOpen(call);
  if (found === undefined) return void response.writeHead(204, { "Cache-Control": "no-store" }).end();
  const { service, run } = found;
  const { runId, sessionId, kind } = run;
  response.setHeader("X-Run-Id", runId).setHeader("X-Session-Id", sessionId);
  if (request.method === "HEAD")
    return void response
      .setHeader(...uiStreamHeader)
      .writeHead(200, streamHead)
      .end();
  await answerUi(exchange, { service, runId, kind, caller: principalOf(request) ?? {} }, { settings, early: true });
}

/** Cancels the run of a chat, if there is one: it is no error to stop a chat twice. */
async function stopChat(call: ChatCall): Promise<void> {
  const { request, response } = call.exchange;
  const { activeStreamId } = (await readBody(request, { maxBytes: call.settings.maxBodyBytes })) ?? {};
  if (activeStreamId !== undefined && typeof activeStreamId !== "string")
    throw new TroupeError(
      "invalid_request",
      "activeStreamId must be the id of the message that is under way, a string.",
    );
  const found = await findOpen(call);
  const isMeant = activeStreamId === undefined || activeStreamId === found?.run.runId;
  if (found !== undefined && isMeant) await found.service.cancel(found.run.runId, "host", "Cancelled on request.");
  response.writeHead(204).end();
}

/** Returns the open run of the chat of a request, undefined where there is none of this agent or team. */
async function findOpen({ exchange, settings, target }: ChatCall): Promise<FoundRun | undefined> {
  const { request } = exchange;
  const found = await settings.servedRuns.findOfSession(chatIdOf(request), principalOf(request) ?? {});
  return found?.run.kind === target.kind && found.run.name === target.name ? found : undefined;
}

function chatIdOf(request: Request): string {
  return checkSessionId(request.params["chatId"]);
}
