// Uses the clients that OpenAPI Generator makes for TypeScript: `node client.mjs URL`. Prints the fault of each use, or null.
import { deepEqual, equal, ok } from "node:assert/strict";
import { readFile } from "node:fs/promises";
import * as troupe from "./troupe";
import * as forms from "./forms";

const basePath = process.argv[2] ?? "";
const configuration = new troupe.Configuration({ basePath });
const agents = new troupe.AgentsApi(configuration);
const sessions = new troupe.SessionsApi(configuration);
const plan = await readFile("plan.pdf");
const files = [new File([plan], "plan.pdf", { type: "application/pdf" })];
const question = "What is in it?";

async function* eventsOf({ raw }: troupe.ApiResponse<string>) {
  let unread = "";
  for await (const piece of raw.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    const lines = (unread + piece).split("\n");
    unread = lines.pop() ?? "";
    for (const line of lines) if (line.startsWith("data: ")) yield JSON.parse(line.slice(6)) as troupe.StreamEvent;
  }
}

const uses: Record<string, () => Promise<void>> = {
  run: async () => {
    const { text } = await agents.runAgentAssistant({ runRequest: { input: "Hello?", sessionId: "typescript" } });
    equal(text, "Hello.");
  },
  structured: async () => {
    const { structured } = await agents.runAgentWeatherReport({ runRequest: { input: "Oslo?" } });
    equal(structured.city, "Rain.");
  },
  workflow: async () => {
    const { status } = await new troupe.WorkflowsApi(configuration).runWorkflowMorningBriefing();
    equal(status, "completed");
  },
  file: async () => {
    const data = plan.toString("base64");
    const file = { type: "file", data, mimeType: "application/pdf", filename: "plan.pdf" } as const;
    const input = [{ type: "text", text: question } as const, file];
    const { text } = await agents.runAgentAssistant({ runRequest: { input, sessionId: "typescript-file" } });
    equal(text, "Hello.");
  },
  turns: async () => {
    const [turn] = (await sessions.listTurns({ id: "typescript" })).turns;
    ok(turn !== undefined);
    equal(turn.input, "Hello?");
    equal(turn.messages.at(-1)?.content, "Hello.");
    ok(Math.abs(turn.createdAt - Date.now()) < 5000, `createdAt is ${turn.createdAt}`);
  },
  parts: async () => {
    const [turn] = (await sessions.listTurns({ id: "typescript-file" })).turns;
    const input: troupe.RunRequestInput | undefined = turn?.input as troupe.RunRequestInput;
    ok(Array.isArray(input));
    const [text, file] = input;
    ok(text?.type === "text" && file !== undefined && "stored" in file);
    equal(text.text, question);
  },
  error: async () => {
    const failed = await sessions.readSession({ id: "nowhere" }).then(
      () => undefined,
      (error: unknown) => error,
    );
    ok(failed instanceof troupe.ResponseError);
    const { error } = (await failed.response.json()) as troupe.ModelError;
    equal(error.code, "not_found");
  },
  stream: async () => {
    const types: string[] = [];
    for await (const event of eventsOf(await agents.streamAgentAssistantRaw({ runRequest: { input: "Hello?" } })))
      types.push(event.type);
    deepEqual(types, ["text", "finish"]);
  },
  live: async () => {
    const times = new Map<string, number>();
    const answer = await agents.streamAgentAssistantRaw({ runRequest: { input: "Answer slowly." } });
    for await (const { type } of eventsOf(answer)) times.set(type, performance.now());
    ok((times.get("finish") ?? 0) - (times.get("text") ?? 0) > 300, "the first event came with the last one");
  },
  formBesideJson: async () => {
    // @ts-expect-error The operation has one type of body: JSON.
    const { text } = await agents.runAgentAssistant({ input: question, files });
    equal(text, "Hello.");
  },
  form: async () => {
    const api = new forms.AgentsApi(new forms.Configuration({ basePath }));
    const { text } = await api.runAgentAssistant({ input: question, files, sessionId: "typescript-form" });
    equal(text, "Hello.");
  },
};

const faults: Record<string, string | null> = {};
for (const [name, use] of Object.entries(uses)) {
  faults[name] = await use().then(
    () => null,
    (error: unknown) => String(error),
  );
}
console.log(JSON.stringify(faults));
