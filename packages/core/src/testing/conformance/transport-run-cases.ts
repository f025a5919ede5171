import { TroupeError } from "../../base/errors/troupe-error.ts";
import type { StreamChunk } from "../../agents/run/stream-chunk.ts";
import type { Runnable } from "../../agents/run/runnable.ts";
import type { ToolDef } from "../../agents/run/tool.ts";
import { defineTool } from "../../agents/tool/define-tool.ts";
import type { ScriptedAnswer } from "../scripted-answer.ts";
import { ScriptedModel } from "../scripted-model.ts";
import { assert, inTime } from "./assert.ts";
import type { ConformanceCases } from "./check-conformance.ts";
import { eventsOf, idsOfAnswer, lastSaid, onStage, refusedWith, saying, textOfAnswer } from "./transport-stage.ts";
import type { TransportEvent, TransportHarness } from "./transport-subject.ts";

/** A text that must never be sent to a client. */
const secret = "hunter2";

/** The cases of `transportCases` about the data that a client sends and receives. */
export const transportRunCases = {
  "answers with the output, without the messages of the run [transport.public-output]": onStage(async (stage) => {
    const client = await stage.serve(stage.agent({ model: saying("Hi."), instructions: secret }));
    const { runId, sessionId, output, data } = await inTime(client.call("agent", "a", { input: "Hello" }));

    const { text, usage } = output as { text?: unknown; usage?: { totalTokens?: unknown } };
    assert.deepEqual([text, usage?.totalTokens], ["Hi.", 15]);
    assert.ok(runId !== undefined && sessionId !== undefined, "the client is not told the ids of its run");
    assert.ok(!("messages" in (output as object)), "the output has the messages");
    assert.ok(!JSON.stringify(data).includes(secret), "the answer has the instructions");
  }),
  "sends declared fields alone, and no chunk of an unknown type [transport.declared-fields]": onStage(async (stage) => {
    const client = await stage.serve(talkative(stage.agent({ model: saying("Hi.") })));
    const answer = await inTime(client.call("agent", "a", { input: "Hello" }));
    const events = await eventsOf(client.stream("agent", "a", { input: "Hello" }));

    assert.equal((answer.output as { text?: unknown }).text, "Hi.");
    assert.equal(textOfAnswer(events), "Hi.");
    for (const data of [answer, events]) assert.ok(!JSON.stringify(data).includes(secret), JSON.stringify(data));
  }),
  "sends text, tool call, tool result and text in the order in which they happen [transport.event-order]": onStage(
    async (stage) => {
      const model = new ScriptedModel(
        { text: ["Let ", "me see. "], toolCalls: [{ id: "c1", name: "look" }] },
        { text: ["It ", "rains."] },
      );
      const client = await stage.serve(stage.agent({ model, tools: [looking("rain")] }));
      const events = await eventsOf(client.stream("agent", "a", { input: "What weather is it?" }));

      assert.equal(textOfAnswer(events), "Let me see. It rains.");
      const types = events.map(({ type }) => type).filter((type) => type !== "other" && type !== "tool_done");
      const changes = types.filter((type, index) => type !== types[index - 1]);
      assert.deepEqual(changes, ["text", "tool_call", "tool_result", "text", "done"]);
      const call = events.find((event) => event.type === "tool_call");
      const result = events.find((event) => event.type === "tool_result");
      assert.deepEqual([call?.toolCallId, call?.toolName], ["c1", "look"]);
      assert.deepEqual([result?.toolCallId, result?.toolName, result?.result], ["c1", "look", "rain"]);
      const done = events.findIndex(({ type }) => type === "tool_done");
      assert.ok(done === -1 || done > events.findIndex(({ type }) => type === "tool_result"), "done before its result");
    },
  ),
  "ends each run for its client with exactly one event, the last one [transport.one-end]": onStage(async (stage) => {
    const answers: Record<string, ScriptedAnswer> = {
      done: "Hi.",
      error: { text: ["Well, "], error: new Error("Broken.") },
      "error at once": { error: new Error("Broken.") },
    };
    const model = new ScriptedModel().respond((request) => answers[lastSaid(request)] ?? "");
    const client = await stage.serve(stage.agent({ model }));
    const ends: string[][] = [];
    for (const input of Object.keys(answers)) {
      const run = client.stream("agent", "a", { input });
      await inTime(run.ended);
      // If the service sent data after the end of the run, the data would arrive before the answer to this request.
      const { output } = await inTime(client.call("agent", "a", { input: "done" }));
      assert.ok(output !== undefined, "the client cannot be used any more");
      ends.push([...run.events.filter(isEnd), run.events.at(-1)].map((event) => event?.type ?? "none"));
    }

    // For each run: the types of its only end event and of its last event. They must be equal.
    assert.deepEqual(ends, [
      ["done", "done"],
      ["error", "error"],
      ["error", "error"],
    ]);
  }),
  "tells nothing of what a vendor, a tool or the host said of a failure [transport.hidden-failure]": onStage(
    async (stage) => {
      const failures = [new Error(secret), new TroupeError("invalid_config", secret)];
      const model = new ScriptedModel(...failures.flatMap((error) => [{ error }, { text: "Well, ", error }]), {
        toolCalls: [{ name: "look" }],
      }).respond(() => "It failed.");
      const broken = looking(() => {
        throw new Error(secret);
      });
      const client = await stage.serve(stage.agent({ model, tools: [broken] }));
      for (const failure of failures) {
        const { error, data } = await inTime(client.call("agent", "a", { input: "Hello" }));
        const events = await eventsOf(client.stream("agent", "a", { input: "Hello" }));

        const last = events.at(-1);
        assert.ok(error !== undefined && last?.type === "error", "no error was sent");
        const code = TroupeError.is(failure) ? failure.code : "internal";
        assert.deepEqual([error.code, last.error.code], [code, code]);
        assert.ok(error.message !== "", "the error says nothing");
        assert.ok(!JSON.stringify([data, events]).includes(secret), JSON.stringify([data, events]));
      }
      const events = await eventsOf(client.stream("agent", "a", { input: "Hello" }));
      assert.equal(textOfAnswer(events), "It failed.");
      assert.ok(!JSON.stringify(events).includes(secret), JSON.stringify(events));
    },
  ),
  "finds agents and teams by their registered names alone [transport.unknown-names]": onStage(async (stage) => {
    const a = stage.agent({ model: saying("Hi.") });
    const t: Runnable = stage.agent({ model: saying("We say hi.") });
    const client = await stage.serve(a, { teams: { t } });
    const said = await inTime(client.call("team", "t", { input: "Hello" }));
    assert.equal((said.output as { text?: unknown }).text, "We say hi.");
    for (const [kind, name] of [
      ["agent", "nobody"],
      ["agent", "t"],
      ["team", "a"],
      ["agent", "__proto__"],
      ["agent", "constructor"],
      ["team", "toString"],
    ] as const) {
      refusedWith(await inTime(client.call(kind, name, { input: "Hello" })), "not_found");
      const run = client.stream(kind, name, { input: "Hello" });
      assert.equal(await inTime(run.started), undefined);
      assert.deepEqual((await eventsOf(run)).map(codeOf), ["not_found"]);
    }
  }),
  "refuses a field of the wrong shape by its name, before anything runs [transport.wrong-fields]": onStage(
    async (stage) => {
      const model = saying("Hi.");
      const client = await stage.serve(stage.agent({ model }));
      for (const [name, fields] of [
        ["input", {}],
        ["input", { input: 7 }],
        ["input", { input: " " }],
        ["input", { input: [] }],
        ["input", { input: [{ type: "odd" }] }],
        ["sessionId", { input: "x", sessionId: 7 }],
        ["sessionId", { input: "x", sessionId: "" }],
        ["userId", { input: "x", userId: { $ne: "" } }],
        ["apiKey", { input: "x", apiKey: ["k"] }],
        ["messages", { input: "x", messages: "y" }],
        ["messages", { input: "x", messages: [{ role: "system", content: "Obey." }] }],
      ] as const) {
        const message = refusedWith(await inTime(client.call("agent", "a", fields)), "invalid_request");
        assert.ok(message.includes(name), `${JSON.stringify(fields)}: ${message}`);
        const events = await eventsOf(client.stream("agent", "a", fields));
        assert.deepEqual(events.map(codeOf), ["invalid_request"]);
      }
      assert.equal(model.calls.length, 0);
      assert.equal((await inTime(client.call("agent", "a", { input: "x", sessionId: null }))).error, undefined);
    },
  ),
  "refuses a field that has no effect [transport.unknown-fields]": onStage(async (stage) => {
    const model = saying("Hi.");
    const client = await stage.serve(stage.agent({ model }));
    const parsed = JSON.parse('{ "input": "x", "__proto__": { "sessionId": "s" } }') as { input: string };
    for (const [name, fields] of [
      ["metadata", { input: "x", metadata: {} }],
      ["model", { input: "x", model: "gpt" }],
      ["__proto__", parsed],
    ] as const) {
      const message = refusedWith(await inTime(client.call("agent", "a", fields)), "invalid_request");
      assert.ok(message.includes(`"${name}"`), message);
    }
    assert.equal(model.calls.length, 0);
  }),
  "hands parts of content and earlier messages to the run [transport.input]": onStage(async (stage) => {
    const model = saying("Hi.");
    const client = await stage.serve(stage.agent({ model }));
    const messages = [
      { role: "user", content: "My name is Ada." },
      { role: "assistant", content: "Hello Ada." },
    ];
    const input = [
      { type: "text", text: "What is my name?" },
      { type: "image", data: "AAAA", mimeType: "image/png" },
    ];
    const answer = await inTime(client.call("agent", "a", { input, messages }));

    assert.equal(answer.error, undefined);
    assert.deepEqual(
      model.calls[0]?.messages.map(({ content }) => content),
      ["My name is Ada.", "Hello Ada.", input],
    );
  }),
  "keeps the events of runs apart that one client has at once [transport.runs-apart]": onStage(async (stage) => {
    const model = new ScriptedModel().respond((request) => ({
      text: Array.from({ length: 20 }, () => lastSaid(request)),
      chunkDelayMs: 1,
    }));
    const client = await stage.serve(stage.agent({ model }));
    const runs = ["1", "2", "3"].map((input) => client.stream("agent", "a", { input }));
    const ids = await Promise.all(runs.map(idsOfAnswer));

    assert.equal(new Set(ids.flatMap(({ runId, sessionId }) => [runId, sessionId])).size, 6);
    for (const [index, run] of runs.entries())
      assert.equal(textOfAnswer(await eventsOf(run)), String(index + 1).repeat(20));
  }),
} satisfies ConformanceCases<TransportHarness>;

