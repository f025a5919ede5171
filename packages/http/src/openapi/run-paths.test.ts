import { Workflow } from "@troupe/core";
import { createService } from "@troupe/core/service";
import type { ServiceOptions } from "@troupe/core/service";
import { describe, expect, it } from "vitest";
import { counter, desk, talker } from "../../test/runnables.ts";
import { readDocsOptions } from "../settings/docs-options.ts";
import { partsOf, readHttpOptions } from "../settings/http-options.ts";
import type { HttpOptions } from "../settings/http-options.ts";
import { eventStream, OperationIds, questionFor, runPaths } from "./run-paths.ts";

const pathsOf = ({ fileUpload, ...options }: ServiceOptions & HttpOptions, docs: object = {}) =>
  runPaths(
    partsOf(createService(options), readHttpOptions({ fileUpload }, "http")),
    readDocsOptions(docs, { path: "swagger" }),
  );

describe("OperationIds", () => {
  it("makes names of what was registered, each given once", () => {
    const ids = new OperationIds();
    const names = ["a", "a", "a-b", "a_b", "a.b", "ä", "a_2", "A9", ""];
    expect(names.map((name) => ids.next("run_agent", name))).toEqual([
      "run_agent_a",
      "run_agent_a_2",
      "run_agent_a_b",
      "run_agent_a_b_2",
      "run_agent_a_b_3",
      "run_agent__",
      "run_agent_a_2_2",
      "run_agent_A9",
      "run_agent_",
    ]);
    expect([ids.next("stream_agent", "a"), new OperationIds().next("run_agent", "a")]).toEqual([
      "stream_agent_a",
      "run_agent_a",
    ]);
  });
});

describe("questionFor", () => {
  it.each([
    ["a", "Why?"],
    ["b", "What can you help me with?"],
    ["toString", "What can you help me with?"],
  ])("proposes to %s its own question or the usual one", (name, question) => {
    expect(questionFor(name, { a: "Why?" })).toBe(question);
  });
});

describe("eventStream", () => {
  it.each<[string, string, string]>([
    ["StreamEvent", '{"type":"text","text":"Hi."}', '{"type":"finish","finishReason":"stop"}'],
    ["StoredRunEvent", '{"type":"text","text":"Hi."}', '{"type":"finish","finishReason":"stop"}'],
    ["WorkflowEvent", '{"type":"step_start","step":"answer"}', '{"type":"finish","result":{}}'],
  ])("of %s names the schema of its events, and shows two and a heartbeat", (event, first, last) => {
    const { "text/event-stream": stream, ...others } = eventStream(event);
    expect(others).toEqual({});
    expect(stream?.example).toBe(`id: 1\ndata: ${first}\n\n: heartbeat\n\nid: 2\ndata: ${last}\n\n`);
    expect(stream?.schema).toMatchObject({ type: "string", "x-event-data": { $ref: `#/components/schemas/${event}` } });
  });
});

describe("runPaths", () => {
  it("has two paths for each name, agents first, then teams and workflows, with encoded names", () => {
    const workflows = { "w?": counter() };
    expect(Object.keys(pathsOf({ workflows, teams: { "t u": desk() }, agents: { b: talker(), ä: talker() } }))).toEqual(
      ["/agents/b", "/agents/%C3%A4", "/teams/t%20u", "/workflows/w%3F"].flatMap((path) => [
        `${path}/run`,
        `${path}/stream`,
      ]),
    );
  });

  it.each<[string, string]>([
    ["Plain (text). 1-2!", "Plain (text). 1-2!"],
    ["\\ ` * _ [ ] < > & # | ~", "\\\\ \\` \\* \\_ \\[ \\] \\< \\> \\& \\# \\| \\~"],
    ["http://a HTTPS://b www.c xhttp://d http e", "http\u{200b}://a HTTPS\u{200b}://b www\u{200b}.c xhttp://d http e"],
  ])("shows the description %j as it stands", (description, shown) => {
    const { "/agents/a/run": run, "/agents/a/stream": stream } = pathsOf({
      agents: { a: talker("Hi.", { description }) },
    });
    expect([run?.post?.description, stream?.post?.description]).toEqual([shown, shown]);
  });

  it("has the description of each kind, and its own question in its examples", () => {
    const workflow = new Workflow({
      name: "w",
      description: "Counts.",
      initialState: {},
      steps: [{ name: "x", run: () => ({}) }],
    });
    const agents = { a: talker("Hi.", { description: "Talks." }), b: talker() };
    const paths = pathsOf({ agents, workflows: { w: workflow }, fileUpload: true }, { questions: { a: "Why?" } });
    const shown = ["/agents/a/run", "/agents/b/run", "/workflows/w/run"].map((path) => {
      const { summary, description, requestBody } = paths[path]?.post ?? {};
      const examples = Object.entries(requestBody?.content ?? {}).map(([type, { example }]) => [type, example]);
      return [summary, description, requestBody?.required, Object.fromEntries(examples) as object];
    });
    const asks = (input: string) => ({ "application/json": { input }, "multipart/form-data": { input } });
    expect(shown).toEqual([
      ["Run the agent a", "Talks.", true, asks("Why?")],
      ["Run the agent b", "Answers once the run has ended.", true, asks("What can you help me with?")],
      ["Run the workflow w", "Counts.", false, { "application/json": {} }],
    ]);
  });

  it("has the input that a workflow declares, instead of all keys of its state", () => {
    const workflow = new Workflow({
      name: "w",
      initialState: { city: "Oslo", text: "" },
      inputSchema: { type: "object", properties: { city: { type: "string", const: "Oslo" } }, required: ["city"] },
      steps: [{ name: "x", run: () => ({}) }],
    });

    const { requestBody } = pathsOf({ workflows: { w: workflow } })["/workflows/w/run"]?.post ?? {};

    expect(requestBody?.content["application/json"]?.schema).toMatchObject({
      properties: {
        input: {
          oneOf: [{ properties: { city: { type: "string", enum: ["Oslo"] } }, required: ["city"] }, { type: "string" }],
        },
      },
    });
  });
});
