import { Agent, createLogger, InMemoryStorage, Workflow } from "@troupe/core";
import { createService, serve } from "@troupe/core/service";
import { ScriptedModel } from "@troupe/core/testing";
import { http } from "@troupe/http";
import { page } from "@troupe/page";
import { describe, expect, it, onTestFinished } from "vitest";
import { browserUrl, Visit } from "./visit.ts";
import type { Look } from "./visit.ts";

const looks: readonly [name: string, look: Look][] = [
  ["light and 1280 pixels wide", { viewport: { width: 1280, height: 900 }, colorScheme: "light" }],
  ["dark and 390 pixels wide", { viewport: { width: 390, height: 844 }, colorScheme: "dark" }],
];

/** Serves an agent and a workflow whose users may have schedules, until the test is over. */
async function serveSchedules(): Promise<string> {
  const storage = new InMemoryStorage();
  const model = new ScriptedModel().respond(() => "Three orders are late.");
  const reporter = new Agent({ name: "reporter", description: "Reports on orders.", model, storage });
  const briefing = new Workflow({
    name: "briefing",
    initialState: { city: "Oslo" },
    steps: [{ name: "look", effect: "pure", run: () => ({}) }],
  });
  const service = createService({
    agents: { reporter },
    workflows: { briefing },
    storage,
    durable: true,
    schedules: { maxPerUser: 2 },
    logger: createLogger({ level: "silent" }),
    authenticate: ({ headers }) => {
      const [, userId] = /(?:^|; )user=(\w+)/.exec(headers.get("cookie") ?? "") ?? [];
      return userId === undefined ? undefined : { userId };
    },
  });
  await service.open();
  const { url } = await serve(service, [http(), page({ inspector: {} })], { port: 0 });
  onTestFinished(async () => {
    await service.close();
    await storage.close();
  });
  return url;
}

describe.skipIf(browserUrl === "")("the schedules in a browser", { timeout: 120_000 }, () => {
  it.each(looks)(
    "are created, paused, resumed and deleted by their user alone, %s [page.schedules] [page.accessible]",
    async (name, look) => {
      const url = await serveSchedules();
      const visit = await Visit.open(url, `schedules ${name}`, look);
      const { page: shown } = visit;
      await shown.getByRole("link", { name: "Schedules" }).click();
      await shown.getByText("You have no schedules.").waitFor();

      await shown.getByRole("button", { name: "New schedule" }).click();
      const form = shown.getByRole("form", { name: "New schedule" });
      await form.getByRole("button", { name: "Create schedule" }).click();
      await form.getByRole("alert").waitFor();
      await form.getByLabel("What to ask").fill("Which orders are late?");
      await form.getByRole("combobox", { name: "When" }).selectOption("Every week");
      await form.getByRole("combobox", { name: "On", exact: true }).selectOption("Friday");
      await form.getByLabel("At", { exact: true }).fill("06:30");
      expect(await visit.faults("form")).toEqual([]);
      await form.getByRole("button", { name: "Create schedule" }).click();
      const item = shown.getByRole("listitem").filter({ hasText: "Which orders" });
      await item.getByText(/^Every Friday at 06:30/).waitFor();
      expect(await item.innerText()).toMatch(/reporter active[^]*Which orders are late\?[^]*Next:/);

      // One that begins every second, by the keyboard alone: its run is found in the inspector.
      await shown.getByRole("button", { name: "New schedule" }).press("Enter");
      await form.getByRole("combobox", { name: "When" }).selectOption("By a cron expression");
      await form.getByRole("textbox", { name: "Cron expression" }).fill("* * * * * *");
      await form.getByLabel("What to ask").fill("Now?");
      await form.getByRole("textbox", { name: "Cron expression" }).press("Enter");
      const often = shown.getByRole("listitem").filter({ hasText: "Now?" });
      await often.getByRole("link", { name: "begun" }).waitFor();
      await often.getByRole("button", { name: "Pause" }).click();
      await often.getByText("paused").waitFor();

      await shown.getByRole("button", { name: "New schedule" }).click();
      await form.getByLabel("What to ask").fill("One too many?");
      await form.getByRole("button", { name: "Create schedule" }).click();
      expect(await form.getByRole("alert").innerText()).toMatch(/2/);
      await form.getByRole("button", { name: "Cancel" }).click();
      expect(await visit.faults("list")).toEqual([]);

      const other = await Visit.open(`${url}/`, "other user", { ...look, user: "bob" });
      await other.page.getByRole("link", { name: "Schedules" }).click();
      await other.page.getByText("You have no schedules.").waitFor();

      await item.getByRole("button", { name: "Pause" }).click();
      await item.getByRole("button", { name: "Resume" }).click();
      await item.getByText("active").waitFor();
      await item.getByRole("button", { name: "Remove…" }).click();
      await item.getByRole("button", { name: "Remove" }).click();
      await item.waitFor({ state: "detached" });
      await often.getByRole("link", { name: "begun" }).click();
      await shown.getByRole("heading", { name: /reporter/ }).waitFor();
      // The browser itself reports the answer 429 to the schedule beyond the bound.
      const complaints = visit.complaints.filter((text) => !text.includes("429"));
      expect([...complaints, ...(await visit.faults("run"))]).toEqual([]);
    },
  );
});
