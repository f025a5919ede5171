import { expect, it } from "vitest";
import { WhatsAppToolkit } from "./index.ts";

/** Toolkits with the options that change what a model is told. */
const toolkits = {
  defaults: new WhatsAppToolkit({ phoneNumberId: "1" }),
  "little time": new WhatsAppToolkit({ phoneNumberId: "1", timeoutMs: 1000 }),
};

// What a model is told. If a change is meant, write the outline anew by `vitest --update`.
it("the tools are described to a model like this", async () => {
  const lines = Object.entries(toolkits).flatMap(([title, toolkit]) => [
    `# ${title}`,
    ...toolkit.getTools().map((tool) => JSON.stringify(tool, undefined, 1)),
  ]);

  await expect(`${lines.join("\n")}\n`).toMatchFileSnapshot("../test/outlines/tools.txt");
});
