import { describe, expect, it } from "vitest";
import type { Source } from "../../base/message/source.ts";
import { toPublicOutput } from "../run/run-output.ts";
import { InMemoryStorage } from "../../sessions/storage/in-memory-storage.ts";
import { readAll } from "../../testing/conformance/runnable-subject.ts";
import { Agent } from "./agent.ts";
import { answering, callOf, look, scripted } from "./test/agents.ts";

const oslo: Source = { id: "1", url: "https://example.com/oslo", title: "Oslo", toolCallId: "search_1" };
const osloAgain: Source = { id: "2", url: "https://example.com/oslo" };
const rome: Source = { id: "1", url: "https://example.com/rome" };
const report: Source = { id: "file_1", title: "report.pdf" };

/** Two model calls: the second names a page again, and gives another page the id of the first. */
const turns = [
  { toolCalls: [callOf("1")], sources: [oslo, report] },
  { text: "Rain.", sources: [osloAgain, rome, report] },
];

describe("the sources of an answer", () => {
  it("are collected over all model calls, none twice by address or id [output.sources]", async () => {
    const { agent } = scripted(turns, { tools: [look] });
    const output = await agent.run("Weather?");

    expect(output.sources).toEqual([oslo, report, { ...rome, id: expect.any(String) }]);
    expect(new Set(output.sources?.map(({ id }) => id)).size).toBe(3);
    expect(toPublicOutput(output).sources).toEqual(output.sources);
  });

  it("are chunks of the stream, each once and as it stands in the output [chunk.source]", async () => {
    const { agent } = scripted(turns, { tools: [look] });
    const stream = agent.stream("Weather?");
    const chunks = await readAll(stream);

    const { sources = [] } = await stream.output;
    expect(sources).toHaveLength(3);
    expect(chunks.filter(({ type }) => type === "source")).toEqual(
      sources.map((source) => ({ type: "source", ...source })),
    );
    expect(chunks.findIndex(({ type }) => type === "source")).toBeLessThan(
      chunks.findIndex(({ type }) => type === "tool_result"),
    );
  });

  it("are absent where a model names none, or what it names is none [output.sources]", async () => {
    expect(await scripted(["Rain."]).agent.run("Weather?")).not.toHaveProperty("sources");
    const odd = [null, "x", {}, { id: 7 }, { id: "" }];
    const answer = { text: "Rain.", toolCalls: [], finishReason: "stop" };
    for (const sources of [odd, "https://example.com", { id: "1" }]) {
      const agent = new Agent({ name: "a", model: answering({ ...answer, sources }) });

      expect(await agent.run("Weather?")).not.toHaveProperty("sources");
    }
  });

  it("hold the declared fields alone, and no address that would run as a program [output.sources]", async () => {
    const given = [
      { id: "1", url: "javascript:alert(1)", title: "One" },
      { id: "2", url: " java\nscript:alert(1)" },
      { id: "3", url: "data:text/html,<script>" },
      { id: "4", url: "gs://bucket/a.pdf", secret: "x" },
      { id: "5", url: 5, title: ["x"], toolCallId: null },
    ];
    const { agent } = scripted([{ text: "Rain.", sources: given as never }]);

    expect((await agent.run("Weather?")).sources).toEqual([
      { id: "1", title: "One" },
      { id: "2" },
      { id: "3" },
      { id: "4", url: "gs://bucket/a.pdf" },
      { id: "5" },
    ]);
  });

  it("are in the stored turn, in the second one its own alone [turn.sources]", async () => {
    const storage = new InMemoryStorage();
    const { agent } = scripted([{ text: "Rain.", sources: [oslo] }, { text: "Sun.", sources: [rome] }, "Snow."], {
      storage,
      sessionId: "s",
    });
    for (const city of ["Oslo?", "Rome?", "Bergen?"]) await agent.run(city);

    const { turns: stored } = await agent.sessions.readTurns("s");
    expect(stored.map(({ sources }) => sources)).toEqual([[oslo], [rome], undefined]);
  });
});
