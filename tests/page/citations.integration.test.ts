import { describe, expect, it } from "vitest";
import { address, cited, serveCitations } from "../citations/cited-service.ts";
import { browserUrl, Visit } from "./visit.ts";

describe.skipIf(browserUrl === "")("the page of a service whose agent cites", () => {
  it("shows the sources of an answer in the order of its marks, with their passages, also after a reload", async () => {
    const { url } = await serveCitations();
    const visit = await Visit.open(url, "citations", { user: null });
    const { page, complaints } = visit;
    await visit.send("How many days of vacation do I have?");
    const items = page.getByRole("list", { name: "Sources" }).getByRole("listitem");

    for (const round of ["asked", "loaded"]) {
      await items.nth(1).waitFor();
      const texts = await items.allInnerTexts();
      expect(texts, round).toHaveLength(2);
      expect(texts[0], round).toContain("Vacation");
      expect(texts[1], round).toContain("Parking – Fahrräder");
      expect(await items.nth(0).getByRole("link").getAttribute("href"), round).toBe(address);
      expect(await items.nth(1).getByRole("link").count(), round).toBe(0);
      await items.nth(1).getByText("Passage").click();
      expect(await items.nth(1).getByRole("blockquote").innerText(), round).toBe("Bicycles are parked in the yard.");
      expect(await page.getByText(cited).count(), round).toBeGreaterThan(0);
      await page.reload();
    }
    expect(complaints).toEqual([]);
  });
});
