import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { Agent, defineTool } from "@troupe/core";
import { ScriptedModel } from "@troupe/core/testing";
import { createAgentGateway } from "@troupe/socket";
import { Server } from "socket.io";

// A page that chats with an agent: node server.ts [port]. Without a key: the model is a script, which asks for the weather
// of each city that it is told of, and knows a long story, to be stopped. Put openai("gpt-…") in its place.
const cities: Record<string, string> = { Oslo: "rain, 9 °C", Lisbon: "sun, 27 °C", Quito: "clouds, 15 °C" };

const weather = defineTool({
  name: "weather",
  description: "The weather of a city.",
  parameters: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
  execute: async ({ city }, { signal }) => {
    await sleep(400, undefined, { signal });
    return `${String(city)}: ${cities[String(city)] ?? "unknown"}`;
  },
});

const model = new ScriptedModel().respond(({ messages }) => {
  const last = messages.at(-1);
  const content = typeof last?.content === "string" ? last.content : "";
  const asked = Object.keys(cities).filter((city) => content.includes(city));
  if (last?.role === "user" && asked.length > 0) {
    return { toolCalls: asked.map((city, at) => ({ id: `call-${at}`, name: "weather", arguments: { city } })) };
  }
  if (content.includes("story")) return { text: "And then? ".repeat(1000), chunkDelayMs: 100 };
  const questions = messages.filter(({ role }) => role === "user").length;
  const found = messages.flatMap((each) =>
    each.role === "tool" && typeof each.content === "string" ? each.content : [],
  );
  const text =
    asked.length > 0 || last?.role === "tool" ? `This is what I found. ${found.at(-1)}.` : `You said: ${content}`;
  return { text: `${text} That was question ${questions} of our conversation.`, chunkDelayMs: 40 };
});

const agents = { helper: new Agent({ name: "helper", model, tools: [weather] }) };

const page = readFileSync(join(import.meta.dirname, "page.html"));
const server = createServer((_, response) => response.setHeader("content-type", "text/html; charset=utf-8").end(page));
const gateway = createAgentGateway({ io: new Server(server), agents });

server.listen(Number(process.argv[2] ?? 3000), "127.0.0.1", () => {
  console.log(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
});
process.once("SIGTERM", () => {
  server.close();
  server.closeAllConnections();
  void gateway.close();
});
