import { beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { serveDemo } from "./test/serve-demo.ts";
import { run, startServices } from "./test/served-fakes.ts";

// The demo logs each request there.
beforeEach(() => {
  const silenced = vi.spyOn(process.stderr, "write").mockReturnValue(true);
  onTestFinished(() => silenced.mockRestore());
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
