import { describe, expect, it } from "vitest";
import { servePage } from "./page-service.ts";
import { browserUrl, Visit } from "./visit.ts";

describe.skipIf(browserUrl === "")("an approval in a browser", { timeout: 180_000 }, () => {
  it("finds a question that waits in a browser that did not ask it, and approves other arguments [page.approval]", async () => {
    const { url } = await servePage();
    const asking = await Visit.open(url, "asking");
    await asking.begin("concierge", "Book a room in Oslo.");
    await asking.page.getByRole("region", { name: "May book_room be called?" }).waitFor();

    const other = await Visit.open(url, "other", { viewport: { width: 390, height: 844 } });
    const { page } = other;
    await other.openChats();
    await page.getByText("waits for an answer").waitFor({ state: "attached" });
    await page.locator(".session a").click();
    await page.getByRole("button", { name: "Change arguments" }).click();
    await page.getByRole("textbox", { name: "Arguments in JSON" }).fill('{ "city": "Tromsø", "nights": 1 }');
    expect(await other.faults("changed")).toEqual([]);
    await page.getByRole("button", { name: "Approve" }).click();

    await page.getByText("The room is booked.", { exact: true }).waitFor();
    await asking.page.getByText("The room is booked.", { exact: true }).waitFor();
    expect(await asking.page.getByRole("button", { name: "Approve" }).count()).toBe(0);
  });
});
