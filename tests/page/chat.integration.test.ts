import { describe, expect, it } from "vitest";
import { servePage } from "./page-service.ts";
import { browserUrl, Visit, looks } from "./visit.ts";

const allLooks: typeof looks = [
  ...looks,
  ["light and 360 pixels wide", { viewport: { width: 360, height: 740 }, colorScheme: "light" }],
];

describe.skipIf(browserUrl === "")("the page in a browser", { timeout: 180_000 }, () => {
  it.each(allLooks)(
    "shows a chat with a tool call, a team, an upload and a workflow, %s [page.chat] [page.accessible]",
    async (name, look) => {
      const { url } = await servePage();
      const visit = await Visit.open(url, name, look);
      const { page } = visit;
      expect(await visit.faults("new")).toEqual([]);

      await page.getByRole("button", { name: "What should I take along to Oslo?" }).click();
      await page.getByRole("button", { name: "Answer again" }).waitFor();
      expect(await page.locator(".answer").innerText()).toMatch(/get_weather[^]*Rain in Oslo, 9 °C\.[^]*an umbrella/);
      expect(await page.locator(".answer strong").innerText()).toBe("rains");
      expect(await page.locator(".answer table td").first().innerText()).toBe("9:00");
      expect(await page.locator(".turn-foot").innerText()).toMatch(/30 tokens[^]*first token \d/);
      await page.locator(".tool summary").click();
      expect(await page.locator(".tool-body").innerText()).toMatch(/"city": "Oslo"[^]*Rain in Oslo/);
      await page.locator(".thinking summary", { hasText: "Thoughts" }).click();
      expect(await page.locator(".thinking .markdown").innerText()).toBe("The tool says what the weather is.");
      expect(await page.locator(".artifact").allInnerTexts()).toEqual([
        expect.stringContaining('"hours"'),
        expect.stringContaining("map"),
      ]);
      const drawn = page.locator(".artifact img");
      expect(await drawn.evaluate((image) => (image as unknown as { naturalWidth: number }).naturalWidth)).toBe(1);
      expect(await visit.faults("tool")).toEqual([]);

      await visit.ask("travel-desk", "What should I take along?");
      expect(await page.locator(".turn").last().innerText()).toMatch(
        /helper\s+The weather in Oslo\?[^]*The helper says: take an umbrella/,
      );
      const words = page.getByRole("group", { name: "helper" }).getByText("It rains in Oslo: 9 °C.");
      await words.waitFor();
      await page.locator(".member summary").press("Enter");
      expect(await visit.faults("team")).toEqual([]);

      await page
        .locator("input[type=file]")
        .setInputFiles({ name: "notes.txt", mimeType: "text/plain", buffer: Buffer.from("Oslo") });
      await visit.ask("talker", "Read this.");
      expect(await page.locator(".turn").last().innerText()).toMatch(/Read this\.[^]*notes\.txt[^]*The end\./);
      expect(await visit.faults("upload")).toEqual([]);

      await visit.ask("briefing", '{ "city": "Quito" }');
      expect(await page.locator(".turn").last().innerText()).toMatch(/look[^]*write[^]*Good morning, Quito\./);
      expect(await visit.faults("workflow")).toEqual([]);

      expect(await visit.allFaults(url)).toEqual([]);
    },
  );

  it.each(looks)(
    "goes on with an answer after a reload in the middle of it, and after another chat, %s [page.reload]",
    async (name, look) => {
      const { url } = await servePage();
      const visit = await Visit.open(url, `reload-${name}`, look);
      const { page } = visit;
      await visit.begin("talker", "Tell me.");
      await page.locator(".answer").getByText("word 3,").waitFor();

      await page.reload();
      await page.locator(".answer").getByText("word 8,").waitFor();
      expect(await page.locator(".question").innerText()).toContain("Tell me.");
      await visit.newChat();
      await page.getByRole("heading", { name: "What can I help you with?" }).waitFor();
      await visit.openChats();
      await page.getByRole("link", { name: "Tell me." }).click();
      await page.locator(".answer").getByText("word 12,").waitFor();
      await page.locator(".answer").getByText("The end.").waitFor();

      expect(await page.locator(".turn").count()).toBe(1);
      const words = Array.from({ length: 60 }, (_, index) => `word ${index + 1}`).join(", ");
      expect(await page.locator(".answer .markdown").innerText()).toBe(`Answer 1 to “Tell me.”: ${words}. The end.`);
      await page.reload();
      await page.locator(".answer").getByText("The end.").waitFor();
      expect(await page.locator(".turn").count()).toBe(1);
      expect(await visit.allFaults(url)).toEqual([]);
    },
  );

  it.each(looks)(
    "asks for an approval, also after a reload, and goes on with the answer, %s [page.approval]",
    async (name, look) => {
      const { url } = await servePage();
      const visit = await Visit.open(url, `approval-${name}`, look);
      const { page } = visit;
      await visit.begin("concierge", "Book a room in Oslo.");
      const question = page.getByRole("region", { name: "May book_room be called?" });
      await question.waitFor();
      expect(await question.innerText()).toMatch(/city\s+Oslo\s+nights\s+2/);
      await page.getByRole("status").getByText("concierge has a question").waitFor({ state: "attached" });
      expect(await page.evaluate("document.activeElement.id")).toBe("question");
      // A screen reader reads nothing of what is busy.
      expect(await page.locator("[aria-busy=true]").count()).toBe(0);
      expect(await visit.faults("asked")).toEqual([]);

      await page.reload();
      await question.getByRole("button", { name: "Approve" }).click();
      await question.waitFor({ state: "detached" });
      expect(await page.evaluate("document.activeElement.className")).toBe("turn");
      await page.getByText("The room is booked.", { exact: true }).waitFor();
      expect(await page.locator(".tool").innerText()).toContain("Room 42 in Oslo is booked.");

      await visit.begin("concierge", "And another one.");
      await question.getByRole("textbox").fill("Too dear.");
      await question.getByRole("button", { name: "Refuse" }).click();
      await page.locator(".turn-foot").nth(1).waitFor();
      expect(await page.locator(".tool").nth(1).innerText()).toContain("Too dear.");
      expect(await visit.allFaults(url)).toEqual([]);
    },
  );

  it.each(looks)(
    "has the sessions at the side, which are renamed and deleted, with and without a user, %s [page.sessions]",
    async (name, look) => {
      for (const user of ["ada", null]) {
        const { url } = await servePage({ users: user !== null });
        const visit = await Visit.open(url, `sessions-${name}`, { ...look, user });
        const { page } = visit;
        await visit.ask("reporter", "The first question.");
        await visit.newChat();
        await visit.ask("reporter", `A question that is long: ${"and longer ".repeat(30)}`);
        await visit.openChats();
        await page.locator(".session", { hasText: "longer" }).hover();
        expect(await visit.faults(`long-title-${user ?? "nobody"}`)).toEqual([]);
        await page.getByRole("button", { name: "Delete A question" }).click();
        await page.getByRole("button", { name: "Delete", exact: true }).click();
        await visit.newChat();
        await visit.ask("reporter", "The second question.");
        await visit.openChats();
        await expect
          .poll(async () => await page.locator(".session a").allInnerTexts())
          .toEqual(["The second question.", "The first question."]);

        await page.reload();
        await visit.openChats();
        await page.locator(".session", { hasText: "first" }).hover();
        await page.getByRole("button", { name: "Rename The first question." }).click();
        await page.getByRole("textbox", { name: "Title" }).fill("Oslo in rain");
        await page.keyboard.press("Enter");
        await page.getByRole("link", { name: "Oslo in rain" }).click();
        await page.locator(".question", { hasText: "The first question." }).waitFor();
        await page.getByText("temperatureC").waitFor();
        expect(await page.title()).toBe("Oslo in rain · Troupe");
        expect(await visit.faults(`sessions-${user ?? "nobody"}`)).toEqual([]);

        await visit.openChats();
        await page.locator(".session", { hasText: "Oslo" }).hover();
        await page.getByRole("button", { name: "Delete Oslo in rain" }).click();
        await page.getByRole("button", { name: "Delete", exact: true }).click();
        await expect
          .poll(async () => await page.evaluate("document.activeElement.textContent"))
          .toBe("The second question.");
        await page.getByRole("link", { name: "Oslo in rain" }).waitFor({ state: "detached" });
        await page.getByRole("heading", { name: "What can I help you with?" }).waitFor();
        await page.reload();
        await visit.openChats();
        await expect
          .poll(async () => await page.locator(".session a").allInnerTexts())
          .toEqual(["The second question."]);
        expect(await visit.allFaults(url)).toEqual([]);
      }
    },
  );

  it.each(looks)(
    "sends a key in the header of its vendor alone, and keeps it over a reload only on demand, %s [page.keys]",
    async (name, look) => {
      const { url, runHeaders } = await servePage();
      const visit = await Visit.open(url, `keys-${name}`, look);
      const { page } = visit;
      const urls: string[] = [];
      page.on("request", (request) => urls.push(request.url() + (request.postData() ?? "")));
      const enter = async () => {
        await page.getByRole("button", { name: "Keys of vendors" }).click();
        await page.getByRole("textbox", { name: "OpenAI" }).fill("sk-of-ada");
        await page.getByRole("button", { name: "Use the key of OpenAI" }).click();
        await page.getByText("Key is set").waitFor();
      };
      const kept = async () =>
        await page.evaluate("JSON.stringify([localStorage, sessionStorage]) + document.documentElement.outerHTML");
      const lastKeys = () => {
        const {
          "x-openai-api-key": openai,
          "x-anthropic-api-key": other,
          "x-api-key": generic,
        } = runHeaders.at(-1) ?? {};
        return [openai, other, generic];
      };

      await enter();
      expect(await visit.faults("keys")).toEqual([]);
      expect(await kept()).not.toContain("sk-of-ada");
      await page.keyboard.press("Escape");
      await visit.ask("reporter", "One.");
      expect(lastKeys()).toEqual(["sk-of-ada", undefined, undefined]);
      await page.reload();
      await visit.ask("reporter", "Two.");
      expect(lastKeys()).toEqual([undefined, undefined, undefined]);

      await enter();
      await page.getByRole("switch").check();
      await page.reload();
      await visit.ask("reporter", "Three.");
      expect(lastKeys()).toEqual(["sk-of-ada", undefined, undefined]);
      await page.getByRole("button", { name: "Keys of vendors" }).click();
      await page.getByRole("switch").uncheck();
      expect(await kept()).not.toContain("sk-of-ada");
      await page.reload();
      await visit.ask("reporter", "Four.");
      expect(lastKeys()).toEqual([undefined, undefined, undefined]);
      expect(urls.join(" ")).not.toContain("sk-of-ada");
      expect(await visit.allFaults(url)).toEqual([]);
    },
  );

  it("is used by keyboard alone: Enter sends, Shift and Enter break the line, and the focus stays [page.accessible]", async () => {
    const { url } = await servePage();
    const visit = await Visit.open(url, "keyboard");
    const { page } = visit;
    const field = page.getByRole("textbox", { name: "Your question" });
    await page.getByRole("button", { name: "Choose whom to ask" }).press("Enter");
    await page.keyboard.type("data");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    await expect.poll(() => page.evaluate("document.activeElement.textContent")).toContain("reporter");
    await field.focus();
    await page.keyboard.type("One");
    await page.keyboard.press("Shift+Enter");
    await page.keyboard.type("two");
    await page.keyboard.press("Enter");
    await page.locator(".turn-foot").waitFor();

    expect(await page.locator(".bubble p").innerText()).toBe("One\ntwo");
    expect(await page.evaluate("document.activeElement.id")).toBe("question");
    await page.getByRole("status").getByText("reporter answered").waitFor({ state: "attached" });
    expect(await page.locator("[role=log]").getAttribute("aria-busy")).toBe("false");
  });
});
