import { createElement } from "preact";
import { act } from "preact/test-utils";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { InspectedRun, InspectedRunPage } from "../../src/inspector/inspected-run.ts";
import { showOnPage } from "../test/fake-page.ts";
import { outlinePage } from "../test/outline-page.ts";
import { InspectorError } from "./inspector-client.ts";
import type { InspectorClient } from "./inspector-client.ts";
import { RunList } from "./run-list.tsx";

beforeEach(() => {
  vi.useFakeTimers({ now: 10_000 });
  vi.stubGlobal("document", { hidden: false });
  vi.spyOn(Date.prototype, "toLocaleString").mockImplementation(function shown(this: Date, ...given) {
    return `<time ${Number(this)} ${JSON.stringify(given)}>`;
  });
});
afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

/** The request for all runs. */
const any = { status: "", name: "", text: "", since: "", session: "", minTokens: "", minMs: "", tag: "", user: "" };

/** A client whose lists the test gives, and the requests that it got. */
function listing(pages: readonly (InspectedRunPage | Error)[]) {
  const asked: unknown[] = [];
  const signals: AbortSignal[] = [];
  const client = {
    list: async (options: object, signal: AbortSignal) => {
      const page = pages[Math.min(asked.length, pages.length - 1)];
      asked.push(options);
      signals.push(signal);
      if (page instanceof Error) throw page;
      return await Promise.resolve(page);
    },
  } as unknown as InspectorClient;
  const props: Parameters<typeof RunList>[0] = { client, runId: "r2" };
  const shown = showOnPage((given: typeof props) => createElement(RunList, given), props);
  const pass = async (ms: number) => await act(async () => void (await vi.advanceTimersByTimeAsync(ms)));
  const ids = () =>
    shown.body
      .all("a")
      .map(({ attributes }) => String(attributes["href"]))
      .filter((href) => href.startsWith("#/inspector/"))
      .map((href) => href.slice("#/inspector/".length));
  const notes = () => shown.body.all("p").map(({ text }) => text);
  return { ...shown, asked, signals, pass, ids, notes };
}

const run = (runId: string, createdAt: number, fields: Partial<InspectedRun> = {}): InspectedRun => ({
  runId,
  kind: "agent",
  name: "clerk\u202e",
  sessionId: "s",
  status: "running",
  createdAt,
  attempts: 0,
  ...fields,
});
const page = (runs: readonly InspectedRun[], more: Partial<InspectedRunPage> = {}): InspectedRunPage => ({
  runs: [...runs],
  sees: "own",
  ...more,
});

