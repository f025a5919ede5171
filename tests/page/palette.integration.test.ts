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
    "opens by Ctrl+K, and finds an agent to ask by keyboard alone, %s [page.palette] [page.accessible]",
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
      // The page moves the focus again once the change of the address is drawn.
      await page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))");
      await keyboard.type("Go on.");
      expect(await page.locator("#question").inputValue()).toBe("Go on.");
    },
  );
});
