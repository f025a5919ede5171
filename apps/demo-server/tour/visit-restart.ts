import { Curl, chunksOf } from "./curl.ts";
import { startDemo } from "./demo-process.ts";
import type { DemoProcess } from "./demo-process.ts";
import { expect } from "./tour.ts";
import type { Tour } from "./tour.ts";

const args = ["-H", "x-demo-user: ada"];
/** The grace period of the demo, and some time for a busy machine. */
const longestMs = 5000 + 15_000;
const target = "POST /agents/assistant/run";

/** Ends the demo while answers are streamed, starts it again, and finds every turn of the session and the rest of the answer. */
export async function visitRestart(tour: Tour, demo: DemoProcess, folder: string): Promise<void> {
  tour.begin("SIGTERM in the middle of streams, and another start");
  const runId = await terminateInStreams(tour, demo);
  const again = await startDemo(folder);
  try {
    const curl = new Curl(again.url);
    await tour.step("the history is there after another start", async () => {
      const { text } = await curl.send("GET /sessions/kept/turns", undefined, ...args);
      expect(text.includes("Nice to meet you, Ada.") && text.includes("12 * 7 = 84."), text);
      return text;
    });
    await tour.step("the long answer goes on to its end", async () => {
      await curl.send(`GET /runs/${runId}/events?events=all`, undefined, ...args);
      const { text } = await curl.send(`GET /runs/${runId}`, undefined, ...args);
      expect(text.includes('"completed"') && text.includes(" 199 200"), text);
      return text;
    });
    await again.terminate();
  } finally {
    again.kill();
  }
}

/** Ends the demo while it streams a short answer and a long one, and returns the id of the run of the long one. */
async function terminateInStreams(tour: Tour, demo: DemoProcess): Promise<string> {
  const curl = new Curl(demo.url);
  for (const input of ["My name is Ada.", "What is 12 * 7?"])
    await curl.send(target, { input, sessionId: "kept" }, ...args);
  const inBackground = [...args, "-H", "prefer: respond-async"];
  const { text: begun } = await curl.send(target, { input: "Count to 200" }, ...inBackground);
  const runId = /"runId":"([^"]+)"/.exec(begun)?.[1] ?? "";
  const long = curl.send(`GET /runs/${runId}/events`, undefined, ...args);
  const short = curl.send("POST /agents/assistant/stream", { input: "Count to 30" }, ...args);
  await untilBothRun(curl);
  await tour.step("SIGTERM", async () => {
    const { code, ms } = await demo.terminate();
    expect(code === 0 && ms < longestMs, { code, ms });
    return `exit code 0 after ${ms} ms`;
  });
  await tour.step("a short answer is finished", async () => {
    const types = chunksOf(await short).map(({ type }) => type);
    expect(types.at(-1) === "finish", types);
    return `${types.length} chunks, the last is finish`;
  });
  await tour.step("a long one is told to go on elsewhere", async () => {
    const { text } = await long;
    expect(text.includes('"interrupted"'), text);
    return text.slice(text.lastIndexOf("data:"));
  });
  return runId;
}

async function untilBothRun(curl: Curl): Promise<void> {
  for (let tries = 0; tries < 300; tries += 1) {
    const { text } = await curl.send("GET /runs?status=running", undefined, ...args);
    if (text.split('"runId"').length > 2) return;
    await new Promise((resolve) => void setTimeout(resolve, 50));
  }
  throw new Error("The runs have not begun.");
}
