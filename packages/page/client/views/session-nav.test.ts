import { createElement } from "preact";
import { act } from "preact/test-utils";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { refusal, storedTurn } from "../chat/test/fake-conversation.ts";
import { showOnPage } from "../test/fake-page.ts";
import { fakeServices, sessionOf } from "../test/fake-services.ts";
import { fire, write } from "../test/story.ts";
import { SessionNav } from "./session-nav.tsx";

const pass = async (ms = 0) => await act(async () => void (await vi.advanceTimersByTimeAsync(ms)));
const saved: { name: string; blob: Blob }[] = [];

beforeEach(() => {
  vi.useFakeTimers();
  saved.length = 0;
  const blobs: Blob[] = [];
  vi.spyOn(URL, "createObjectURL").mockImplementation((blob) => `blob:${blobs.push(blob as Blob)}`);
  vi.spyOn(URL, "revokeObjectURL").mockImplementation(() => undefined);
  const createElementOf = () => ({
    download: "",
    click(this: { download: string }) {
      saved.push({ name: this.download, blob: blobs.at(-1) ?? new Blob() });
    },
  });
  vi.stubGlobal("document", { activeElement: null, body: {}, createElement: createElementOf });
});
afterEach(() => {
  vi.restoreAllMocks();
  vi.useRealTimers();
});

async function show(pageCount = 1) {
  const made = fakeServices([]);
  const { services, listed, service } = made;
  const ids = ["rain", "snow", "hail"];
  listed.pages = Array.from({ length: pageCount }, (_, page) => ({
    sessions: ids.map((id) => sessionOf(`${id}${page}`, 1000 - page, `${id} ${page}`)),
    ...(page < pageCount - 1 && { next: String(page + 1) }),
  }));
  const turns = vi.fn<(sessionId: string) => Promise<unknown>>(async (id) => await service.turns(id));
  Object.assign(services.api, { turns });
  await services.sessions.load();
  const shown = showOnPage((props: Parameters<typeof SessionNav>[0]) => createElement(SessionNav, props), {
    services,
    onLeave: () => undefined,
  });
  await pass();
  const headings = () =>
    shown.body.all("section").map(
      (each) =>
        `${each.one("h2").text}: ${each
          .all("a")
          .map(({ text }) => text)
          .join(", ")}`,
    );
  const press = async (label: string, index: number) => {
    shown.body.one(label).all("button")[index]?.fire("click");
    await pass();
  };
  return { ...made, ...shown, headings, press };
}

describe("a chat in the list", () => {
  it("is pinned, found under its heading, and let go", async () => {
    const { body, headings, press } = await show();
    fire("More for snow 0")(body);
    await press("More for snow 0", 0);
    expect(headings()[0]).toBe("Pinned: snow 0");
    expect(headings()[1]).toMatch(/: rain 0, hail 0$/);

    fire("More for snow 0")(body);
    expect(
      body
        .one("More for snow 0")
        .all("button")
        .map(({ text }) => text),
    ).toEqual(["Unpin", "Save as Markdown", "Save as JSON", "Rename", "Delete", "Close"]);
    await press("More for snow 0", 5);
    fire("More for snow 0")(body);
    await press("More for snow 0", 0);
    expect(headings()).toHaveLength(1);
  });

  it("keeps its pin under a new title, and loses it when it is deleted", async () => {
    const { body, services, headings, press } = await show();
    fire("More for snow 0")(body);
    await press("More for snow 0", 0);
    fire("Rename snow 0")(body);
    write("Title", "Ice")(body);
    body.all("form").at(-1)?.fire("submit");
    await pass();
    expect(services.pins.state.pinned[0]?.title).toBe("Ice");
    expect(headings()[0]).toBe("Pinned: Ice");

    fire("Delete Ice")(body);
    await press("Delete Ice?", 0);
    expect(services.pins.state.pinned).toEqual([]);
    expect(headings()).toHaveLength(1);
  });

  it("is saved as Markdown and as JSON, under its title", async () => {
    const { body, service, press } = await show();
    service.sessions.set("rain0", [storedTurn(1)]);
    for (const button of [1, 2]) {
      fire("More for rain 0")(body);
      await press("More for rain 0", button);
    }

    expect(saved.map(({ name }) => name)).toEqual(["rain-0.md", "rain-0.json"]);
    const [markdown, json] = await Promise.all(saved.map(async ({ blob }) => await blob.text()));
    expect(markdown).toContain("# rain 0\n\n## You\n\nQ1\n\n## a\n\nAnswer 1");
    expect(JSON.parse(json ?? "")).toEqual({ title: "rain 0", sessionId: "rain0", turns: [storedTurn(1)] });
  });

  it("says why it could not be saved", async () => {
    const { body, service, press } = await show();
    service.onTurns = () => Promise.reject(refusal(503));
    fire("More for rain 0")(body);
    await press("More for rain 0", 1);

    expect(saved).toEqual([]);
    expect(body.all("p").map(({ text }) => text)).toContain("The service answered 503.");
  });
});

describe("the search for chats", () => {
  it("filters by title, and reads older chats until all are known", async () => {
    const { body, headings, services } = await show(4);
    expect(services.sessions.state.sessions).toHaveLength(3);
    write("Search chats", "SNOW")(body);
    for (let page = 0; page < 4; page++) await pass();

    expect(services.sessions.state.sessions).toHaveLength(12);
    expect(headings().join()).toMatch(/: snow 0, snow 1, snow 2, snow 3$/);
    write("Search chats", "none")(body);
    expect(headings()).toEqual([]);
    expect(body.one("Search chats").fire("keydown", { key: "a" })).toBe(false);
    expect(body.all("p").map(({ text, attributes }) => [text, attributes["role"]])).toEqual([
      ["No chat has this title.", "status"],
    ]);
    expect(body.one("Search chats").fire("keydown", { key: "Escape" })).toBe(true);
    expect(headings()).not.toEqual([]);
    expect(body.one("Search chats").fire("keydown", { key: "Escape" })).toBe(false);
  });

  it("reads at most 25 pages of older chats at once", async () => {
    const { body, services } = await show(40);
    write("Search chats", "x")(body);
    for (let page = 0; page < 40; page++) await pass();
    expect(services.sessions.state.sessions).toHaveLength(26 * 3);

    write("Search chats", "")(body);
    await pass();
    write("Search chats", "y")(body);
    for (let page = 0; page < 40; page++) await pass();
    expect(services.sessions.state.sessions).toHaveLength(40 * 3);
  });
});
