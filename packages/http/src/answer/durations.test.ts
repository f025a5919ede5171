import { Agent, createLogger, defineTool, Team, Workflow } from "@troupe/core";
import { ScriptedModel } from "@troupe/core/testing";
import { expect, it, onTestFinished, vi } from "vitest";
import { serve } from "../../test/serve.ts";
import { requestLogger } from "../log/request-logger.ts";

const clock = defineTool({
  name: "clock",
  description: "Tells the time.",
  parameters: { type: "object", properties: {} },
  execute: () => "Noon.",
});

function talker(): Agent {
  const model = new ScriptedModel().respond(({ messages }) => {
    return messages.at(-1)?.role === "tool" ? "It is noon." : { toolCalls: [{ name: "clock" }] };
  });
  return new Agent({ name: "a", model, tools: [clock] });
}

/** Returns the numbers of all fields whose name ends in `Ms`, with their places. */
function timesIn(value: unknown, place = ""): [string, number][] {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, each]: [string, unknown]): [string, number][] =>
    key.endsWith("Ms") && typeof each === "number" ? [[`${place}.${key}`, each]] : timesIn(each, `${place}.${key}`),
  );
}

/** Makes every clock reading a fraction that binary numbers do not have. */
function tickUnevenly(): void {
  const now = performance.now.bind(performance);
  const spy = vi.spyOn(performance, "now").mockImplementation(() => now() + Math.PI / 1e4);
  onTestFinished(() => spy.mockRestore());
}

it("the HTTP transport sends and logs durations in milliseconds to three decimals [output.duration-decimals]", async () => {
  tickUnevenly();
  const lines: string[] = [];
  const logger = createLogger({ level: "info", write: (line) => lines.push(line) });
  const team = new Team({
    name: "t",
    mode: "route",
    model: new ScriptedModel().respond(() => "a"),
    members: [talker()],
  });
  const workflow = new Workflow({
    name: "w",
    initialState: {},
    steps: [
      { name: "ask", agent: talker() },
      { name: "skip", condition: () => false, steps: [{ name: "never", run: () => ({}) }] },
    ],
  });
  const service = await serve(
    { agents: { a: talker() }, teams: { t: team }, workflows: { w: workflow } },
    { before: [requestLogger({ logger })], onNode: "requestLogger reads the response of Node" },
  );

  const answers = [
    await service.post("/agents/a/run", { input: "x" }),
    await service.post("/teams/t/run", { input: "x" }),
    await service.post("/workflows/w/run", { input: "x" }),
  ];
  const streamed = await service.post("/workflows/w/stream", { input: "x" });
  await vi.waitUntil(() => lines.length >= 4);
  const events = streamed.text.split("\n").flatMap((line) => (line.startsWith("data: ") ? [line.slice(6)] : []));
  const sent = [
    ...answers.map(({ json }) => json),
    ...[...events, ...lines].map((json) => JSON.parse(json) as unknown),
  ];
  const times = sent.flatMap((each, index) => timesIn(each, String(index)));

  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
  expect(times.filter(([, ms]) => Math.round(ms * 1000) / 1000 !== ms)).toEqual([]);
  const names = times.map(([place]) => place);
  for (const name of ["0.durationMs", "0.metrics.durationMs", "0.timeToFirstTokenMs", "0.toolCalls.0.durationMs"]) {
    expect(names).toContain(name);
  }
  expect(names).toEqual(expect.arrayContaining(["1.toolCalls.0.durationMs", "2.steps.0.durationMs", "2.durationMs"]));
  expect(times.length).toBeGreaterThan(20);
});
