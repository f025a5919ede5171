import type { MessageContent } from "@troupe/core";
import type { Exchange, Route } from "@troupe/core/transport";
import { signInOpenWebUi } from "../identity/open-webui.ts";
import type { ApiParts } from "../run/api-parts.ts";
import { apiError, wrongField } from "../wire/api-error.ts";
import { toResponseId } from "../wire/ids.ts";
import { streamResponse } from "./answer-response.ts";
import { createResponse } from "./create-response.ts";
import { answerOf, findResponse, readResponse } from "./stored-response.ts";
import type { FoundResponse } from "./stored-response.ts";

/** Makes the routes of the Responses API below a path. */
export function responseRoutes(parts: ApiParts, base: string): Route[] {
  const withUser = (handle: (exchange: Exchange) => Promise<void>) => async (exchange: Exchange) => {
    signInOpenWebUi(exchange, parts.settings.openWebUi);
    await handle(exchange);
  };
  const find = async (exchange: Exchange) => await findResponse(exchange, parts);
  return [
    { path: `${base}/responses`, post: async (exchange) => await createResponse(exchange, parts) },
    { path: `${base}/responses/compact`, post: refuseCompaction },
    {
      path: `${base}/responses/:id`,
      get: withUser(async (exchange) => await retrieve(exchange, parts, await find(exchange))),
      delete: withUser(async (exchange) => await remove(exchange, parts, await find(exchange))),
    },
    {
      path: `${base}/responses/:id/cancel`,
      post: withUser(async (exchange) => await cancel(exchange, parts, await find(exchange))),
    },
    {
      path: `${base}/responses/:id/input_items`,
      get: withUser(async (exchange) => await listInput(exchange, parts, await find(exchange))),
    },
  ];
}

function refuseCompaction(): never {
  const message =
    "Conversations are not compacted by the client: the agent bounds what its model gets, and its memory summarizes what is older.";
  throw apiError("invalid_request", message, { code: "unsupported_operation" });
}

async function retrieve(exchange: Exchange, parts: ApiParts, response: FoundResponse): Promise<void> {
  const query = new URLSearchParams(exchange.search);
  if (query.get("stream") !== "true") return exchange.sendJson(200, await readResponse(exchange, parts, response));
  const after = readAfter(query.get("starting_after"));
  if (response.found === undefined) {
    const message =
      "Only a response that was begun with background, or that waits for its client, can be streamed again.";
    throw apiError("invalid_request", message, { param: "stream", code: "response_not_streamable" });
  }
  const { run, view } = response.found;
  run.checkReadable(view);
  const { stored, ...answer } = await answerOf(exchange, parts, response);
  const past = response.part < stored.length - 1 ? stored[response.part] : undefined;
  const stopWatching = exchange.onLeave(() => run.disconnect());
  try {
    await streamResponse({ ...answer, past, after });
  } finally {
    stopWatching();
  }
}

function readAfter(text: string | null): number {
  if (text === null) return -1;
  if (/^\d{1,9}$/.test(text)) return Number(text);
  throw wrongField("starting_after", "must be the number of an event, from 0.");
}

/** Deletes a response: its run, its turn, and all later turns of the session. */
async function remove(exchange: Exchange, { service }: ApiParts, response: FoundResponse): Promise<void> {
  const { runId, part, found } = response;
  const owner = exchange.principal ?? {};
  if (found !== undefined) await found.run.service.delete(runId, owner);
  for (const sessionId of [response.sessionId, runId]) {
    const turn = response.turn ?? (await service.sessions.findTurn(sessionId, owner, runId));
    if (turn === undefined) continue;
    await service.sessions.deleteTurns(sessionId, owner, turn.seq);
    break;
  }
  const id = toResponseId({ sessionId: response.sessionId, runId, part });
  exchange.sendJson(200, { id, object: "response", deleted: true });
}

async function cancel(exchange: Exchange, parts: ApiParts, response: FoundResponse): Promise<void> {
  if (response.found !== undefined) {
    const { run } = response.found;
    const status = await run.service.cancel(run.runId, exchange.principal ?? {}, "Cancelled on request.");
    const shown = await readResponse(exchange, parts, await findResponse(exchange, parts));
    return exchange.sendJson(200, status === "over" ? shown : { ...shown, status: "cancelled" });
  }
  exchange.sendJson(200, await readResponse(exchange, parts, response));
}

/** Lists the user's input of a response. */
async function listInput(exchange: Exchange, { service }: ApiParts, response: FoundResponse): Promise<void> {
  const { runId, sessionId } = response;
  const owner = exchange.principal ?? {};
  const turn =
    response.turn ??
    (await service.sessions.findTurn(sessionId, owner, runId)) ??
    (await service.sessions.findTurn(runId, owner, runId));
  const content = turn === undefined ? [] : toInputParts(turn.input);
  const data =
    turn === undefined
      ? []
      : [{ id: `msg_${runId.replaceAll("-", "")}`, type: "message", role: "user", status: "completed", content }];
  const ids = data.map(({ id }) => id);
  exchange.sendJson(200, {
    object: "list",
    data,
    first_id: ids[0] ?? null,
    last_id: ids.at(-1) ?? null,
    has_more: false,
  });
}

function toInputParts(content: MessageContent): object[] {
  if (typeof content === "string") return [{ type: "input_text", text: content }];
  return content.map((part) => {
    if (part.type === "text") return { type: "input_text", text: part.text };
    if (part.type === "image") return { type: "input_image", image_url: part.data, detail: "auto" };
    const filename = part.type === "file" ? part.filename : undefined;
    return { type: "input_file", file_data: part.data, ...(filename !== undefined && { filename }) };
  });
}
