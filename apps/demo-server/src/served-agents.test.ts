import { join } from "node:path";
import { FakeService, recordings } from "@troupe-internal/toolkit-fakes";
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { chooseToolkits } from "./choose-toolkits.ts";
import { serveDemo } from "./test/serve-demo.ts";
import type { ServedDemo } from "./test/serve-demo.ts";
import { packages, run, startServices } from "./test/served-fakes.ts";

// The demo logs each request there.
beforeEach(() => {
  const silenced = vi.spyOn(process.stderr, "write").mockReturnValue(true);
  onTestFinished(() => silenced.mockRestore());
});

/** Nothing listens there. */
const nowhere = { duckDuckGo: "http://127.0.0.1:1", hackerNews: "http://127.0.0.1:1" };

describe("the agents of the demo without a network", () => {
  let demo: ServedDemo;

  beforeAll(async () => void (demo = await serveDemo(nowhere)));
  afterAll(async () => await demo.close());

  it("the extractor answers with the facts of a message as data", async () => {
    const input =
      "My name is Grace Hopper from Acme Ltd. Please send me 3 keyboards by 12 May 2027, order number A-1024. It is urgent! grace@acme.example";

    const { status, json } = await run(demo, "/agents/extractor/run", { input });

    expect(status).toBe(200);
    expect(json.structured).toEqual({
      name: "Grace Hopper",
      email: "grace@acme.example",
      company: "Acme Ltd",
      orderNumber: "A-1024",
      date: "2027-05-12",
      items: ["3 keyboards"],
      priority: "urgent",
    });
    expect(JSON.parse(json.text ?? "")).toEqual(json.structured);
  });

  it("the extractor makes nothing up that the message does not say", async () => {
    const { json } = await run(demo, "/agents/extractor/run", { input: "Please send me two lamps." });

    expect(json.structured).toMatchObject({ name: null, email: null, company: null, orderNumber: null, date: null });
  });

  it("the researcher says that it could not reach its services, and makes nothing up", async () => {
    for (const input of ["Search the web for whales", "What are the top stories on Hacker News?"]) {
      const { status, json } = await run(demo, "/agents/researcher/run", { input });

      expect(status).toBe(200);
      expect(json.toolCalls).toMatchObject([{ error: expect.stringContaining("failed") as string }]);
      expect(json.text).toContain("cannot be reached");
    }
  });
});

describe("the researcher of the demo", () => {
  it("searches with DuckDuckGo, and answers with what it has found", async () => {
    const { duckDuckGo, hackerNews } = await startServices();
    const demo = await serveDemo({ duckDuckGo: duckDuckGo.url, hackerNews: hackerNews.url });
    onTestFinished(async () => await demo.close());

    const { json } = await run(demo, "/agents/researcher/run", { input: "Search the web for node" });

    expect(json.toolCalls).toMatchObject([{ toolName: "duckduckgo_search", args: { query: "node" } }]);
    expect(duckDuckGo.requests.map(({ path }) => path)).toEqual(["/html/"]);
    expect(json.text).toContain("http");
    expect(hackerNews.requests).toEqual([]);
  });

  it("reads the top stories of Hacker News", async () => {
    const { duckDuckGo, hackerNews } = await startServices();
    const demo = await serveDemo({ duckDuckGo: duckDuckGo.url, hackerNews: hackerNews.url });
    onTestFinished(async () => await demo.close());

    const { json } = await run(demo, "/agents/researcher/run", { input: "What are the top stories on Hacker News?" });

    expect(json.toolCalls).toMatchObject([{ toolName: "hackernews_top_stories" }]);
    expect(hackerNews.requests[0]?.path).toBe("/v0/topstories.json");
    expect(json.text).toContain("Dropbox");
    expect(duckDuckGo.requests).toEqual([]);
  });
});

describe("the demo with credentials of toolkits", () => {
  it("searches with the service whose key there is, and has a messenger that sends what it is told", async () => {
    const [search, graph] = [await FakeService.start(), await FakeService.start()];
    onTestFinished(async () => void (await Promise.all([search.close(), graph.close()])));
    search.answer(recordings(join(packages, "toolkits-web-search/test/__fixtures__"))("tavily-results"));
    graph.answer(recordings(join(packages, "toolkits-whatsapp/test/__fixtures__"))("accepted"));
    const variables = {
      TAVILY_API_KEY: "tvly-1",
      WHATSAPP_ACCESS_TOKEN: "EAAG-token",
      WHATSAPP_PHONE_NUMBER_ID: "106540352242922",
      WHATSAPP_RECIPIENT_WAID: "15551234567",
    };
    const toolkits = await chooseToolkits(variables, { webSearch: search.url, whatsApp: graph.url });
    const demo = await serveDemo(nowhere, toolkits);
    onTestFinished(async () => await demo.close());

    const found = await run(demo, "/agents/researcher/run", { input: "Search the web for node" });
    const sent = await run(demo, "/agents/messenger/run", { input: 'Send the text "The parcel is there."' });

    expect(found.json.toolCalls).toMatchObject([{ toolName: "web_search", args: { query: "node" } }]);
    expect(sent.json.toolCalls).toMatchObject([{ toolName: "whatsapp_send_text" }]);
    expect(graph.requests.map(({ body }) => body)).toEqual([expect.stringContaining("The parcel is there.")]);
    expect((await run(demo, "/agents/secretary/run", { input: "Hello" })).status).toBe(404);
  });
});
