import { describe, expect, it } from "vitest";
import { ask, revisions, serveScenes } from "../test/serve.ts";
import type { Received } from "../test/serve.ts";

const textOf = (events: readonly Received[]): string =>
  events.map(({ type, delta }) => (type === "TEXT_MESSAGE_CONTENT" ? delta : "")).join("");
const says = (content: string, id = "u1") => ({ messages: [{ id, role: "user", content }] });
const typesOf = (events: readonly Received[]): string[] => events.map(({ type }) => type);

/** Returns the answer that approves all calls for which a run waits. */
function approvalOf(events: readonly Received[]): object {
  const { outcome } = events.at(-1) as { outcome?: { interrupts: { id: string }[] } };
  const resume = outcome?.interrupts.map(({ id }) => {
    return { interruptId: id, status: "resolved", payload: { approved: true } };
  });
  return { resume };
}

describe.each(revisions)("the id that a client gives a run, as revision %s takes it", (revision) => {
  it("finds the run again: the same events, and nothing done twice [ag-ui.run-id]", async () => {
    const { url } = await serveScenes();
    const request = { runId: "r", ...says("Où?") };
    const first = await ask(`${url}/agui/agents/drawer`, revision, request);

    expect(await ask(`${url}/agui/agents/drawer`, revision, request)).toEqual(first);
  });

  it("finds a run that waits, though no other can begin in its thread [ag-ui.run-id]", async () => {
    const { url, paid } = await serveScenes();
    const payer = `${url}/agui/agents/payer`;
    const first = await ask(payer, revision, { runId: "r", ...says("Pay.") });

    expect(await ask(payer, revision, { runId: "r", ...says("Pay.") })).toEqual(first);
    await expect(ask(payer, revision, { runId: "r2", ...says("Pay.") })).rejects.toThrow(/409 .*waits for answers/);
    expect(textOf(await ask(payer, revision, approvalOf(first)))).toBe("Done.");
    expect(paid).toHaveLength(1);
  });

  it("is refused for another message [ag-ui.run-id]", async () => {
    const { url } = await serveScenes();
    await ask(`${url}/agui/agents/drawer`, revision, { runId: "r", ...says("Où?") });

    await expect(ask(`${url}/agui/agents/drawer`, revision, { runId: "r", ...says("Là?") })).rejects.toThrow(
      /422 .*idempotency_mismatch/,
    );
  });

  it("is one of its thread, its agent and its user alone [ag-ui.run-id]", async () => {
    const { url, paid } = await serveScenes();
    const ids = new Set<string>();
    for (const [name, threadId] of [
      ["drawer", "one"],
      ["drawer", "two"],
      ["failing", "one"],
    ] as const) {
      const events = await ask(`${url}/agui/agents/${name}`, revision, { runId: "r", threadId, ...says("Hi.") });
      const message = events.find(({ type }) => type === "TEXT_MESSAGE_START");
      ids.add(String(message?.["messageId"]));
    }

    expect(ids.size).toBe(3);
    expect(paid).toEqual([]);
  });
});

describe.each(revisions)("answers that are sent twice, as revision %s takes it", (revision) => {
  it("are followed by the same events while the run goes on, and change nothing [ag-ui.interrupts]", async () => {
    const { url, paid, released } = await serveScenes();
    const waiter = `${url}/agui/agents/waiter`;
    const approval = approvalOf(await ask(waiter, revision, { ...says("Pay.") }));
    const answers = [ask(waiter, revision, approval), ask(waiter, revision, approval)];
    await released.isAsked;
    released.goOn();
    const [one = [], other = []] = await Promise.all(answers);

    expect(typesOf(one)).toEqual(["RUN_STARTED", "TOOL_CALL_RESULT", ...typesOf(one).slice(2)]);
    expect(other.slice(1, -1)).toEqual(one.slice(1, -1));
    expect(textOf(one)).toBe("Done.");
    expect(paid).toHaveLength(1);
  });
});

describe.each(revisions)("the tools of the front end, as revision %s takes it", (revision) => {
  const parameters = { type: "object", properties: { colour: { type: "string" } } };
  const paint = { name: "paint", description: "Paints the page.", parameters };

  it("are offered to the model, end the stream where they are called, and go on with their result [ag-ui.tools]", async () => {
    const { url, offered } = await serveScenes();
    const painter = `${url}/agui/agents/painter`;
    const first = await ask(painter, revision, { tools: [paint], ...says("Paint.") });
    const toolCallId = first.find(({ type }) => type === "TOOL_CALL_START")?.["toolCallId"];

    expect(offered.at(-1)).toEqual(["locate", "paint"]);
    expect(typesOf(first).slice(-2)).toEqual(["TOOL_CALL_END", "RUN_FINISHED"]);
    const { messages } = says("Paint.");
    const result = { id: "t1", role: "tool", toolCallId, content: "bläulich" };
    const second = await ask(painter, revision, { tools: [paint], messages: [...messages, result] });
    expect(second[1]).toMatchObject({ type: "TOOL_CALL_RESULT", content: "bläulich" });
    expect(textOf(second)).toBe("Done.");
  });

  it.each([
    ["without a schema", { name: "paint", description: "Paints." }],
    ["with a schema of nothing", { ...paint, parameters: {} }],
    ["without a description", { name: "paint" }],
    ["with a description of nothing", { ...paint, description: "" }],
  ])("may be %s [ag-ui.tools]", async (_, tool) => {
    const { url, offered } = await serveScenes();
    await ask(`${url}/agui/agents/painter`, revision, { tools: [tool] });

    expect(offered.at(-1)).toEqual(["locate", "paint"]);
  });

  it("may be those that the agent declares, and are offered once [ag-ui.tools]", async () => {
    const { url, offered } = await serveScenes();
    await ask(`${url}/agui/agents/painter`, revision, { tools: [{ ...paint, name: "locate" }, paint] });

    expect(offered.at(-1)).toEqual(["locate", "paint"]);
  });

  it.each([
    [[7], "tools[0] must be an object"],
    [[paint, { description: "x" }], "tools[1].name must be 1 to 64 letters"],
    [[{ ...paint, parameters: ["x"] }], "tools[0].parameters must be an object"],
    [[{ ...paint, parameters: "x" }], "tools[0].parameters must be an object"],
    [[paint, paint], "tools[1].name"],
    [[{ ...paint, name: "not a name" }], "tools[0]"],
    [{}, "tools must be an array"],
  ])("are refused before anything runs: %j [ag-ui.tools]", async (tools, message) => {
    const { url, offered } = await serveScenes();

    await expect(ask(`${url}/agui/agents/painter`, revision, { tools })).rejects.toThrow(`400`);
    await expect(ask(`${url}/agui/agents/painter`, revision, { tools })).rejects.toThrow(message);
    expect(offered).toEqual([]);
  });

  it("never replace a tool of the agent [ag-ui.tools]", async () => {
    const { url } = await serveScenes();

    await expect(ask(`${url}/agui/agents/payer`, revision, { tools: [{ ...paint, name: "pay" }] })).rejects.toThrow(
      /400 .*"field":"tools\[0\]\.name".*tools\[0\]\.name must not be/,
    );
  });

  it.each(["teams/desk", "workflows/trip"])("are left out of %s, which have none [ag-ui.tools]", async (path) => {
    const { url } = await serveScenes();
    const input = path.startsWith("teams") ? says("Hi.") : { messages: [], state: { city: "Oslo" } };
    const events = await ask(`${url}/agui/${path}`, revision, { tools: [paint], ...input });

    expect(events.at(-1)?.type).toBe("RUN_FINISHED");
  });
});
