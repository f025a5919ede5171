import { defineTool, Team } from "@troupe/core";
import { ScriptedModel } from "@troupe/core/testing";
import type { Runnable } from "@troupe/core";
import { describe, expect, it } from "vitest";
import { A2ARemoteAgent } from "../client/remote-agent.ts";
import { createArtifact } from "../agent/artifact.ts";
import { streamRest } from "../../test/rest-calls.ts";
import { madeAgent, message0, message1, scriptedAgent, serveA2A } from "../../test/serve-a2a.ts";
import type { Received, ServedA2A } from "../../test/serve-a2a.ts";

type Update = Received["artifactUpdate"];
type Part = { text?: string; data?: unknown; raw?: string; file?: { bytes: string } };

/** The ways to stream a message: the method of each version, and the binding that only 1.0 has. */
const ways: Record<string, (served: ServedA2A) => AsyncIterable<Received>> = {
  "0.3": (served) => served.stream("message/stream", message0("Hi")),
  "1.0": (served) => served.stream("SendStreamingMessage", message1("Hi")),
  "1.0 over HTTP+JSON": (served) =>
    streamRest(served.url, { name: "SendStreamingMessage", params: message1("Hi"), options: {} }),
};

async function updatesOf(events: AsyncIterable<Received>): Promise<Update[]> {
  const updates: Update[] = [];
  for await (const event of events) {
    if (event.artifactUpdate !== undefined) updates.push(event.artifactUpdate);
    else if (event.kind === "artifact-update") updates.push(event);
  }
  return updates;
}

/** Returns the content of a part in the words of any version. */
function contentOf(part: unknown): unknown {
  const { text, data, raw, file } = part as Part;
  return text ?? data ?? raw ?? file?.bytes;
}

/** The artifacts of a client that adds and replaces as the updates say, as the official SDKs do. */
function gather(updates: readonly Update[]): unknown[][] {
  const artifacts = new Map<string, unknown[]>();
  for (const { artifact, append = false } of updates) {
    const before = append ? (artifacts.get(artifact.artifactId) ?? []) : [];
    artifacts.set(artifact.artifactId, [...before, ...artifact.parts.map(contentOf)]);
  }
  return [...artifacts.values()].map((contents) => joinTexts(contents));
}

/**
 * The artifacts of a client that shows updates as they come, and keeps the one with `lastChunk` in place of them. Recorded of
 * RemoteA2aAgent of google-adk 2.13.0: the event of an update is partial, and left out of the session, unless it has `lastChunk`.
 */
function keepLast(updates: readonly Update[]): unknown[][] {
  return updates.flatMap(({ artifact, lastChunk = false }) => (lastChunk ? [artifact.parts.map(contentOf)] : []));
}

function joinTexts(contents: readonly unknown[]): unknown[] {
  const texts = contents.filter((content) => typeof content === "string").join("");
  return [...(texts === "" ? [] : [texts]), ...contents.filter((content) => typeof content !== "string")];
}

async function* saying(...pieces: string[]) {
  for (const text of pieces) {
    yield { type: "text" as const, text };
    // Each in an update of its own.
    await new Promise((resolve) => setImmediate(resolve));
  }
  return { text: pieces.join("") };
}

const draw = defineTool({
  name: "draw",
  description: "Draws.",
  parameters: { type: "object", properties: {} },
  execute: () => ({
    content: "drawn",
    artifacts: [
      createArtifact({ name: "Drawing", parts: [{ kind: "bytes", base64: "SGk=", mediaType: "image/png" }] }),
    ],
  }),
});
const drawing = { text: "First. ", toolCalls: [{ id: "c1", name: "draw", arguments: {} }] };

const city = { type: "object", properties: { city: { type: "string" } }, required: ["city"] } as const;

/** The answers of agents, and the artifacts that their clients are to have. */
const answers: Record<string, { make: () => Runnable; artifacts: unknown[][] }> = {
  "a text in pieces": {
    make: () => madeAgent(() => saying("Grüße, ", "Ødegård ", "👋🏽.")),
    artifacts: [["Grüße, Ødegård 👋🏽."]],
  },
  "a text in one piece": { make: () => madeAgent(() => saying("One.")), artifacts: [["One."]] },
  "a text and structured data": {
    make: () => scriptedAgent([{ text: '{"city":"Oslo"}' }], { structuredOutput: city }),
    artifacts: [['{"city":"Oslo"}', { city: "Oslo" }]],
  },
  "a file of a tool before the answer": {
    make: () => scriptedAgent([drawing, { text: "There it is." }], { tools: [draw] }),
    artifacts: [["SGk="], ["There it is."]],
  },
  "the answer of a team, whose members speak too": {
    make: () => {
      const member = scriptedAgent([{ text: "Rain." }]);
      const model = new ScriptedModel({ text: "All say rain." });
      return new Team({ name: "helper", mode: "broadcast", model, members: [member] });
    },
    artifacts: [["All say rain."]],
  },
};

describe.each(Object.keys(ways))("a stream of A2A %s", (way) => {
  it.each(Object.keys(answers))(
    "is closed with %s, for clients that keep the last update alone [a2a.closing]",
    async (name) => {
      const { make, artifacts } = answers[name] ?? { make: () => scriptedAgent([]), artifacts: [] };
      const served = await serveA2A({ agents: { helper: make() } });
      const updates = await updatesOf(ways[way]?.(served) ?? served.stream("", {}));
      expect(keepLast(updates)).toEqual(artifacts);
      // Text before the call of a tool began the answer before the file was made.
      expect(new Set(gather(updates))).toEqual(new Set(artifacts));
      expect(updates.flatMap(({ artifact }) => artifact.parts.map(contentOf))).not.toContain("");
    },
  );
});

describe("a remote agent of ours", () => {
  it.each(Object.keys(answers))(
    "streams %s once, whole and in the order in which it came [a2a.closing]",
    async (name) => {
      const { make, artifacts } = answers[name] ?? { make: () => scriptedAgent([]), artifacts: [] };
      const served = await serveA2A({ agents: { helper: make() } });
      const remote = new A2ARemoteAgent({ url: served.url });
      const running = remote.stream("Hi");
      const texts: string[] = [];
      for await (const chunk of running) if (chunk.type === "text") texts.push(chunk.text);
      const answer = artifacts.at(-1)?.[0];
      // Text before the call of a tool was shown, and is no part of the answer.
      expect(texts.join("")).toBe(name.startsWith("a file") ? `First. ${String(answer)}` : answer);
      expect((await running.output).text).toBe(answer);
    },
  );
});
