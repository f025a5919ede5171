import { expect, it } from "vitest";
import { HackerNewsToolkit } from "./index.ts";

/** Toolkits with the options that change what a model is told. */
const toolkits = {
  defaults: new HackerNewsToolkit({}),
  "few results": new HackerNewsToolkit({ maxResults: 3, timeoutMs: 1000 }),
  "users alone": new HackerNewsToolkit({ enableGetTopStories: false }),
  "stories alone": new HackerNewsToolkit({ enableGetUserDetails: false }),
};

// What a model is told. If a change is meant, write the outline anew by `vitest --update`.
it("the tools are described to a model like this", async () => {
  const lines = Object.entries(toolkits).flatMap(([title, toolkit]) => [
    `# ${title}`,
    ...toolkit.getTools().map((tool) => JSON.stringify(tool, undefined, 1)),
  ]);

  await expect(`${lines.join("\n")}\n`).toMatchFileSnapshot("../test/outlines/tools.txt");
});
