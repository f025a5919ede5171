import { HttpAgent as CurrentAgent } from "ag-ui-client-1";
import { HttpAgent as OldAgent } from "ag-ui-client-0";
import { describe, expect, it } from "vitest";
import { ask, revisions, serveScenes } from "../test/serve.ts";
import type { Received } from "../test/serve.ts";

const typesOf = (events: readonly Received[]): string[] => events.map(({ type }) => type);
const textOf = (events: readonly Received[]): string =>
  events.flatMap(({ type, delta }) => (type === "TEXT_MESSAGE_CONTENT" ? [String(delta)] : [])).join("");

describe.each(revisions)("AG-UI, as revision %s takes it", (revision) => {
  const isCurrent = revision === "1.0.0";

  it("has text, reasoning, a tool's call and result, sources, artifacts and usage [ag-ui.run]", async () => {
    const { url } = await serveScenes();
    const events = await ask(`${url}/agui/agents/drawer`, revision);

    const merged = typesOf(events).filter((type, index, all) => type !== all[index - 1]);
    expect(merged).toEqual([
      "RUN_STARTED",
      "TEXT_MESSAGE_START",
      "TEXT_MESSAGE_CONTENT",
      "TEXT_MESSAGE_END",
      "TOOL_CALL_START",
      "TOOL_CALL_ARGS",
      "TOOL_CALL_END",
      "TOOL_CALL_RESULT",
      "CUSTOM",
      "REASONING_START",
      "REASONING_MESSAGE_START",
      "REASONING_MESSAGE_CONTENT",
      "REASONING_MESSAGE_END",
      "REASONING_END",
      "TEXT_MESSAGE_START",
      "TEXT_MESSAGE_CONTENT",
      "CUSTOM",
      "TEXT_MESSAGE_END",
      "RUN_FINISHED",
    ]);
    expect(textOf(events)).toBe("I draw.Done.");
    expect(events[0]).toMatchObject({ threadId: "th", ...(isCurrent && { protocolVersion: "1.0" }) });
    expect("protocolVersion" in (events[0] ?? {})).toBe(isCurrent);
    expect(events.at(-1)).toMatchObject({ outcome: { type: "success" }, usage: [{ totalTokens: expect.any(Number) }] });
    expect(typesOf(events)).not.toContain("RAW");
  });

  it.each([true, false])(
    "ends with an interrupt for an approval, and goes on after: %s [ag-ui.interrupts]",
    async (approved) => {
      const { url, paid } = await serveScenes();
      const first = await ask(`${url}/agui/agents/payer`, revision);
      const { outcome } = first.at(-1) as {
        outcome?: { type: string; interrupts: { id: string; toolCallId: string }[] };
      };
      expect(outcome).toMatchObject({ type: "interrupt", interrupts: [{ reason: "tool_call" }] });
      expect(typesOf(first).slice(-2)).toEqual(["TOOL_CALL_END", "RUN_FINISHED"]);

      const [interrupt] = outcome?.interrupts ?? [];
      const resume = [{ interruptId: interrupt?.id, status: "resolved", payload: { approved } }];
      const second = await ask(`${url}/agui/agents/payer`, revision, { resume });

      expect(typesOf(second).slice(0, 2)).toEqual(["RUN_STARTED", "TOOL_CALL_RESULT"]);
      expect(second[1]).toMatchObject({ toolCallId: interrupt?.toolCallId });
      expect(textOf(second)).toBe("Done.");
      expect(paid).toHaveLength(approved ? 1 : 0);
    },
  );

  it("ends at a call of the client's tool, whose result continues it [ag-ui.interrupts] [ag-ui.old]", async () => {
    const { url } = await serveScenes();
    const first = await ask(`${url}/agui/agents/locator`, revision);
    const toolCallId = first.find(({ type }) => type === "TOOL_CALL_START")?.["toolCallId"];
    const outcome = isCurrent ? { type: "success", pendingToolCallIds: [toolCallId] } : undefined;
    expect(first.at(-1)?.["outcome"]).toEqual(outcome);

    const messages = [
      { id: "u1", role: "user", content: "Hi." },
      { id: "t1", role: "tool", toolCallId, content: "60 N" },
    ];
    const second = await ask(`${url}/agui/agents/locator`, revision, { messages });
    expect(textOf(second)).toBe("Done.");
  });

  it("refuses a message that leaves an open interrupt unanswered [ag-ui.interrupts]", async () => {
    const { url } = await serveScenes();
    await ask(`${url}/agui/agents/payer`, revision);

    await expect(ask(`${url}/agui/agents/payer`, revision)).rejects.toThrow(/409 .*waits for answers/);
  });

  it("shows the members of a team as subagents, with their text [ag-ui.run]", async () => {
    const { url } = await serveScenes();
    const events = await ask(`${url}/agui/teams/desk`, revision);

    const started = events.filter(({ type }) => type === "SUBAGENT_STARTED");
    expect(started.map(({ name }) => name)).toEqual(["ann", "bob"]);
    expect(events.filter(({ type }) => type === "SUBAGENT_FINISHED")).toHaveLength(2);
    for (const { subagentRunId, name } of started) {
      expect(textOf(events.filter((event) => event["subagentRunId"] === subagentRunId))).toBe(
        `${String(name)} speaks.`,
      );
    }
    expect(textOf(events.filter(({ subagentRunId }) => subagentRunId === undefined))).toBe("We agree.");
  });

  it("shows the steps of a workflow and its state [ag-ui.run]", async () => {
    const { url } = await serveScenes();
    const events = await ask(`${url}/agui/workflows/trip`, revision, { messages: [], state: { city: "Oslo" } });

    expect(typesOf(events)).toContain("STEP_STARTED");
    expect(events.findLast(({ type }) => type === "STATE_SNAPSHOT")?.["snapshot"]).toEqual({
      city: "Oslo",
      plan: "ann speaks.",
    });
  });

  it("ends a failed run with an error, behind what it has closed [ag-ui.run]", async () => {
    const { url } = await serveScenes();
    const events = await ask(`${url}/agui/agents/failing`, revision);

    expect(typesOf(events).slice(-2)).toEqual(["TEXT_MESSAGE_END", "RUN_ERROR"]);
    expect(events.at(-1)).toMatchObject({ code: expect.any(String) });
    expect(JSON.stringify(events.at(-1))).not.toContain("Error: x");
  });

  it.each(["agents/drawer", "teams/desk"])(
    "is read by its own client without a complaint: %s [ag-ui.run]",
    async (path) => {
      const { url } = await serveScenes();
      const Agent = isCurrent ? CurrentAgent : OldAgent;
      const agent = new Agent({ url: `${url}/agui/${path}`, threadId: "th" });
      agent.addMessage({ id: "u1", role: "user", content: "Hi." });
      await agent.runAgent({ runId: "r-own" });

      const last = agent.messages.at(-1);
      expect([last?.role, last?.content]).toEqual(["assistant", path.startsWith("agents") ? "Done." : "We agree."]);
    },
  );
});