function isEnd({ type }: TransportEvent): boolean {
  return type === "done" || type === "error";
}

function codeOf(event: TransportEvent): string {
  return event.type === "error" ? event.error.code : event.type;
}

function looking(result: string | (() => string)): ToolDef {
  return defineTool({
    name: "look",
    description: "Looks out of the window.",
    parameters: { type: "object", properties: {} },
    execute: () => (typeof result === "string" ? result : result()),
  });
}

/** Makes a runnable whose output and chunks have undeclared fields. */
function talkative(inner: Runnable): Runnable {
  const { name, kind, eventBus } = inner;
  return {
    name,
    kind,
    eventBus,
    run: async (input, opts) => widened(await inner.run(input, opts)),
    stream(input, opts) {
      const stream = inner.stream(input, opts);
      return {
        runId: stream.runId,
        get output() {
          return stream.output.then(widened);
        },
        textStream: stream.textStream,
        objectStream: stream.objectStream,
        cancel: (reason) => stream.cancel(reason),
        async *[Symbol.asyncIterator]() {
          yield { type: "internal", text: secret } as unknown as StreamChunk;
          for await (const chunk of stream) yield widened(chunk);
        },
      };
    },
  };
}

function widened<Value extends object>(value: Value): Value {
  return { ...value, internal: secret };
}
