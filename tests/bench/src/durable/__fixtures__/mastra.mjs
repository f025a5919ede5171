import { readFileSync } from "node:fs";
import { Mastra } from "@mastra/core";
import { createStep, createWorkflow } from "@mastra/core/workflows";
import { PostgresStore } from "@mastra/pg";
import { z } from "zod";
import { answer, answerRounds } from "./rounds.mjs";

const { version } = JSON.parse(readFileSync(new URL("../node_modules/@mastra/core/package.json", import.meta.url)));
const any = z.object({ text: z.string() });
const step = (id) => createStep({ id, inputSchema: any, outputSchema: any, execute: async () => ({ text: answer }) });
const write = createWorkflow({ id: "write", inputSchema: any, outputSchema: any })
  .then(step("outline"))
  .then(step("draft"))
  .then(step("review"))
  .commit();
const storage = new PostgresStore({ id: "bench", connectionString: process.argv[2] });
const mastra = new Mastra({ workflows: { write }, storage, logger: false });
await storage.init();
answerRounds(version, async () => {
  const run = await mastra.getWorkflow("write").createRun();
  const { status } = await run.start({ inputData: { text: "Go on." } });
  if (status !== "success") throw new Error(`The run ended as ${status}.`);
});