it.each([
  [{ threadId: 7 }, "threadId"],
  [{ threadId: "a/b" }, "sessionId"],
  [{ runId: "" }, "runId"],
  [{ messages: "Hi" }, "messages"],
  [{ messages: [7] }, "messages[0]"],
  [{ resume: [{}] }, "resume[0].interruptId"],
  [{ resume: [{ interruptId: "x", status: "open" }] }, "resume[0].status"],
])("agUi refuses %j before anything runs, and names %s", async (body, field) => {
  const { url } = await serveScenes();
  await expect(ask(`${url}/agui/agents/drawer`, "1.0.0", body)).rejects.toThrow(`400`);
  await expect(ask(`${url}/agui/agents/drawer`, "1.0.0", body)).rejects.toThrow(field);
});

it("agUi finds the run of a request that is sent again with its key, whatever its run id, and begins another without", async () => {
  const { url } = await serveScenes();
  const send = async (runId: string, headers = {}) => {
    const messages = [{ id: "u", role: "user", content: "Hi." }];
    const response = await fetch(`${url}/agui/agents/drawer`, {
      method: "POST",
      headers: { "content-type": "application/json", ...headers },
      body: JSON.stringify({ threadId: "one", runId, messages }),
    });
    await response.text();
    return response.headers.get("x-ag-ui-run-id");
  };
  const key = { "idempotency-key": "key-1" };
  const first = await send("r1", key);

  expect([await send("r1", key), await send("r2", key)]).toEqual([first, first]);
  const others = [await send("r1", { "idempotency-key": "key-2" }), await send("r1"), await send("r2")];
  expect(new Set([first, ...others]).size).toBe(4);
});
