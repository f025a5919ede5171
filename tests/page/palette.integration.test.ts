import { describe, expect, it } from "vitest";
import { servePage } from "./page-service.ts";
import { browserUrl, Visit } from "./visit.ts";
import type { Look } from "./visit.ts";

const looks: readonly [name: string, look: Look][] = [
  ["light and 1280 pixels wide", { viewport: { width: 1280, height: 900 }, colorScheme: "light" }],
  ["dark and 390 pixels wide", { viewport: { width: 390, height: 844 }, colorScheme: "dark" }],
];

describe.skipIf(browserUrl === "")("the palette in a browser", { timeout: 120_000 }, () => {
  it.each(looks)(
    "opens by Ctrl+K, and goes everywhere by keyboard alone, %s [page.palette] [page.accessible]",
    async (name, look) => {
      const { url } = await servePage({ hasInspector: true });
      const visit = await Visit.open(url, `palette ${name}`, look);
      const { page } = visit;
      const { keyboard } = page;
      const field = page.getByRole("combobox", { name: "Search commands" });
      const find = async (text: string): Promise<void> => {
        await keyboard.press("Control+k");
        await field.waitFor();
        await keyboard.type(text);
        await page.getByRole("option", { selected: true }).waitFor();
      };
      await visit.ask("helper", "What should I take along to Oslo?");
      await find("");
      expect(await visit.faults("open")).toEqual([]);
      await keyboard.press("Escape");
      await field.waitFor({ state: "detached" });

      await find("talks TÁLKER");
      expect(await page.getByRole("option").allInnerTexts()).toEqual([expect.stringContaining("talker")]);
      await keyboard.press("Enter");
      await page.getByRole("button", { name: "Choose whom to ask: talker" }).waitFor();
      const focused = async () => await page.evaluate("document.activeElement?.outerHTML.slice(0, 120)");
      await expect.poll(focused).toContain('id="question"');
      await keyboard.type("Who?");
      expect(await page.getByRole("textbox", { name: "Your question" }).inputValue()).toBe("Who?");

      await find("inspector");
      await keyboard.press("Enter");
      await page.getByRole("heading", { name: "All runs" }).waitFor();
      await find("take along");
      await keyboard.press("ArrowUp");
      await keyboard.press("Enter");
      await page.locator(".markdown").getByText("an umbrella").waitFor();
      await find("keys");
      await keyboard.press("Enter");
      await page.getByRole("dialog", { name: "Keys" }).waitFor();
      // No second dialog opens above the first.
      await keyboard.press("Control+k");
      await keyboard.press("Escape");
      expect(await field.count()).toBe(0);

      const other = look.colorScheme === "dark" ? "light" : "dark";
      await find(`${other} colours`);
      await keyboard.press("Enter");
      const paper = async () => await page.evaluate("getComputedStyle(document.body).backgroundColor");
      const shown = await paper();
      expect(shown).toBe(other === "dark" ? "rgb(23, 22, 27)" : "rgb(250, 249, 247)");
      await page.reload();
      await page.getByText("an umbrella").waitFor();
      expect(await paper()).toBe(shown);
      expect(await visit.allFaults(url)).toEqual([]);
    },
  );
});