describe("the list of runs", () => {
  it("is shown like this", async () => {
    const runs = [
      run("é/1", 9000, { question: "Où est\u202e Oslo?" }),
      run("r2", 8000, { kind: "team", status: "completed", startedAt: 8500, endedAt: 9000 }),
      run("r3", 7000, { kind: "workflow", status: "error", endedAt: 9000 }),
    ];
    const { body, pass } = listing([page(runs, { next: "r3" })]);
    const loading = outlinePage(body);
    await pass(0);

    await expect(`${loading}\n\n${outlinePage(body)}\n`).toMatchFileSnapshot("../test/outlines/run-list.txt");
  });

  it("is read every 2.5 seconds, newest first, and keeps what is older", async () => {
    const { pass, ids, asked } = listing([
      page([run("b", 2), run("a", 1)], { next: "n" }),
      page([run("c", 3), run("b", 2)]),
      page([run("d", 4), run("c", 3)]),
    ]);
    await pass(0);
    expect(ids()).toEqual(["b", "a"]);
    await pass(2499);
    expect(asked).toHaveLength(1);
    await pass(1);
    expect(ids()).toEqual(["c", "b", "a"]);
    await pass(2500);

    expect(ids()).toEqual(["d", "c", "b", "a"]);
    expect(asked).toEqual([any, any, any]);
  });

  it("drops a run that a full newest page does not have any more", async () => {
    const { pass, ids } = listing([page([run("c", 3), run("b", 2), run("a", 1)]), page([run("c", 3), run("a", 1)])]);
    await pass(0);
    await pass(2500);

    expect(ids()).toEqual(["c", "a"]);
  });

  it("has a page of older runs behind it, each once", async () => {
    const { body, pass, ids, asked } = listing([
      page([run("c", 3), run("b", 2)], { next: "b" }),
      page([run("b", 2), run("a", 1)], { next: "a" }),
      page([run("c", 3), run("b", 2)], { next: "b" }),
      page([run("z", 0)]),
    ]);
    await pass(0);
    body.all("button").at(-1)?.fire("click");
    await pass(0);
    expect([ids(), asked.at(-1)]).toEqual([["c", "b", "a"], { ...any, after: "b" }]);
    await pass(2500);
    body.all("button").at(-1)?.fire("click");
    await pass(0);

    expect([ids(), asked.at(-1)]).toEqual([["c", "b", "a", "z"], { ...any, after: "a" }]);
    expect(body.all("button")).toEqual([]);
  });

  it.each([
    ["", "No runs yet. Start one in the chat."],
    ["error", "No runs of this kind."],
  ])("the list of runs of the status %j says that it is empty", async (status, note) => {
    const { body, pass, notes, asked, signals } = listing([page([], { sees: "all" })]);
    body.one("Status").value = status;
    if (status !== "") body.one("Status").fire("change");
    await pass(0);

    expect([notes(), body.one("h2").text, asked.at(-1)]).toEqual([[note], "All runs", { ...any, status }]);
    expect(signals.slice(0, -1).every(({ aborted }) => aborted)).toBe(true);
  });

  it("the list of runs is searched by question, name, time and session, once for each search [page.inspector-runs]", async () => {
    const found = page([run("a", 9000, { name: "poet" })], { next: "n" });
    const { body, pass, asked, ids, showWith, notes } = listing([
      page([run("b", 9500), run("a", 9000)]),
      found,
      found,
      page([], { next: "m" }),
    ]);
    await pass(0);
    const change = async (label: string, value: string) => {
      body.one(label).value = value;
      body.one(label).fire("change");
      await pass(0);
    };
    await change("Search runs", " Où? ");
    await change("Agent, team or workflow", "poet");
    await change("Time", "3600000");
    await pass(60_000);

    expect(asked.slice(1)).toEqual([
      { ...any, text: "Où?" },
      { ...any, text: "Où?", name: "poet" },
      { ...any, text: "Où?", name: "poet", since: String(10_000 - 3_600_000) },
    ]);
    expect(notes()).toEqual(["None among the newest runs."]);
    const names = body.one("Agent, team or workflow").all("option");
    expect(names.map(({ text }) => text.replace(/\W/g, ""))).toEqual(["Anyone", "clerku202e", "poet"]);
    showWith({ sessionId: "s/1" });
    await pass(0);
    expect(asked.at(-1)).toMatchObject({ session: "s/1", text: "Où?" });
    expect([body.one("h2").text, body.all("a").at(0)?.attributes["href"], ids()]).toEqual([
      "Runs of one chat",
      "#/inspector/r2",
      ["r2"],
    ]);
  });

  it.each(["Search runs", "Tag", "User"])("keeps what is typed into %j while new runs are shown", async (label) => {
    const { body, pass, asked } = listing([1, 2].map((at) => page([run("a", at)], { sees: "all" })));
    await pass(0);
    body.one(label).value = "Où";
    await pass(2500);
    body.one(label).value += " ?";
    body.one(label).fire("change");
    await pass(0);

    expect(body.one(label).value).toBe("Où ?");
    expect(asked).toHaveLength(3);
    expect(Object.values(asked.at(-1) as object)).toContain("Où ?");
  });

  it("is read again after a failure that may pass, and not after one for good", async () => {
    const { pass, notes, asked } = listing([
      new Error("x"),
      new InspectorError("Busy.", false),
      page([]),
      new InspectorError("Not you.", true),
    ]);
    const shown: string[][] = [];
    for (let look = 0; look < 5; look++) {
      await pass(look === 0 ? 0 : 2500);
      shown.push(notes());
    }
    const later = "The service cannot be reached. This is tried again.";
    const empty = "No runs yet. Start one in the chat.";

    expect(shown).toEqual([[later], [later], [empty], ["Not you.", empty], ["Not you.", empty]]);
    expect(asked).toHaveLength(4);
  });

  it("is not read while the page is hidden, nor once it is closed", async () => {
    const { close, pass, asked, signals } = listing([page([run("a", 1)])]);
    await pass(0);
    vi.stubGlobal("document", { hidden: true });
    await pass(5000);
    expect(asked).toHaveLength(1);
    vi.stubGlobal("document", { hidden: false });
    await pass(2500);
    expect(asked).toHaveLength(2);
    const timers = vi.getTimerCount();
    close();
    expect(vi.getTimerCount()).toBe(timers - 1);
    await pass(10_000);

    expect([asked.length, signals.at(-1)?.aborted]).toEqual([2, true]);
  });
});
