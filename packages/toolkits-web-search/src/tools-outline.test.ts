import { expect, it } from "vitest";
import { WebSearchToolkit } from "./index.ts";

/** Toolkits with the options that change what a model is told. */
const toolkits = {
  tavily: new WebSearchToolkit({ provider: "tavily" }),
  serpapi: new WebSearchToolkit({ provider: "serpapi", maxResults: 3 }),
  brave: new WebSearchToolkit({ provider: "brave", timeoutMs: 1000 }),
  exa: new WebSearchToolkit({ provider: "exa", maxResults: 20 }),
};

// What a model is told. If a change is meant, write the outline anew by `vitest --update`.
it("the tools are described to a model like this", async () => {
  const lines = Object.entries(toolkits).flatMap(([title, toolkit]) => [
    `# ${title}`,
    ...toolkit.getTools().map((tool) => JSON.stringify(tool, undefined, 1)),
  ]);

  await expect(`${lines.join("\n")}\n`).toMatchFileSnapshot("../test/outlines/tools.txt");
});
