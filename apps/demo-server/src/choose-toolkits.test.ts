import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { contextWith, FakeService, recordings, toolOf } from "@troupe-internal/toolkit-fakes";
import { describe, expect, it, onTestFinished } from "vitest";
import { chooseToolkits, toolkitVariables } from "./choose-toolkits.ts";
import type { Toolkit } from "./choose-toolkits.ts";

const packages = join(import.meta.dirname, "../../../packages");

/** Starts a fake service that gives one recorded answer of a package, and stops with the test. */
async function startService(name: string, recording: string): Promise<FakeService> {
  const service = await FakeService.start();
  onTestFinished(async () => await service.close());
  return service.answer(recordings(join(packages, name, "test/__fixtures__"))(recording));
}

/** Writes a file that is removed after the test, and returns its path. */
function writeTemporary(content: string): string {
  const folder = mkdtempSync(join(tmpdir(), "troupe-demo-toolkits-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, "file é.json"), content);
  return join(folder, "file é.json");
}

const namesOf = async (toolkit: Toolkit | undefined) => (await toolkit?.tools.getTools())?.map(({ name }) => name);

const token = JSON.stringify({ access_token: "ya29.token", expiry_date: Date.now() + 3_600_000 });
const whatsApp = { WHATSAPP_ACCESS_TOKEN: "EAAG-secret", WHATSAPP_PHONE_NUMBER_ID: "106540352242922" };

describe("chooseToolkits", () => {
  it("chooses nothing without credentials", async () => {
    expect(await chooseToolkits({})).toEqual({});
    expect(await chooseToolkits(Object.fromEntries(toolkitVariables.map((name) => [name, " "])))).toEqual({});
  });

  it.each<[variables: Record<string, string>, shown: string, recording: string]>([
    [{ TAVILY_API_KEY: " key-1 " }, "Tavily", "tavily-results"],
    [{ SERPAPI_API_KEY: "key-1", EXA_API_KEY: "other" }, "SerpAPI", "serpapi-results"],
    [{ BRAVE_API_KEY: "key-1" }, "Brave", "brave-results"],
    [{ BRAVE_SEARCH_API_KEY: "key-1" }, "Brave", "brave-results"],
    [{ EXA_API_KEY: "key-1" }, "Exa", "exa-results"],
  ])("searches, given %j, with %s and its key", async (variables, shown, recording) => {
    const service = await startService("toolkits-web-search", recording);
    const { webSearch, ...others } = await chooseToolkits(variables, { webSearch: service.url });

    const search = webSearch && (await toolOf(webSearch.tools, "web_search"));
    await search?.execute({ query: "q" }, contextWith());

    expect(webSearch?.shown).toBe(`web search with ${shown}`);
    expect(JSON.stringify(service.requests.map(({ headers, query }) => [headers, [...query]]))).toContain("key-1");
    expect(others).toEqual({});
  });

  it("reads a mailbox, and sends only to the recipients that are named", async () => {
    const GMAIL_TOKEN_PATH = writeTemporary(token);
    const reading = await chooseToolkits({ GMAIL_TOKEN_PATH });
    const service = await startService("toolkits-gmail", "sent");
    const variables = { GMAIL_TOKEN_PATH, GMAIL_ALLOWED_RECIPIENTS: "ada@example.com, @example.org ," };
    const { gmail } = await chooseToolkits(variables, { gmail: service.url });
    const send = gmail && (await toolOf(gmail.tools, "gmail_send"));
    const mailTo = async (to: string) => await send?.execute({ to: [to], subject: "s", text: "t" }, contextWith());

    expect(await namesOf(reading.gmail)).toEqual(["gmail_search", "gmail_read"]);
    expect(reading.gmail?.shown).toBe("Gmail, which sends nothing");
    expect(gmail?.shown).toBe("Gmail, which sends to ada@example.com and @example.org alone");
    await expect(mailTo("mallory@example.net")).rejects.toMatchObject({ code: "forbidden" });
    expect(service.requests).toEqual([]);
    await mailTo("grace@example.org");
    expect(service.requests.map(({ headers }) => headers.authorization)).toEqual(["Bearer ya29.token"]);
  });

  it("sends with WhatsApp from the number of the environment, and only to allowed numbers if there are some", async () => {
    const service = await startService("toolkits-whatsapp", "accepted");
    const more = { WHATSAPP_VERSION: "v26.0", WHATSAPP_ALLOWED_RECIPIENTS: "+1 555 123 4567" };
    const chosen = await chooseToolkits({ ...whatsApp, ...more }, { whatsApp: service.url });
    const send = chosen.whatsApp && (await toolOf(chosen.whatsApp.tools, "whatsapp_send_text"));

    await send?.execute({ to: "15551234567", text: "Hello" }, contextWith());

    expect(service.requests.map(({ path }) => path)).toEqual(["/v26.0/106540352242922/messages"]);
    await expect(send?.execute({ to: "15551234568", text: "Hello" }, contextWith())).rejects.toMatchObject({
      code: "forbidden",
    });
  });

  it.each<[variables: Record<string, string>, sentence: string]>([
    [{ TAVILY_API_KEY: "a secret" }, "TAVILY_API_KEY must be a key"],
    [{ EXA_API_KEY: "secret\nx" }, "EXA_API_KEY must be a key"],
    [{ GMAIL_TOKEN_PATH: "/nowhere/secret.json" }, "GMAIL_TOKEN_PATH must be the path of a JSON file"],
    [{ GMAIL_TOKEN_PATH: import.meta.filename }, "GMAIL_TOKEN_PATH must be the path of a JSON file"],
    [{ GMAIL_CREDENTIALS_PATH: "secret.json" }, "GMAIL_CREDENTIALS_PATH has no effect without GMAIL_TOKEN_PATH"],
    [{ GMAIL_ALLOWED_RECIPIENTS: "secret@a.com" }, "GMAIL_ALLOWED_RECIPIENTS has no effect without GMAIL_TOKEN_PATH"],
    [{ WHATSAPP_ACCESS_TOKEN: "secret" }, "WHATSAPP_ACCESS_TOKEN has no effect without WHATSAPP_PHONE_NUMBER_ID"],
    [{ WHATSAPP_PHONE_NUMBER_ID: "5" }, "WHATSAPP_PHONE_NUMBER_ID has no effect without WHATSAPP_ACCESS_TOKEN"],
    [{ WHATSAPP_VERSION: "v25.0" }, "WHATSAPP_VERSION has no effect without WHATSAPP_ACCESS_TOKEN"],
    [{ ...whatsApp, WHATSAPP_PHONE_NUMBER_ID: "EAAG-secret" }, "WHATSAPP_PHONE_NUMBER_ID must be the id"],
    [{ ...whatsApp, WHATSAPP_RECIPIENT_WAID: "secret" }, "WHATSAPP_RECIPIENT_WAID must be a phone number"],
    [{ ...whatsApp, WHATSAPP_ALLOWED_RECIPIENTS: "+15551234567,secret" }, "WHATSAPP_ALLOWED_RECIPIENTS must be phone"],
    [{ ...whatsApp, WHATSAPP_VERSION: "25" }, "WHATSAPP_VERSION must be a version"],
  ])("refuses %j with a sentence that shows no value", async (variables, sentence) => {
    const error = await chooseToolkits(variables).catch((thrown: unknown) => thrown);

    expect(error).toMatchObject({ code: "invalid_config", message: expect.stringContaining(sentence) as string });
    expect(String(error)).not.toContain("secret");
  });
});
