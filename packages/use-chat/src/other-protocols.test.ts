import type { Protocol } from "@troupe/core/transport";
import { http } from "@troupe/http";
import { describe, expect, it } from "vitest";
import { talker } from "../test/runnables.ts";
import { serve } from "../test/serve.ts";
import { chatStream } from "./chat-stream.ts";

const message = { role: "user", parts: [{ type: "text", text: "Hi." }] };

/** Makes a protocol that answers at one path of its own. */
function protocolOf(name: string): Protocol {
  const path = `/${name}/here`;
  return { name, routes: () => [{ path, get: (exchange) => exchange.sendJson(200, {}) }] };
}

const made: Readonly<Record<string, () => Protocol>> = {
  http: () => http(),
  chat: () => chatStream(),
  "ag-ui": () => protocolOf("ag-ui"),
  page: () => protocolOf("page"),
};

const sets = [
  ["chat"],
  ["chat", "http"],
  ["http", "chat"],
  ["chat", "ag-ui"],
  ["ag-ui", "chat"],
  ["page", "chat", "ag-ui"],
  ["ag-ui", "http", "chat"],
  ["http", "page", "chat", "ag-ui"],
  ["chat", "page", "ag-ui", "http"],
];

describe("an answer of a chat", () => {
  it.each(sets.map((names) => [names]))("links to its run only if HTTP serves runs there: %j", async (names) => {
    const protocols = names.flatMap((name) => made[name]?.() ?? []);
    const service = await serve({ agents: { a: talker() } }, { protocols });

    const { status, headers } = await service.post("/agents/a/ui", { id: "c1", message });
    const path = `/runs/${headers.get("x-run-id")}`;
    const link = headers.get("content-location");
    const { json } = await service.ask(path);
    const hasRun = JSON.stringify(json ?? null).includes("runId");

    expect([status, link, hasRun]).toEqual([200, names.includes("http") ? path : null, names.includes("http")]);
  });
});
