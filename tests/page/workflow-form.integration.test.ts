import { createLogger, InMemoryStorage, Workflow } from "@troupe/core";
import { createService, serve } from "@troupe/core/service";
import { http } from "@troupe/http";
import { page } from "@troupe/page";
import { describe, expect, it, onTestFinished } from "vitest";
import { browserUrl, Visit } from "./visit.ts";
import type { Look } from "./visit.ts";

const looks: readonly [name: string, look: Look][] = [
  ["light and 1280 pixels wide", { viewport: { width: 1280, height: 900 }, colorScheme: "light" }],
  ["dark and 390 pixels wide", { viewport: { width: 390, height: 844 }, colorScheme: "dark" }],
];

/** Serves two workflows that declare their input, until the test is over. */
async function serveWorkflows(): Promise<string> {
  const storage = new InMemoryStorage();
  const steps = [{ name: "look", effect: "pure" as const, run: () => ({}) }];
  const trip = new Workflow({
    name: "trip",
    description: "Plans a trip.",
    initialState: { city: "", days: 1, language: "en", byTrain: false, wishes: [] as string[], plan: "secret draft" },
    inputSchema: {
      type: "object",
      properties: {
        city: { type: "string", minLength: 2, description: "Where the trip goes." },
        days: { type: "integer", minimum: 1, maximum: 14, default: 3 },
        language: { enum: ["de", "en"], title: "Language of the plan" },
        byTrain: { type: "boolean" },
        wishes: { type: "array", items: { type: "string" } },
      },
      required: ["city"],
      additionalProperties: false,
    },
    steps,
  });
  const empty = new Workflow({ name: "empty", initialState: {}, steps });
  const service = createService({
    workflows: { trip, empty },
    storage,
    durable: true,
    logger: createLogger({ level: "silent" }),
    authenticate: () => ({ userId: "ada" }),
  });
  await service.open();
  const suggestions = { trip: ['{"city":"Bergen","days":2}'] };
  const { url } = await serve(service, [http(), page({ suggestions })], { port: 0 });
  onTestFinished(async () => {
    await service.close();
    await storage.close();
  });
  return url;
}

describe.runIf(browserUrl.startsWith("http"))("a workflow that declares its input", { timeout: 120_000 }, () => {
  it.each(looks)(
    "is filled in as a form by the keyboard, and begun, %s [page.chat] [page.accessible]",
    async (name, look) => {
      const url = await serveWorkflows();
      const visit = await Visit.open(url, `form ${name}`, { ...look, awaits: "Input of trip" });
      const { page: shown } = visit;
      const form = shown.getByRole("group", { name: "Input of trip" });
      expect(await form.locator("label").allInnerTexts()).toEqual([
        "City",
        "Days (optional)",
        "Language of the plan (optional)",
        "By train",
        "Wishes (optional)",
      ]);
      expect(await shown.getByRole("textbox", { name: "Your question" }).count()).toBe(0);

      // The browser holds back a form whose fields break the schema's bounds.
      await form.getByRole("textbox", { name: "City" }).press("Enter");
      await form.getByRole("spinbutton", { name: "Days" }).fill("15");
      await form.getByRole("textbox", { name: "City" }).fill("Ålesund");
      await shown.getByRole("button", { name: "Send" }).click();
      expect(await shown.locator(".turn").count()).toBe(0);
      expect(await visit.faults("form")).toEqual([]);

      await form.getByRole("spinbutton", { name: "Days" }).fill("14");
      await form.getByRole("combobox", { name: "Language" }).selectOption("de");
      await form.getByRole("checkbox", { name: "By train" }).press("Space");
      await form.getByRole("textbox", { name: "Wishes" }).fill("sea\nart");
      await form.getByRole("textbox", { name: "City" }).press("Enter");
      await shown.locator(".state").waitFor();
      expect(await shown.locator(".bubble p").innerText()).toBe(
        'city: Ålesund\ndays: 14\nlanguage: de\nbyTrain: true\nwishes: ["sea","art"]',
      );
      expect(await shown.locator(".state").innerText()).toMatch(/Ålesund[^]*14[^]*de[^]*true[^]*"sea",\s+"art"/);
      expect(await form.getByRole("textbox", { name: "City" }).inputValue()).toBe("Ålesund");

      await shown.getByRole("button", { name: "Answer again" }).click();
      await shown.locator(".turn-foot").waitFor();
      await shown.locator(".state").waitFor();
      expect(await shown.locator(".state").innerText()).toMatch(/Ålesund[^]*14/);
      await visit.choose("empty");
      await shown.getByRole("textbox", { name: "Your question" }).waitFor();
      expect(await visit.allFaults(url)).toEqual([]);
    },
  );

  it("is begun by a suggestion, which is shown in words", async () => {
    const url = await serveWorkflows();
    const visit = await Visit.open(url, "form suggestion", { awaits: "Input of trip" });
    await visit.page.getByRole("button", { name: "city: Bergen, days: 2" }).click();
    await visit.page.locator(".state").waitFor();

    expect(await visit.page.locator(".state").innerText()).toMatch(/Bergen[^]*2/);
    expect(await visit.allFaults(url)).toEqual([]);
  });
});
