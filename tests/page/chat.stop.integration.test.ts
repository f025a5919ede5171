import { describe, expect, it } from "vitest";
import { servePage } from "./page-service.ts";
import { browserUrl, Visit, looks } from "./visit.ts";

describe.skipIf(browserUrl === "")("the page in a browser", { timeout: 180_000 }, () => {
  it.each(looks)(
    "answers a turn again, in the same words or in others, and stops an answer, %s [page.regenerate] [page.stop]",
    async (name, look) => {
      const { url } = await servePage();
      const visit = await Visit.open(url, `again-${name}`, look);
      const { page } = visit;
      await visit.ask("talker", "One.");
      await visit.ask("talker", "Two.");
      await page.getByRole("button", { name: "Answer again" }).first().click();
      // A turn follows, which is not deleted without a word.
      await page.getByText("All later turns of this chat are deleted.").waitFor();
      expect(await page.evaluate("document.activeElement.textContent")).toBe("Keep");
      expect(await visit.faults("later-turns")).toEqual([]);
      await page.getByRole("button", { name: "Keep" }).click();
      await page.getByRole("button", { name: "Answer again" }).first().click();
      await page.getByRole("button", { name: "Delete and ask" }).click();
      await page.getByText("Answer 3 to “One.”").waitFor();
      await page.getByRole("button", { name: "Send" }).waitFor();
      expect(await page.locator(".turn").count()).toBe(1);
      await page.reload();
      await page.getByText("Answer 3 to “One.”").waitFor();
      expect(await page.locator(".turn").count()).toBe(1);
      expect(await page.getByText("Answer 1 to").count()).toBe(0);

      await page.locator(".question").hover();
      await page.getByRole("button", { name: "Change the question" }).click();
      await page.getByRole("textbox", { name: "Question", exact: true }).fill("Three.");
      await page.getByRole("button", { name: "Ask again" }).click();
      await page.getByText("Answer 4 to “Three.”").waitFor();
      await page.getByText("word 2,").waitFor();
      await page.getByRole("button", { name: "Stop" }).click();
      await page.getByText("Stopped").waitFor();
      expect(await page.getByText("The end.").count()).toBe(0);
      // The service stores nothing of an answer that was stopped before a tool was called.
      await page.locator(".turn-foot").getByText("Only in this tab").waitFor();

      await visit.ask("reporter", "Go on.");
      expect(await page.locator(".turn").count()).toBe(2);
      expect(await visit.allFaults(url)).toEqual([]);
    },
  );

  it("stops an answer whose run is not known yet as soon as it is [page.stop]", async () => {
    const { url, runHeaders } = await servePage();
    const visit = await Visit.open(url, "early-stop");
    const { page } = visit;
    let send = (): void => undefined;
    await page.route("**/stream?early=1", async (route) => {
      await new Promise<void>((resolve) => (send = resolve));
      await route.continue();
    });
    await visit.choose("talker");
    await visit.send("Tell me.");
    await page.getByRole("button", { name: "Stop" }).click();
    expect(runHeaders).toHaveLength(0);
    send();

    await page.getByText("Stopped").waitFor();
    expect(await page.getByText("The end.").count()).toBe(0);
    expect(await visit.allFaults(url)).toEqual([]);
  });
});
