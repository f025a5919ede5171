import { HttpAgent as CurrentAgent } from "ag-ui-client-1";
import { HttpAgent as OldAgent } from "ag-ui-client-0";
import { describe, expect, it } from "vitest";
import { ask, revisions, serveScenes } from "../test/serve.ts";
import type { Received } from "../test/serve.ts";

const stateEvents = (events: readonly Received[]) =>
  events.flatMap(({ type, snapshot, delta }) =>
    type === "STATE_SNAPSHOT" ? [snapshot] : type === "STATE_DELTA" ? [delta] : [],
  );
const set = (path: string, value: unknown) => [{ op: "add", path, value }];

describe.each(revisions)("the state of a workflow, as revision %s takes it", (revision) => {
  const Client = revision === "1.0.0" ? CurrentAgent : OldAgent;

  it("is shown at the beginning, at each step that changes it, and at the end [ag-ui.state]", async () => {
    const { url } = await serveScenes();
    const events = await ask(`${url}/agui/workflows/tour`, revision, { messages: [], state: { city: "Ås" } });

    const end = {
      city: "Ås!",
      stops: ["a", "é"],
      rounds: 2,
      plan: "ann speaks.",
      "a/b~c": null,
      both: 1,
      p1: "bob speaks.",
    };
    expect(stateEvents(events)).toEqual([
      { city: "Ås", stops: ["a", "é"], rounds: 0, both: 0 },
      set("/plan", "ann speaks."),
      [...set("/city", "Ås!"), ...set("/a~1b~0c", null)],
      set("/both", 1),
      set("/p1", "bob speaks."),
      set("/rounds", 1),
      set("/rounds", 2),
      set("/visit", []),
      set("/visit/0", "eve speaks."),
      set("/visit/1", "eve speaks."),
      { ...end, visit: ["eve speaks.", "eve speaks."] },
    ]);
  });

  it("is the same for the client as for the workflow, at each step [ag-ui.state]", async () => {
    const { url } = await serveScenes();
    const agent = new Client({ url: `${url}/agui/workflows/tour`, threadId: "th", initialState: { city: "Ås" } });
    const states: unknown[] = [];
    agent.subscribe({ onStateChanged: ({ state }) => void states.push(structuredClone(state)) });
    await agent.runAgent({ runId: "r" });

    expect(states.map((state) => Object.keys(state as object).length)).toEqual([4, 5, 6, 6, 7, 7, 7, 8, 8, 8, 8]);
    expect(agent.state).toMatchObject({ city: "Ås!", rounds: 2, "a/b~c": null, visit: ["eve speaks.", "eve speaks."] });
  });

  it("begins another run of the thread, though it has keys that only steps set [ag-ui.request]", async () => {
    const { url } = await serveScenes();
    const agent = new Client({ url: `${url}/agui/workflows/tour`, threadId: "th", initialState: { city: "Ås" } });
    await agent.runAgent({ runId: "r1" });
    await agent.runAgent({ runId: "r2" });

    expect(agent.state).toMatchObject({ city: "Ås!!", rounds: 3, plan: "ann speaks." });
  });

  it("goes on from the client's own where a question is answered [ag-ui.state]", async () => {
    const { url } = await serveScenes();
    const path = `${url}/agui/workflows/asking`;
    const first = await ask(path, revision, { messages: [], state: { city: "Ås" } });
    const { outcome } = first.at(-1) as { outcome?: { interrupts: { id: string; reason: string }[] } };
    const [interrupt] = outcome?.interrupts ?? [];
    expect(interrupt?.reason).toBe("troupe:question");
    expect(stateEvents(first)).toEqual([{ city: "Ås" }, set("/plan", "ann speaks.")]);

    const resume = [{ interruptId: interrupt?.id, status: "resolved", payload: "ja" }];
    const second = await ask(path, revision, { messages: [], resume });
    expect(stateEvents(second)).toEqual([set("/wish", "ja"), { city: "Ås", plan: "ann speaks.", wish: "ja" }]);
  });
});
