import { readFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { servePage } from "./page-service.ts";
import { browserUrl, Visit } from "./visit.ts";
import type { Look } from "./visit.ts";

const looks: readonly [name: string, look: Look][] = [
  ["light and 1280 pixels wide", { viewport: { width: 1280, height: 900 }, colorScheme: "light" }],
  ["dark and 390 pixels wide", { viewport: { width: 390, height: 844 }, colorScheme: "dark" }],
];

describe.runIf(browserUrl.startsWith("http"))("the list of chats in a browser", { timeout: 180_000 }, () => {
  it.each(looks)(
    "finds, pins and saves chats by the keyboard, %s [page.sessions] [page.accessible]",
    async (name, look) => {
      const { url } = await servePage();
      const visit = await Visit.open(url, `list ${name}`, look);
      const { page } = visit;
      await visit.ask("helper", "Rain in Ålesund?");
      await visit.newChat();
      await visit.ask("reporter", "Snow in Tromsø?");
      await visit.openChats();
      const titles = page.locator(".session a");
      const more = page.getByRole("button", { name: "More for Rain in Ålesund?" });

      await page.getByRole("searchbox", { name: "Search chats" }).fill("alesund");
      await expect.poll(async () => await titles.allInnerTexts()).toEqual(["Rain in Ålesund?"]);
      await page.getByRole("searchbox", { name: "Search chats" }).fill("hail");
      await page.getByText("No chat has this title.").waitFor();
      await page.getByRole("searchbox", { name: "Search chats" }).press("Escape");
      await expect.poll(async () => await titles.count()).toBe(2);
      expect(await page.locator(".sidebar").isVisible()).toBe(true);

      await more.focus();
      await more.press("Enter");
      await expect.poll(async () => await page.evaluate("document.activeElement.textContent")).toBe("Close");
      expect(await visit.faults("more")).toEqual([]);
      await page.getByRole("button", { name: "Pin", exact: true }).press("Enter");
      await expect.poll(async () => await titles.allInnerTexts()).toEqual(["Rain in Ålesund?", "Snow in Tromsø?"]);
      await page.reload();
      await visit.openChats();
      await page.getByRole("region", { name: "Pinned" }).getByRole("link", { name: "Rain in Ålesund?" }).waitFor();

      const saving = page.waitForEvent("download");
      await more.focus();
      await more.press("Enter");
      await page.getByRole("button", { name: "Save as Markdown" }).press("Enter");
      const file = await saving;
      expect(file.suggestedFilename()).toMatch(/^Rain-in-.*\.md$/);
      expect(await readFile(await file.path(), "utf8")).toMatch(
        /^# Rain in Ålesund\?\n\n## You\n\nRain in Ålesund\?\n\n## helper\n\n- Called `get_weather`[^]*\*\*rains\*\*/,
      );
      expect(await visit.allFaults(url)).toEqual([]);
    },
  );
});
