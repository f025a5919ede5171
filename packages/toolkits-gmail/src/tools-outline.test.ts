import { expect, it } from "vitest";
import { GmailToolkit } from "./index.ts";

const authClient = { getAccessToken: async () => await Promise.resolve("t") };

/** Toolkits with the options that change what a model is told. */
const toolkits = {
  defaults: new GmailToolkit({ authClient }),
  sending: new GmailToolkit({ authClient, enableSend: true }),
  "few results and recipients": new GmailToolkit({
    authClient,
    enableSend: true,
    maxResults: 3,
    maxRecipients: 2,
    maxTextLength: 2000,
    timeoutMs: 1000,
  }),
  "known recipients": new GmailToolkit({ authClient, enableSend: true, allowedRecipients: ["a@e.x", "*@f.x"] }),
};

// What a model is told. If a change is meant, write the outline anew by `vitest --update`.
it("the tools are described to a model like this", async () => {
  const lines = Object.entries(toolkits).flatMap(([title, toolkit]) => [
    `# ${title}`,
    ...toolkit.getTools().map((tool) => JSON.stringify(tool, undefined, 1)),
  ]);

  await expect(`${lines.join("\n")}\n`).toMatchFileSnapshot("../test/outlines/tools.txt");
});
