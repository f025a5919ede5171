import { afterEach, describe, expect, it, vi } from "vitest";
import { inspectorInGerman } from "./de-inspector.ts";
import { de } from "./de.ts";
import { inspectorInEnglish } from "./en-inspector.ts";
import { en } from "./en.ts";
import { chooseLocale } from "./strings.ts";

/** Loads the texts as in a document of this language. */
async function loadIn(lang: string | undefined) {
  vi.resetModules();
  vi.stubGlobal("document", { documentElement: { lang } });
  vi.stubGlobal("navigator", { languages: ["en-GB", "de-CH"] });
  return await import("./strings.ts");
}

afterEach(() => {
  vi.unstubAllGlobals();
  vi.resetModules();
});

/** Returns the texts of a table by their paths. Functions are called with words that name their parameters. */
function textsOf(value: unknown, path = ""): [path: string, text: string][] {
  if (typeof value === "string") return [[path, value]];
  if (typeof value === "function") return [[path, String((value as (...args: unknown[]) => unknown)("‹1›", "‹2›"))]];
  return Object.entries(value as object).flatMap(([key, each]) => textsOf(each, path === "" ? key : `${path}.${key}`));
}

const { everyUnit: _, ...schedules } = en.schedules;
const { everyUnit: __, ...zeitplaene } = de.schedules;

describe("the texts of the page [page.languages]", () => {
  it.each([
    [undefined, "Send", undefined],
    ["", "Send", undefined],
    ["en", "Send", "en-GB"],
    ["de", "Senden", "de-CH"],
    ["fr", "Send", "fr"],
    ["constructor", "Send", "constructor"],
  ])("in a document in %s have the word %s, and the locale %s", async (lang, send, locale) => {
    const loaded = await loadIn(lang);
    expect(loaded.strings.composer.send).toBe(send);
    expect(loaded.locale).toBe(locale);
  });

  it("have the locale of the browser that has their language, else the language itself", () => {
    expect(chooseLocale("de", ["en-GB", "de-AT", "de"])).toBe("de-AT");
    expect(chooseLocale("de", ["den", "en"])).toBe("de");
    expect(chooseLocale("", ["de"])).toBeUndefined();
  });

  it("in German are no English ones that were forgotten, and have the same gaps", () => {
    const english = textsOf({ ...en, schedules, inspector: inspectorInEnglish });
    const german = new Map(textsOf({ ...de, schedules: zeitplaene, inspector: inspectorInGerman }));
    const same = english.filter(([path, text]) => german.get(path) === text).map(([, text]) => text);
    const shared = ["Chat", "Chats", "Inbox", "Team", "Teams", "Workflow", "Workflows", "Agent", "Tokens", "Webhooks"];
    const known = new Set([...shared, "Status", "Top P", "Seed", "JSON", "Parameter", "‹1› Tokens", "‹1› tokens"]);
    expect(same.filter((text) => !known.has(text))).toEqual([]);
    const gaps = (text = "") => (text.match(/‹\d›/g) ?? []).toSorted();
    for (const [path, text] of english) expect(gaps(german.get(path)), path).toEqual(gaps(text));
  });
});
