import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { Agent, createLogger, defineTool, getTextContent, InMemoryStorage, Team, Workflow } from "@troupe/core";
import { RunService } from "@troupe/core/runs";
import type { ModelProvider, StorageDriver } from "@troupe/core";
import { ScriptedModel } from "@troupe/core/testing";
import { createAgentRouter } from "@troupe/http";
import { createPage } from "@troupe/page";
import express from "express";
import type { RequestHandler } from "express";
import { onTestFinished } from "vitest";

/** An image of one pixel. */
const pixel = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==";

const weather = defineTool({
  name: "get_weather",
  description: "The weather of a city.",
  parameters: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
  execute: async ({ city }, { signal }) => {
    await sleep(150, undefined, { signal });
    const artifacts = [
      { type: "forecast", data: { city, hours: [9, 8, 7] } },
      { type: "map", data: pixel, mimeType: "image/png" },
    ];
    return { content: `Rain in ${String(city)}, 9 °C.`, artifacts };
  },
});

const book = defineTool({
  name: "book_room",
  description: "Books a room.",
  parameters: { type: "object", properties: { city: { type: "string" }, nights: { type: "integer" } } },
  needsApproval: true,
  execute: ({ city }) => `Room 42 in ${String(city)} is booked.`,
});

/** Longer than the page shows of an artifact. */
export const longText = `The beginning. ${"A long line. ".repeat(400)}The end of it.`;
/** No image, though its type says so: half of its data is missing. */
export const brokenImage = pixel.slice(0, 41);

const archive = defineTool({
  name: "read_archive",
  description: "Returns documents.",
  parameters: { type: "object" },
  execute: () => ({
    content: "Two documents.",
    artifacts: [
      { type: "report", data: longText },
      { type: "scan", data: brokenImage, mimeType: "image/png" },
    ],
  }),
});

const answer = `It **rains** in Oslo: 9 °C. Take along:

1. an umbrella
2. [boots](https://example.com/boots)

| Hour | Sky  |
| ---- | ---- |
| 9:00 | rain |
| 12:00 | clouds |

\`\`\`ts
const umbrella = await take("umbrella");
\`\`\`
`;

/** A model that calls a tool first, thinks, and then says this. */
function caller(tool: string, args: Record<string, unknown>, text: string): ModelProvider {
  return new ScriptedModel().respond(({ messages }) =>
    messages.at(-1)?.role === "tool"
      ? { thinking: "The tool says what the weather is.", text, chunkDelayMs: 5 }
      : { toolCalls: [{ id: `call-${messages.length}`, name: tool, arguments: args }] },
  );
}

/** A model that repeats what it is told, word by word. */
function echo(chunkDelayMs: number, words: number): ModelProvider {
  let answers = 0;
  return new ScriptedModel().respond(({ messages }) => {
    const asked = messages.findLast(({ role }) => role === "user")?.content ?? "";
    answers++;
    const text = `Answer ${answers} to “${getTextContent(asked)}”: ${Array.from({ length: words }, (_, at) => `word ${at + 1}`).join(", ")}. The end.`;
    return { text, chunkDelayMs };
  });
}

function createDemo(storage: StorageDriver) {
  const helper = new Agent({
    name: "helper",
    description: "Knows the weather and what to take along.",
    model: caller("get_weather", { city: "Oslo" }, answer),
    tools: [weather],
    storage,
  });
  const concierge = new Agent({
    name: "concierge",
    description: "Books rooms once each booking is approved.",
    model: caller("book_room", { city: "Oslo", nights: 2 }, "The room is booked."),
    tools: [book],
    storage,
  });
  const talker = new Agent({ name: "talker", description: "Talks slowly.", model: echo(40, 60), storage });
  const reporter = new Agent({
    name: "reporter",
    description: "Answers with data.",
    model: new ScriptedModel().respond(() => ({ text: '{"city":"Oslo","temperatureC":9}' })),
    storage,
  });
  const archivist = new Agent({
    name: "archivist",
    description: "Finds documents.",
    model: caller("read_archive", {}, "Here they are."),
    tools: [archive],
    storage,
  });
  const desk = new Team({
    name: "travel-desk",
    description: "Asks its members and combines what they say.",
    mode: "coordinate",
    model: caller("delegate_to_helper", { task: "The weather in Oslo?" }, "The helper says: take an umbrella."),
    members: [helper],
    storage,
  });
  const briefing = new Workflow({
    name: "briefing",
    description: "The weather of a city in a few lines.",
    initialState: { city: "Oslo", text: "" },
    steps: [
      { name: "look", agent: helper, inputFrom: ({ city }) => `The weather in ${city}?` },
      { name: "write", effect: "pure", run: ({ city }) => ({ text: `Good morning, ${city}.` }) },
    ],
  });
  const survey = new Workflow({
    name: "survey",
    description: "Talks slowly, in a step.",
    initialState: { topic: "Oslo" },
    steps: [{ name: "talk", agent: talker, inputFrom: ({ topic }) => `Talk about ${topic}.` }],
  });
  const agents = { helper, concierge, talker, reporter, archivist };
  return { agents, teams: { "travel-desk": desk }, workflows: { briefing, survey } };
}

/** The user of a browser: who has the cookie. A real service authenticates here. */
const signIn: RequestHandler = (request, _, next) => {
  const [, userId] = /(?:^|; )user=(\w+)/.exec(request.headers.cookie ?? "") ?? [];
  if (userId !== undefined) Object.assign(request, { principal: { userId } });
  next();
};

/** A service with the page, and the headers of the requests for runs that it got. */
export type PageService = { readonly url: string; readonly runHeaders: Record<string, unknown>[] };

/** Serves agents, a team and a workflow with the page, until the test is over. */
export async function servePage({ users = true, hasInspector = false } = {}): Promise<PageService> {
  const storage = new InMemoryStorage();
  const demo = createDemo(storage);
  const logger = createLogger({ level: "silent" });
  const { concierge } = demo.agents;
  const runs = new RunService({ agents: { concierge }, storage, logger });
  await runs.serve();
  const runHeaders: Record<string, unknown>[] = [];
  const app = express();
  app.use((request, _, next) => {
    if (request.path.endsWith("/stream")) runHeaders.push(request.headers);
    next();
  });
  const suggestions = { helper: ["What should I take along to Oslo?"] };
  const router = createAgentRouter({ ...demo, runs, fileUpload: true, middleware: [signIn], logger });
  app.use("/shares", signIn);
  const shares = { service: router.service };
  app.use(
    createPage({ title: "Troupe", users, suggestions, logger, shares, ...(hasInspector && { inspector: { runs } }) }),
  );
  app.use(router);
  const server = createServer(app).listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(async () => {
    server.closeAllConnections();
    server.close();
    await router.service.close({ graceMs: 0 });
    await runs.close();
    await storage.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, runHeaders };
}
