import type { Source } from "@troupe/core";
import { io } from "socket.io-client";
import { expect, it, onTestFinished } from "vitest";
import { address, cited, serveCitations } from "./cited-service.ts";

const question = "How many days of vacation do I have?";
const sessionId = "one-conversation";

/** The text that reaches every client: without the mark of a source that does not exist. */
const answer = `${cited} And more.`;

type Json = Record<string, unknown>;

async function post(url: string, body: Json, headers: Json = {}): Promise<string> {
  const response = await fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json", ...(headers as Record<string, string>) },
    body: JSON.stringify(body),
  });
  return await response.text();
}

/** Returns the JSON values of an event stream. */
const eventsOf = (stream: string): Json[] =>
  [...stream.matchAll(/^data: ?(\{.*\})$/gm)].map(([, json = ""]) => JSON.parse(json) as Json);

/** Asks over HTTP, which shows the sources as the run has them. */
async function sourcesOf(url: string): Promise<readonly Source[]> {
  const run = JSON.parse(await post(`${url}/agents/librarian/run`, { input: question, sessionId })) as {
    text: string;
    sources: Source[];
  };
  expect(run.text).toBe(answer);
  return run.sources;
}

/** The sources in each protocol. */
const protocols: Record<string, (url: string, sources: readonly Source[]) => Promise<void>> = {
  // The chunks of a stream, and the stored turns.
  HTTP: async (url, sources) => {
    const chunks = eventsOf(await post(`${url}/agents/librarian/stream`, { input: question, sessionId }));
    const found = chunks.filter(({ type }) => type === "source").map(({ id, passage }) => ({ id, passage }));
    expect(found).toEqual(sources.map(({ id, passage }) => ({ id, passage })));
    const stored = (await (await fetch(`${url}/sessions/${sessionId}/turns`)).json()) as {
      turns: { sources: Source[] }[];
    };
    expect(stored.turns.map((turn) => turn.sources.map(({ id }) => id))).toEqual(
      [1, 2].map(() => sources.map(({ id }) => id)),
    );
  },

  // Source parts, with the passages beside them.
  useChat: async (url, sources) => {
    const [first, second] = sources;
    const message = { id: "m", role: "user", parts: [{ type: "text", text: question }] };
    const parts = eventsOf(await post(`${url}/agents/librarian/ui`, { id: sessionId, messages: [message] }));
    expect(parts.filter(({ type }) => String(type).startsWith("source-"))).toEqual([
      {
        type: "source-url",
        sourceId: first?.id,
        url: address,
        title: "Vacation",
        providerMetadata: { troupe: { passage: first?.passage } },
      },
      {
        type: "source-document",
        sourceId: second?.id,
        mediaType: "text/plain",
        title: "Parking – Fahrräder",
        providerMetadata: { troupe: { passage: second?.passage } },
      },
    ]);
  },

  // Custom events.
  "AG-UI": async (url, sources) => {
    const input = { threadId: sessionId, runId: "r", state: {}, tools: [], context: [], forwardedProps: {} };
    const asked = { id: "m", role: "user", content: question };
    const events = eventsOf(await post(`${url}/agui/agents/librarian`, { ...input, messages: [asked] }));
    expect(events.filter(({ name }) => name === "troupe.source").map(({ value }) => (value as Source).id)).toEqual(
      sources.map(({ id }) => id),
    );
  },

  // Annotations of the text.
  "OpenAI Responses": async (url, sources) => {
    const [, second] = sources;
    const response = JSON.parse(await post(`${url}/v1/responses`, { model: "librarian", input: question })) as {
      output: { type: string; content?: { text: string; annotations: Json[] }[] }[];
    };
    const written = response.output.find(({ type }) => type === "message")?.content?.[0];
    expect(written?.text).toBe(answer);
    expect(written?.annotations).toEqual([
      expect.objectContaining({ type: "url_citation", url: address, title: "Vacation" }),
      expect.objectContaining({ type: "file_citation", file_id: second?.id, filename: "Parking – Fahrräder" }),
    ]);
  },

  // An artifact beside the answer's.
  A2A: async (url, sources) => {
    const send = {
      jsonrpc: "2.0",
      id: 1,
      method: "SendMessage",
      params: { message: { messageId: "m1", role: "ROLE_USER", parts: [{ text: question }] } },
    };
    const task = JSON.parse(await post(`${url}/a2a`, send, { "a2a-version": "1.0" })) as {
      result: { task: { artifacts: { artifactId: string; parts: { data?: { sources: Source[] } }[] }[] } };
    };
    const { artifacts } = task.result.task;
    expect(artifacts.map(({ artifactId }) => artifactId)).toEqual(["response", "sources"]);
    expect(artifacts[1]?.parts[0]?.data?.sources.map(({ id, passage }) => ({ id, passage }))).toEqual(
      sources.map(({ id, passage }) => ({ id, passage })),
    );
  },

  // Resources beside the text.
  MCP: async (url, sources) => {
    const [first, second] = sources;
    const call = {
      jsonrpc: "2.0",
      id: 1,
      method: "tools/call",
      params: { name: "ask_librarian", arguments: { message: question } },
    };
    const accept = { accept: "application/json, text/event-stream" };
    const reply = await post(`${url}/mcp`, call, accept);
    const { result } = (reply.startsWith("{") ? JSON.parse(reply) : eventsOf(reply).at(-1)) as {
      result: { content: Json[] };
    };
    expect(result.content).toEqual([
      { type: "text", text: answer },
      {
        type: "resource",
        resource: { uri: address, mimeType: "text/plain", text: first?.passage, _meta: { title: "Vacation" } },
      },
      {
        type: "resource",
        resource: {
          uri: "source:handbook%2Fparking",
          mimeType: "text/plain",
          text: second?.passage,
          _meta: { title: "Parking – Fahrräder" },
        },
      },
    ]);
  },

  // An event for each source.
  "Socket.IO": async (url, sources) => {
    const socket = io(`${url}/service`, { transports: ["websocket"] });
    onTestFinished(() => void socket.close());
    const heard: Source[] = [];
    socket.on("agent.source", ({ source }: { source: Source }) => heard.push(source));
    const ended = new Promise<void>((resolve) => socket.on("agent.done", () => resolve()));
    await socket.timeout(20_000).emitWithAck("agent.run", { name: "librarian", input: question });
    await ended;
    expect(heard.map(({ id, passage }) => ({ id, passage }))).toEqual(
      sources.map(({ id, passage }) => ({ id, passage })),
    );
  },
};

it("one conversation shows the same sources, in the order of its marks, over every protocol", async () => {
  const { url } = await serveCitations();
  const sources = await sourcesOf(url);
  expect(sources).toMatchObject([
    { id: "handbook/vacation", url: address, title: "Vacation", passage: expect.stringContaining("25 days") as string },
    { id: "handbook/parking", title: "Parking – Fahrräder", passage: "Bicycles are parked in the yard." },
  ]);

  for (const show of Object.values(protocols)) await show(url, sources);
});
