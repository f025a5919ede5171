import { act } from "preact/test-utils";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { FakeRun, storedTurn } from "./chat/test/fake-conversation.ts";
import { sessionOf } from "./test/fake-services.ts";
import { fire, write } from "./test/story.ts";
import { dayMs, narrow, noon, open, pass, queries, runnables, tell } from "./test/whole-page.ts";

/** The selectors of the elements of the document that got the focus. */
const focused: string[] = [];

beforeEach(() => {
  vi.useFakeTimers({ now: noon });
  const querySelector = (selector: string) => ({ focus: () => void focused.push(selector) });
  vi.stubGlobal("document", { activeElement: null, body: {}, title: "", querySelector });
  vi.stubGlobal("location", { hash: "" });
  vi.spyOn(Number.prototype, "toLocaleString").mockImplementation(function shown(this: number) {
    return `<${this}>`;
  });
});
afterEach(() => {
  vi.restoreAllMocks();
  vi.useRealTimers();
  narrow.matches = false;
});

// What people see of the whole page, but for its look. If a change is meant, write the outlines anew by
// `vitest --update`.
describe("the page", () => {
  it("welcomes, and asks a question", async () => {
    const opened = await open();
    const runs: FakeRun[] = [];
    opened.service.onStart = async () => {
      const run = new FakeRun(`r${runs.length + 1}`, "s1");
      runs.push(run);
      return await Promise.resolve(run.response);
    };
    const story = await tell(opened, {
      "open the list": (body) => void body.all("form")[0]?.all("button")[1]?.fire("click"),
      "search for what is not there": write("Search", "nothing"),
      "search for the second agent": write("Search", "POET"),
      "choose it by Enter": fire("Search", "keydown", { key: "Enter" }),
      "open the list again": (body) => void body.all("form")[0]?.all("button")[0]?.fire("click"),
      "go up, to the first": fire("Search", "keydown", { key: "ArrowUp" }),
      "go up, to the last": fire("Search", "keydown", { key: "ArrowUp" }),
      "go down, to the first": fire("Search", "keydown", { key: "ArrowDown" }),
      "write on": fire("Search", "keydown", { key: "a" }),
      "choose the first by a click": (body) => {
        const option = body.all("*").find(({ attributes }) => attributes["id"] === "runnable-0");
        option?.fire("click");
      },
      "take a suggestion": (body) => void body.one("Suggestions").all("button")[0]?.fire("click"),
      "the answer begins": async () => {
        runs[0]?.send({ type: "text", text: "Là" } as never);
        await pass(100);
      },
      "stop it": fire("Stop"),
    });

    await expect(story).toMatchFileSnapshot("./test/outlines/page-chat.txt");
  });

  it("shows sessions by their days, and renames and deletes them", async () => {
    const opened = await open(runnables, {}, ({ listed }) => {
      listed.pages = [
        {
          sessions: [
            sessionOf("s1", noon, "To\u202eday"),
            sessionOf("s/é", noon - dayMs, " "),
            sessionOf("s3", noon - 6 * dayMs, "Week"),
            sessionOf("s4", noon - 7 * dayMs, "Old"),
          ],
          next: "1",
        },
        { sessions: [sessionOf("s5", 200 * dayMs, "First")] },
      ];
      listed.running = [
        { sessionId: "s1", runId: "r1", status: "waiting", name: "clerk" },
        { sessionId: "s3", runId: "r3", status: "running", name: "clerk" },
        { sessionId: "s4", runId: "r4", status: "completed", name: "clerk" },
      ] as never;
    });
    const story = await tell(opened, {
      older: (body) => void body.all("nav").at(-1)?.all("button").at(-1)?.fire("click"),
      rename: fire("Rename To day"),
      "leave it": (body) => void body.all("form")[0]?.fire("keydown", { key: "Escape" }),
      "rename it again": fire("Rename To day"),
      "a blank title": (body) => {
        write("Title", " ")(body);
        body.all("form")[0]?.fire("submit");
      },
      "a bad title": (body) => {
        write("Title", " bad ")(body);
        body.all("form")[0]?.fire("submit");
      },
      "a good title": (body) => {
        write("Title", " Été ")(body);
        body.all("form")[0]?.fire("submit");
      },
      "delete, and keep": async (body) => {
        body.one("Delete Week").fire("click");
        await pass();
        body.all("Delete Week?")[0]?.all("button")[1]?.fire("click");
      },
      "delete it": async (body) => {
        body.one("Delete Week").fire("click");
        await pass();
        body.all("Delete Week?")[0]?.all("button")[0]?.fire("click");
      },
    });

    await expect(story).toMatchFileSnapshot("./test/outlines/page-sessions.txt");
  });

  it("opens the session of its address, deletes it, and begins a new one", async () => {
    location.hash = "#/s/s1";
    const opened = await open(
      runnables,
      { inspectorStyle: new URL("http://localhost/i.css") },
      ({ service, listed }) => {
        service.sessions.set("s1", [storedTurn(1), storedTurn(2, { runnable: "flow" })]);
        listed.pages = [{ sessions: [sessionOf("s1", noon, "One")] }];
      },
    );
    opened.service.onStart = async () => await Promise.resolve(new FakeRun("r9", "s1").response);
    const story = await tell(opened, {
      "answer the last turn again": (body) => void body.all("Answer again").at(-1)?.fire("click"),
      "delete it": async (body) => {
        body.one("Delete One").fire("click");
        await pass();
        body.all("Delete One?")[0]?.all("button")[0]?.fire("click");
      },
      "a new chat": (body) => void body.one("aside").all("button")[0]?.fire("click"),
    });

    await expect(story).toMatchFileSnapshot("./test/outlines/page-session.txt");
  });

  it("has a drawer on a narrow window", async () => {
    expect([queries, narrow.listeners.size]).toEqual([["(max-width: 52rem)"], 0]);
    narrow.matches = true;
    const opened = await open();
    const story = await tell(opened, {
      "open it": (body) => void body.all("header")[0]?.all("button")[0]?.fire("click"),
      "click in it": (body) => void body.all("dialog")[0]?.fire("click", { target: {} }),
      "click beside it": (body) => void body.all("dialog")[0]?.fire("click"),
      "the window grows": () => {
        narrow.matches = false;
        void act(() => {
          for (const listener of narrow.listeners) listener();
        });
      },
    });

    opened.close();
    expect(narrow.listeners.size).toBe(0);
    await expect(story).toMatchFileSnapshot("./test/outlines/page-narrow.txt");
  });

  it("takes keys, and forgets them", async () => {
    const opened = await open();
    const story = await tell(opened, {
      open: fire("Keys of vendors"),
      "a blank key": (body) => void body.all("form").at(-3)?.fire("submit"),
      "a wrong key": (body) => {
        const field = body.all("input").find(({ attributes }) => attributes["id"] === "key-openai");
        if (field !== undefined) field.value = "k é";
        field?.fire("input");
        body.all("form").at(-3)?.fire("submit");
      },
      "a key": (body) => {
        const field = body.all("input").find(({ attributes }) => attributes["id"] === "key-openai");
        if (field !== undefined) field.value = " sk-1 ";
        field?.fire("input");
        body.all("form").at(-3)?.fire("submit");
      },
      "keep it": (body) =>
        void body
          .all("input")
          .at(-1)
          ?.fire("change", { currentTarget: { checked: true } }),
      "forget it": fire("Forget the key of OpenAI"),
      "click in the dialog": (body) => void body.all("dialog").at(-1)?.fire("click", { target: {} }),
      close: (body) => void body.all("dialog").at(-1)?.fire("click"),
    });

    expect(focused.splice(0)).toEqual(["#key-openai"]);
    await expect(story).toMatchFileSnapshot("./test/outlines/page-keys.txt");
  });

  it("says what failed, and has nothing to ask without runnables", async () => {
    const failed = await open(new Error("No runnables."), {}, ({ listed }) => {
      listed.failure = new Error("No sessions.");
    });
    const first = await tell(failed, {});
    failed.close();
    const empty = await open([]);
    const second = await tell(empty, {
      "a refused question": async () => {
        await act(async () => await empty.services.conversation.open("none"));
      },
    });

    await expect(`${first}\n${second}`).toMatchFileSnapshot("./test/outlines/page-failed.txt");
  });

  it.each([
    [{ logo: "/logo.svg" }, ["/logo.svg"], 0],
    [{ logo: false }, [], 0],
    [{}, [], 1],
  ] as const)("has in its bar, with %j, the images %j and %i of ours", async (settings, images, ours) => {
    const { body } = await open(runnables, settings);
    const [link] = body.all("header")[0]?.all("a") ?? [];

    expect(link?.all("img").map(({ attributes }) => attributes["src"])).toEqual(images);
    expect(link?.all("svg")).toHaveLength(ours);
  });

  it.each([
    [{ welcome: "Où? <b>", hasKeys: false }, "Où? <b>", 0],
    [{}, "What can I help you with?", 1],
  ])("welcomes with %j by %j, and asks for keys %i times", async (settings, heading, keys) => {
    const { body } = await open(runnables, settings);

    expect(body.one("h1").text).toBe(heading);
    expect(body.all("header")[0]?.all("Keys of vendors")).toHaveLength(keys);
  });

  it("goes to the address that changes, and takes no address that is broken", async () => {
    const opened = await open(runnables, {}, ({ service }) => service.sessions.set("é", [storedTurn(1)]));
    const seen: unknown[] = [];
    for (const hash of ["#/s/%C3%A9", "#/s/%", "#/s/%C3%A9", "#/s/a/b", "#/x", "#/"]) {
      location.hash = hash;
      opened.fireOnWindow("hashchange", {});
      await pass();
      seen.push(opened.services.conversation.state.sessionId);
    }

    expect(seen).toEqual(["é", undefined, "é", undefined, undefined, undefined]);
  });

  it("opens the inspector by its address, once that is loaded", async () => {
    location.hash = "#/inspector";
    vi.stubGlobal("fetch", async () => await Promise.resolve(Response.json({ runs: [], sees: "all" })));
    const { body } = await open();
    const mains = () => body.all("main").map(({ text }) => text);
    expect(mains().at(-1)).toBe("Loading…");
    await vi.waitFor(async () => {
      await pass();
      expect(mains().at(-1)).toMatch(/^InspectorAll runs/);
    });
  });

  it("says that the inspector could not be loaded if its style is missing", async () => {
    location.hash = "#/inspector";
    const missing = await open(runnables, { inspectorStyle: new URL("http://localhost/i.css") });
    await vi.waitFor(async () => {
      await pass();
      const said = missing.body.all("main").map(({ text }) => text);
      expect(said.at(-1)).toBe("The inspector could not be loaded. Reload the page.");
    });
  });
});
