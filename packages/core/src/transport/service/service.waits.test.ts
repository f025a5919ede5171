import { expect, it, onTestFinished } from "vitest";
import { Workflow } from "../../agents/workflow/workflow.ts";
import { silentLogger } from "../../base/log/logger.ts";
import { RunService } from "../../runs/service/run-service.ts";
import { InMemoryStorage } from "../../sessions/storage/in-memory-storage.ts";
import { createService } from "./service.ts";

const waiting = () =>
  new Workflow({ name: "flow", initialState: {}, steps: [{ name: "approve", ask: () => "May I?" }] });
const logger = silentLogger;

it("Service refuses a workflow that waits, unless a RunService runs it under the same name", () => {
  const flow = waiting();
  const refusal = expect.objectContaining({
    code: "invalid_config",
    message: expect.stringMatching(
      /^The workflow "flow": the step "approve" waits.*runs: new RunService\(\{ workflows/,
    ) as string,
  }) as Error;

  expect(() => createService({ workflows: { flow }, logger })).toThrow(refusal);
  for (const workflows of [{}, { other: flow }, { flow: waiting() }]) {
    const runs = new RunService({ workflows });
    onTestFinished(async () => await runs.close());
    expect(() => createService({ workflows: { flow }, runs, logger })).toThrow(refusal);
  }
});

it("Service serves it with a RunService in memory, and with durable runs", async () => {
  const flow = waiting();
  const runs = new RunService({ workflows: { flow } });
  onTestFinished(async () => await runs.close());
  const services = [
    createService({ workflows: { flow }, runs, logger }),
    createService({ workflows: { flow }, durable: { sealKeys: false }, storage: new InMemoryStorage(), logger }),
  ];
  for (const service of services) {
    expect([...service.workflows.keys()]).toEqual(["flow"]);
    await service.close();
  }
});

it("Service refuses it among agents too, where it would run without waiting", () => {
  const agents = { flow: waiting().asRunnable() };

  expect(() => createService({ agents, logger })).toThrow(/The agent "flow": the step "approve" waits/);
});
