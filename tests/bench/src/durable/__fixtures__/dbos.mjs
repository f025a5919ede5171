import { readFileSync } from "node:fs";
import { DBOS } from "@dbos-inc/dbos-sdk";
import { answer, answerRounds } from "./rounds.mjs";

const { version } = JSON.parse(readFileSync(new URL("../node_modules/@dbos-inc/dbos-sdk/package.json", import.meta.url)));
DBOS.setConfig({ name: "bench", systemDatabaseUrl: process.argv[2], logLevel: "error", runAdminServer: false });
const write = DBOS.registerWorkflow(
  async () => {
    const texts = [];
    for (const name of ["outline", "draft", "review"]) texts.push(await DBOS.runStep(async () => answer, { name }));
    return texts;
  },
  { name: "write" },
);
await DBOS.launch();
answerRounds(version, async () => await write());
