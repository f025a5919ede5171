import { createElement } from "preact";
import { act } from "preact/test-utils";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { RunnableInfo } from "@troupe-internal/client";
import { showOnPage } from "../test/fake-page.ts";
import { fakeServices, sessionOf } from "../test/fake-services.ts";
import { Palette } from "./palette.tsx";

const runnables: RunnableInfo[] = [
  { kind: "agent", name: "clerk\u202e", description: "Files Ångström's letters.", input: ["text"] },
  { kind: "workflow", name: "flow", input: ["object"] },
];

beforeEach(() => void vi.stubGlobal("location", { hash: "#/s/s1" }));
afterEach(() => void vi.unstubAllGlobals());

/** Opens the palette of a service with some chats. What a command does is written down. */
async function open(fields: Parameters<typeof fakeServices>[1] = {}, chats = 2) {
  const made = fakeServices(runnables, fields);
  const { services, listed } = made;
  listed.pages = [{ sessions: Array.from({ length: chats }, (_, at) => sessionOf(`s${at}`, at, `Réserver ${at}`)) }];
  await services.sessions.load();
  services.pins.toggle(sessionOf("p", 0, "Pinned\u200b"));
  const did: unknown[] = [];
  const acts = {
    newChat: () => did.push("new chat"),
    ask: (runnable: RunnableInfo) => did.push(["ask", runnable.name]),
    openKeys: () => did.push("keys"),
  };
  const draw = (props: Parameters<typeof Palette>[0]) => createElement(Palette, props);
  const onClose = () => did.push("closed");
  const { body, close } = showOnPage(draw, { services, runnables, acts, onClose });
  const field = body.one("input");
  const type = (text: string) => {
    field.value = text;
    field.fire("input");
  };
  const press = (key: string) => field.fire("keydown", { key });
  const options = () =>
    body.all("div").flatMap(({ attributes, text }) => (attributes["role"] === "option" ? [text] : []));
  const active = () => body.all("div").find(({ attributes }) => attributes["aria-selected"] === "true");
  return { body, did, field, type, press, options, active, services, close };
}

describe("the palette of commands [page.palette]", () => {
  it("has the actions, the views, the runnables and the chats, the pinned ones first, without unseen characters", async () => {
    const { body, options } = await open({ hasSchedules: true, inspectorStyle: new URL("http://localhost/i.css") });
    expect(options()).toEqual([
      "New chat",
      "Keys of vendors",
      "Colours of the device",
      "Light colours",
      "Dark colours",
      "Chat",
      "Inbox",
      "Schedules",
      "Inspector",
      "Overview",
      "Cclerk Files Ångström's letters.",
      "Fflow",
      "Pinned",
      "Réserver 0",
      "Réserver 1",
    ]);
    expect(body.text).not.toMatch(/[\u202e\u200b]/);
    expect(body.one("dialog").calls).toEqual(["showModal"]);
  });

  it("leaves out what the service does not have", async () => {
    const { options } = await open({ hasKeys: false }, 0);
    expect(options()).not.toContain("Keys of vendors");
    expect(options()).not.toContain("Schedules");
    expect(options()).not.toContain("Inspector");
  });

  it.each([
    ["ANGSTROM letters", ["Cclerk Files Ångström's letters."]],
    ["workflow", ["Fflow"]],
    ["reserver 1", ["Réserver 1"]],
    ["dark", ["Dark colours"]],
    ["nothing of this", []],
  ])("finds %j by each of its words", async (query, found) => {
    const { type, options, body, field } = await open();
    type(query);
    expect(options()).toEqual(found);
    expect(field.attributes["aria-expanded"]).toBe(String(found.length > 0));
    expect(body.text.includes("Nothing has these words.")).toBe(found.length === 0);
  });

  it("shows at most 20 chats of those that match", async () => {
    const { type, options } = await open({}, 60);
    type("réserver");
    expect(options()).toHaveLength(20);
    type("reserver 59");
    expect(options()).toEqual(["Réserver 59"]);
  });

  it("moves by the arrows, around the ends, and names the active command for screen readers", async () => {
    const { press, active, field, options } = await open();
    expect(active()?.text).toBe("New chat");
    press("ArrowUp");
    expect(active()?.text).toBe(options().at(-1));
    press("ArrowDown");
    press("ArrowDown");
    expect([active()?.text, field.attributes["aria-activedescendant"]]).toEqual(["Keys of vendors", "command-keys"]);
  });

  it.each<[query: string, done: unknown[]]>([
    ["new", ["closed", "new chat"]],
    ["keys", ["closed", "keys"]],
    ["clerk", ["closed", ["ask", "clerk\u202e"]]],
  ])("runs what %j finds by Enter, once the dialog is closed", async (query, done) => {
    const { type, press, did, body } = await open();
    type(query);
    press("Enter");
    expect(did).toEqual(done);
    expect(body.one("dialog").calls).toEqual(["showModal", "close"]);
  });

  it.each([
    ["inbox", "#/inbox"],
    ["réserver 0", "#/s/s0"],
    ["pinned", "#/s/p"],
  ])("goes by %j to %s", async (query, hash) => {
    const { type, press } = await open();
    type(query);
    press("Enter");
    expect(location.hash).toBe(hash);
  });

  it("chooses a colour scheme, and does nothing by Enter where nothing is found or a word is being composed", async () => {
    const { type, press, services, did, field } = await open();
    type("no such command");
    press("Enter");
    type("dark");
    field.fire("keydown", { key: "Enter", isComposing: true });
    expect(did).toEqual([]);
    press("Enter");
    expect(services.theme.name).toBe("dark");
  });

  it("closes by a click beside it, and not by one within", async () => {
    const { body, did } = await open();
    const dialog = body.one("dialog");
    await act(async () => void (await Promise.resolve(dialog.fire("click", { target: body.one("input") }))));
    expect(dialog.calls).toEqual(["showModal"]);
    dialog.fire("click");
    expect(dialog.calls).toEqual(["showModal", "close"]);
    dialog.fire("close");
    expect(did).toEqual(["closed"]);
  });
});
