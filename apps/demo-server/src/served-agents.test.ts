import { join } from "node:path";
import { FakeService, recordings } from "@troupe-internal/toolkit-fakes";
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { chooseToolkits } from "./choose-toolkits.ts";
import { serveDemo } from "./test/serve-demo.ts";
import type { ServedDemo } from "./test/serve-demo.ts";
import { post } from "./test/start-demo.ts";

const packages = join(import.meta.dirname, "../../../packages");
const ofDuckDuckGo = recordings(join(packages, "toolkits-duckduckgo/test/__fixtures__"));
const ofHackerNews = recordings(join(packages, "toolkits-hackernews/test/__fixtures__"));

/** Starts fakes of both services, which answer with what was recorded of the real ones. */
async function startServices(): Promise<{ duckDuckGo: FakeService; hackerNews: FakeService }> {
  const [duckDuckGo, hackerNews] = [await FakeService.start(), await FakeService.start()];
  onTestFinished(async () => void (await Promise.all([duckDuckGo.close(), hackerNews.close()])));
  duckDuckGo.answer(() => ofDuckDuckGo("html-results"));
  const stories: Readonly<Record<string, string>> = { topstories: "topstories", "8863": "item-story", jl: "user" };
  hackerNews.answer(({ path }) => ofHackerNews(stories[/(\w+)\.json$/.exec(path)?.[1] ?? ""] ?? "item-missing"));
  return { duckDuckGo, hackerNews };
}

/** The output of a run, as far as the tests look at it. */
type Output = { readonly text?: string; readonly structured?: unknown; readonly toolCalls?: readonly unknown[] };

async function run({ url }: ServedDemo, path: string, body: unknown) {
  const response = await fetch(`${url}${path}`, post(body));
  return { status: response.status, json: (await response.json()) as Output };
}

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

/** Patterns of good answers to the questions that the docs page proposes. */
const answers: Readonly<Record<string, RegExp>> = {
  "/agents/assistant/run": /9 °C with rain.* 84\./,
  "/agents/support/run": /storage/i,
  "/agents/extractor/run": /"name":"Grace Hopper"/,
  "/agents/companion/run": /Nice to meet you, Ada/,
  "/agents/weather-report/run": /"sky":"snow"/,
  "/agents/researcher/run": /http/,
  "/agents/concierge/run": /^202 .*"book_room"/,
  "/agents/meteorologist/run": /In London it is/,
  "/agents/timekeeper/run": /In Tokyo it is \d\d:\d\d/,
  "/agents/accountant/run": /= 14\./,
  "/agents/openai-assistant/run": /^401 .*x-openai-api-key/,
  "/agents/claude-assistant/run": /^401 .*x-anthropic-api-key/,
  "/agents/gemini-assistant/run": /^401 .*x-google-api-key/,
  "/teams/travel-desk/run": /meteorologist says.*timekeeper says/,
  "/teams/help-desk/run": /= 14\./,
  "/teams/city-guides/run": /meteorologist says.*timekeeper says.*accountant says/,
  "/teams/trip-planners/run": /In Bergen it is 8 °C with rain/,
  "/workflows/morning-briefing/run": /Good morning\./,
};

describe("the docs of the demo", () => {
  it("propose questions that the served agents and teams answer, the researcher with a network and those of vendors with a key", async () => {
    const { duckDuckGo, hackerNews } = await startServices();
    const demo = await serveDemo({ duckDuckGo: duckDuckGo.url, hackerNews: hackerNews.url });
    onTestFinished(async () => await demo.close());
    const { paths } = (await (await fetch(`${demo.url}/docs/spec.json`)).json()) as Spec;
    const proposed = Object.entries(paths).filter(([path]) => /^\/(?:agents|teams|workflows)\/[^{]+\/run$/.test(path));

    expect(proposed.map(([path]) => path).toSorted()).toEqual(Object.keys(answers).toSorted());
    for (const [path, { post: operation }] of proposed) {
      const { status, json } = await run(demo, path, operation.requestBody.content["application/json"].example);
      const said = `${status === 200 ? "" : `${status} `}${json.text ?? JSON.stringify(json)}`;
      expect(said, path).toMatch(answers[path] ?? /^$/);
      expect(said, path).not.toContain("I am the demo's offline model");
    }
    expect(paths["/agents/researcher/run"]?.post.description).toContain("Needs a network.");
  });
});

/** The part of an OpenAPI document that has the proposed questions. */
type Spec = {
  readonly paths: Readonly<
    Record<
      string,
      {
        readonly post: {
          readonly description?: string;
          readonly requestBody: { readonly content: { readonly "application/json": { readonly example: unknown } } };
        };
      }
    >
  >;
};

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
