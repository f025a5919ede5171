import { readFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { brokenImage, longText, servePage } from "./page-service.ts";
import { browserUrl, Visit } from "./visit.ts";

const phone = { viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true };

/** Runs in the page: counts how often the text of the first answer is split into lines, as for reading its Markdown. */
const countParses = `
  globalThis.parses = 0;
  const split = String.prototype.split;
  String.prototype.split = function (...separators) {
    if (this.startsWith("Answer 1 to") && this.endsWith("The end.")) parses++;
    return split.apply(this, separators);
  };
`;

describe.skipIf(browserUrl === "")("the state of a chat in a browser", { timeout: 180_000 }, () => {
  it("goes on with a workflow after a reload, and still has it after another, with what was stopped [page.reload] [page.kept]", async () => {
    const { url } = await servePage();
    const visit = await Visit.open(url, "workflow-reload");
    const { page } = visit;
    await visit.begin("survey", '{ "topic": "rain" }');
    await page.locator(".answer").getByText("word 3,").waitFor();
    expect(page.url()).toContain("#/s/");

    await page.reload();
    await page.locator(".answer").getByText("word 8,").waitFor();
    expect(await page.locator(".question").innerText()).toContain("rain");
    await page.locator(".answer").getByText("The end.").waitFor();
    await page.locator(".turn-foot").getByText("Only in this tab").waitFor();
    expect(await page.locator(".failure").count()).toBe(0);
    await visit.begin("talker", "Stop soon.");
    await page.locator(".answer").last().getByText("word 1,").waitFor();
    await page.getByRole("button", { name: "Stop" }).click();
    await page.locator(".turn-foot").getByText("Stopped").waitFor();

    await page.reload();
    await page.locator(".turn-foot").getByText("Stopped").waitFor();
    expect(await page.locator(".question").allInnerTexts()).toEqual([
      expect.stringContaining("rain"),
      expect.stringContaining("Stop soon."),
    ]);
    expect(await page.locator(".answer").first().innerText()).toMatch(/talk[^]*done[^]*word 60[^]*Only in this tab/);
    await expect.poll(async () => await page.locator(".session a").allInnerTexts()).toHaveLength(1);
    expect(await visit.faults("kept")).toEqual([]);
    await page.goto(`${url}/#/s/no-such-session`);
    await page.getByText("This chat is not stored.").waitFor();
    expect(new URL(page.url()).hash).toBe("#/");
  });

  it("is there again after the inspector, with its session, its draft and its files [page.chat]", async () => {
    const { url } = await servePage({ hasInspector: true });
    const visit = await Visit.open(url, "inspector-and-back", { viewport: { width: 1000, height: 420 } });
    const { page } = visit;
    const place = async () => await page.evaluate<number>("document.querySelector('.scroll').scrollTop");
    await visit.ask("reporter", "One.");
    await visit.ask("reporter", "Two.");
    await visit.ask("reporter", "Three.");
    const toNewest = page.getByRole("button", { name: "To the newest" });
    const scrollUp = "document.querySelector('.scroll').scrollTo({ top: 120 })";
    // The end of the answer may still be followed.
    await expect.poll(async () => (await page.evaluate(scrollUp), await toNewest.isVisible())).toBe(true);
    expect(await place()).toBe(120);
    const { hash } = new URL(page.url());
    const field = page.getByRole("textbox", { name: "Your question" });
    await field.fill("A draft");
    const file = { name: "notes.txt", mimeType: "text/plain", buffer: Buffer.from("Oslo") };
    await page.locator("input[type=file]").setInputFiles(file);
    await page.getByRole("link", { name: "Inspector" }).click();
    await page.getByRole("heading", { name: "All runs" }).waitFor();
    expect(await field.isVisible()).toBe(false);
    expect(await visit.faults("inspector")).toEqual([]);

    await page.getByRole("link", { name: "Chat", exact: true }).click();
    await page.locator(".question", { hasText: "Two." }).waitFor();
    expect(await place()).toBe(120);
    expect(new URL(page.url()).hash).toBe(hash);
    expect(await field.inputValue()).toBe("A draft");
    expect(await page.getByRole("list", { name: "Files to send" }).innerText()).toContain("notes.txt");
    expect(await visit.allFaults(url)).toEqual([]);
  });

  it("does not read the Markdown of earlier answers again while another one comes [page.chat]", async () => {
    const { url } = await servePage();
    const visit = await Visit.open(url, "parses", { before: countParses });
    const { page } = visit;
    const parses = async () => Number(await page.evaluate("parses"));
    await visit.ask("talker", "One.");
    const before = await parses();
    expect(before).toBeGreaterThan(0);
    await visit.begin("talker", "Two.");
    await page.getByText("word 20,").last().waitFor();
    await page.locator(".turn-foot").nth(1).waitFor();

    expect((await parses()) - before).toBe(0);
  });

  it("asks as an earlier chat's agent again when another chat is opened, whichever agent was picked before [page.sessions]", async () => {
    const { url } = await servePage();
    const visit = await Visit.open(url, "picked");
    const { page } = visit;
    const chosen = async () => await page.locator(".picker-name").innerText();
    await visit.ask("reporter", "One.");
    await visit.newChat();
    await visit.ask("helper", "Two.");
    await visit.choose("talker");
    await page.getByRole("link", { name: "One." }).click();
    await page.locator(".question", { hasText: "One." }).waitFor();

    await expect.poll(chosen).toBe("reporter");
  });

  it("takes files that are dropped beside the field, and is never left for them [page.chat]", async () => {
    const { url } = await servePage();
    const visit = await Visit.open(url, "drop");
    const { page } = visit;
    const drop = `(() => {
      const dataTransfer = new DataTransfer();
      dataTransfer.items.add(new File(["Oslo"], "dropped.txt"));
      return ["dragover", "drop"].map((type) => {
        const event = new DragEvent(type, { dataTransfer, bubbles: true, cancelable: true });
        document.querySelector(".bar").dispatchEvent(event);
        return event.defaultPrevented;
      });
    })()`;

    expect(await page.evaluate(drop)).toEqual([true, true]);
    await page.getByRole("list", { name: "Files to send" }).getByText("dropped.txt").waitFor();
    await visit.choose("briefing");
    expect(await page.evaluate(drop)).toEqual([true, true]);
  });

  it("asks an uploaded question again as a whole after a reload in the middle of its answer [page.regenerate]", async () => {
    const { url } = await servePage();
    const visit = await Visit.open(url, "upload-again");
    const { page } = visit;
    const file = { name: "notes.txt", mimeType: "text/plain", buffer: Buffer.from("Oslo") };
    await visit.choose("talker");
    await page.locator("input[type=file]").setInputFiles(file);
    await visit.begin("talker", "Read this.");
    await page.getByText("word 3,").waitFor();
    await page.reload();
    await page.locator(".answer").getByText("Answer 1 to “Read this.”").waitFor();
    await page.locator(".answer").getByText("The end.").waitFor();
    await page.getByRole("button", { name: "Answer again" }).click();
    await page.locator(".answer").getByText("Answer 2 to “Read this.”").waitFor();
    expect(await page.evaluate("document.activeElement.className")).toBe("turns");
    await page.locator(".answer").getByText("The end.").waitFor();
    await page.reload();
    await page.locator(".answer").getByText("Answer 2 to “Read this.”").waitFor();

    expect(await page.locator(".turn").count()).toBe(1);
    expect(await page.locator(".question").innerText()).toMatch(/Read this\.[^]*notes\.txt/);
    expect(await visit.allFaults(url)).toEqual([]);
  });

  it("copies and saves the whole of an artifact, also of one whose data is broken [page.chat]", async () => {
    const { url } = await servePage();
    const record = `Object.defineProperty(navigator, "clipboard", { value: { writeText: async (text) => { globalThis.copied = text; } } });`;
    const visit = await Visit.open(url, "artifacts", { before: record });
    const { page } = visit;
    await visit.ask("archivist", "The report, please.");
    const report = page.locator(".artifact", { hasText: "report" });
    expect(await report.locator("code").innerText()).not.toContain("The end of it.");
    await report.getByRole("button", { name: "Copy code" }).click();
    await report.getByRole("button", { name: "Copied" }).waitFor();
    expect(await page.evaluate("copied")).toBe(longText);

    const saving = page.waitForEvent("download");
    await page.getByRole("button", { name: "Save scan" }).click();
    const saved = await saving;
    expect(saved.suggestedFilename()).toBe("scan.txt");
    expect(await readFile(await saved.path(), "utf8")).toBe(brokenImage);
  });

  it("says when the browser refuses to copy, and to store keys [page.keys]", async () => {
    const { url } = await servePage();
    const refuse = `
      Object.defineProperty(navigator, "clipboard", { value: undefined });
      Storage.prototype.setItem = () => { throw new Error("refused"); };
    `;
    const visit = await Visit.open(url, "refusals", { before: refuse });
    const { page } = visit;
    await visit.ask("reporter", "One.");
    await page.getByRole("button", { name: "Copy answer" }).click();
    await page.getByText("The browser refuses to copy.").waitFor();
    expect(await visit.faults("copy")).toEqual([]);

    await page.getByRole("button", { name: "Keys of vendors" }).click();
    await page.getByRole("textbox", { name: "OpenAI" }).fill("sk-of-ada");
    await page.getByRole("button", { name: "Use the key of OpenAI" }).click();
    await page.getByRole("button", { name: "Forget the key of OpenAI" }).waitFor();
    await expect.poll(() => page.evaluate("document.activeElement.textContent")).toBe("Forget");
    await page.getByRole("switch").click();
    await page.getByText("This browser refuses to store them.").waitFor();
    expect(await page.getByRole("switch").isChecked()).toBe(false);
    expect(await visit.faults("keys")).toEqual([]);
    await page.getByRole("button", { name: "Forget the key of OpenAI" }).click();
    await expect.poll(() => page.evaluate("document.activeElement.id")).toBe("key-openai");
  });

  it("is used by touch: a question, an approval, the drawer of chats and a deletion [page.accessible]", async () => {
    const { url } = await servePage();
    const visit = await Visit.open(url, "touch", phone);
    const { page } = visit;
    expect(await page.evaluate('matchMedia("(pointer: coarse)").matches')).toBe(true);
    // Smaller letters make a phone zoom into the field.
    const sizes = `[...document.querySelectorAll("input, select, textarea")].map((field) => parseFloat(getComputedStyle(field).fontSize))`;
    const smallest = async () => Math.min(...(await page.evaluate<number[]>(sizes)));
    await visit.choose("concierge");
    await page.getByRole("textbox", { name: "Your question" }).tap();
    await page.getByRole("textbox", { name: "Your question" }).fill("Book a room in Oslo.");
    await page.getByRole("button", { name: "Send" }).tap();
    await page.getByRole("region", { name: "May book_room be called?" }).waitFor();
    expect(await smallest()).toBeGreaterThanOrEqual(16);
    expect(await visit.faults("asked")).toEqual([]);
    await page.getByRole("button", { name: "Approve" }).tap();
    await page.getByText("The room is booked.", { exact: true }).waitFor();

    await page.getByRole("button", { name: "Chats" }).tap();
    expect(await visit.faults("drawer")).toEqual([]);
    // The line of a chat has room for one button where fingers point.
    expect(await page.getByRole("button", { name: "Rename Book a room in Oslo." }).count()).toBe(0);
    await page.getByRole("button", { name: "More for Book a room in Oslo." }).tap();
    expect(await visit.faults("more")).toEqual([]);
    await page.getByRole("button", { name: "Rename", exact: true }).tap();
    expect(await smallest()).toBeGreaterThanOrEqual(16);
    await page.getByRole("textbox", { name: "Title" }).fill("Oslo");
    await page.getByRole("button", { name: "Save title" }).tap();
    await page.getByRole("button", { name: "More for Oslo" }).tap();
    await page.getByRole("button", { name: "Delete", exact: true }).tap();
    await page.getByText("Delete this chat?").waitFor();
    await page.getByRole("button", { name: "Delete", exact: true }).tap();
    await page.getByText("Chats that you begin are listed here.").waitFor();
    expect(await visit.allFaults(url)).toEqual([]);
  });

  it("does not show a chat again that was deleted while it was answered [page.sessions]", async () => {
    const { url } = await servePage();
    const visit = await Visit.open(url, "ghost");
    const { page } = visit;
    await visit.ask("reporter", "One.");
    await visit.newChat();
    await visit.begin("talker", "Two.");
    await page.getByText("word 3,").waitFor();
    await page.locator(".session", { hasText: "Two." }).hover();
    await page.getByRole("button", { name: "Delete Two." }).click();
    await page.getByRole("button", { name: "Delete", exact: true }).click();
    await page.getByRole("link", { name: "Two." }).waitFor({ state: "detached" });
    await visit.ask("reporter", "Three.");

    await expect.poll(async () => await page.locator(".session a").allInnerTexts()).toEqual(["Three.", "One."]);
    await page.reload();
    await expect.poll(async () => await page.locator(".session a").allInnerTexts()).toEqual(["Three.", "One."]);
    // The browser tells of each answer 404: the service has stored no session to delete.
    const faults = await visit.allFaults(url);
    expect(faults.filter((fault) => !fault.includes("404"))).toEqual([]);
  });
});
