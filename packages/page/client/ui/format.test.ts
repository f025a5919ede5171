import { afterEach, expect, it, vi } from "vitest";

afterEach(() => {
  vi.unstubAllGlobals();
  vi.resetModules();
});

it.each([
  ["de", ["de-DE"], ["vor 2 Min.", "1.234", "2,1 s", "Gestern"]],
  ["de", ["en-GB"], ["vor 2 Min.", "1.234", "2,1 s", "Gestern"]],
  ["en", ["en-GB"], ["2 min ago", "1,234", "2.1 s", "Yesterday"]],
])("times and numbers are written as in a page in %s [page.languages]", async (lang, languages, expected) => {
  vi.resetModules();
  vi.stubGlobal("document", { documentElement: { lang } });
  vi.stubGlobal("navigator", { languages });
  const { dayOf, formatAgo, formatCount, formatDuration } = await import("./format.ts");
  const now = new Date(2026, 4, 20, 12).getTime();

  const written = [
    formatAgo(now - 120_000, now),
    formatCount(1234),
    formatDuration(2100),
    dayOf(now - 86_400_000, now),
  ];
  expect(written).toEqual(expected);
});
